// Moving cards and lists, by menu and by keys. Each step is announced.

import { useMemo } from "react";
import type { FollowedBoard, ListState } from "work-board-client/board";
import { t } from "../../texts/index.js";
import { useChange, useShownBoard } from "../context.js";
import { say } from "./Announcements.js";
import { held } from "./held.js";
import { isSamePlace, othersIn, type Place, placeBeside, placeOf } from "./places.js";

/** The ways to move the things of a board. */
export interface Moves {
  /** Moves a card to a place of this board. */
  moveCard(cardPublicId: string, to: Place): void;
  /** Moves a card one place in the direction of an arrow key. */
  stepCard(cardPublicId: string, key: string): void;
  /** Moves a list to an index among the other lists, if there is such a place. */
  moveList(listPublicId: string, to: number): void;
  /** Picks up a card, which arrow keys then move until it is dropped. */
  pickUp(cardPublicId: string): void;
  /** Moves the held card one place in the direction of an arrow key. */
  step(key: string): void;
  drop(): void;
  cancel(): void;
}

/** The place of a card in words. */
const placeText = (lists: readonly ListState[], cardPublicId: string, { listPublicId, index }: Place): string => {
  const list = lists.find(({ publicId }) => publicId === listPublicId);
  return t.moving.place(index + 1, othersIn(list, cardPublicId).length + 1, list?.name ?? "");
};

function movesOf(followed: FollowedBoard, change: ReturnType<typeof useChange>): Moves {
  const lists = () => followed.state().board?.lists ?? [];
  function moveCard(cardPublicId: string, to: Place): void {
    if (!isSamePlace(placeOf(lists(), cardPublicId), to)) change("card.update", { cardPublicId, ...to });
  }
  return {
    moveCard(cardPublicId, to) {
      moveCard(cardPublicId, to);
      say(t.moving.movedTo(placeText(lists(), cardPublicId, to)));
    },
    stepCard(cardPublicId, key) {
      const from = placeOf(lists(), cardPublicId);
      const to = from && placeBeside(lists(), cardPublicId, from, key);
      if (to === null) return;
      moveCard(cardPublicId, to);
      say(t.moving.movedTo(placeText(lists(), cardPublicId, to)));
    },
    moveList(listPublicId, to) {
      if (to < 0 || to >= lists().length) return;
      change("board.lists.update", { listPublicId, index: to });
      say(t.moving.movedTo(t.moving.listPlace(to + 1, lists().length)));
    },
    pickUp(publicId) {
      const to = placeOf(lists(), publicId);
      if (to === null) return;
      held.set({ publicId, to });
      const title = followed.state().board?.cards[publicId]?.title ?? "";
      say(t.moving.pickedUp(title, placeText(lists(), publicId, to)));
    },
    step(key) {
      const card = held.get();
      if (card === null) return;
      const to = placeBeside(lists(), card.publicId, card.to, key);
      if (to === null) return;
      held.set({ ...card, to });
      say(t.moving.movedTo(placeText(lists(), card.publicId, to)));
    },
    drop() {
      const card = held.get();
      if (card === null) return;
      held.set(null);
      moveCard(card.publicId, card.to);
      say(t.moving.dropped);
    },
    cancel() {
      if (held.get() === null) return;
      held.set(null);
      say(t.moving.cancelled);
    },
  };
}

/** Moves things of the shown board. */
export function useMoves(): Moves {
  const { followed } = useShownBoard();
  const change = useChange();
  return useMemo(() => movesOf(followed, change), [followed, change]);
}
