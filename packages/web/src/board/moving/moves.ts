// Moving cards and lists, whatever one moves them with. Each step is announced.

import { useMemo } from "react";
import type { FollowedBoard, ListState } from "work-board-client/board";
import { t } from "../../texts/index.js";
import { useChange, useShownBoard } from "../context.js";
import { say } from "./Announcements.js";
import { type Held, held } from "./held.js";
import { isSamePlace, othersIn, type Place, placeBeside, placeOf } from "./places.js";

/** The ways to move the things of a board. */
export interface Moves {
  /** Moves a card to a place of this board. */
  moveCard(cardPublicId: string, to: Place): void;
  /** Moves a card one place in the direction of an arrow key. */
  stepCard(cardPublicId: string, key: string): void;
  /** Moves a list to an index among the other lists, if there is such a place. */
  moveList(listPublicId: string, to: number): void;
  pickUp(thing: Pick<Held, "kind" | "publicId" | "by">): void;
  /** Moves what is held one place in the direction of an arrow key. */
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
  const listIndexOf = (listPublicId: string) => lists().findIndex(({ publicId }) => publicId === listPublicId);

  function moveCard(cardPublicId: string, to: Place): void {
    if (!isSamePlace(placeOf(lists(), cardPublicId), to)) change("card.update", { cardPublicId, ...to });
  }
  function moveList(listPublicId: string, to: number): boolean {
    if (to < 0 || to >= lists().length) return false;
    if (to !== listIndexOf(listPublicId)) change("board.lists.update", { listPublicId, index: to });
    return true;
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
      if (moveList(listPublicId, to)) say(t.moving.movedTo(t.moving.listPlace(to + 1, lists().length)));
    },
    pickUp({ kind, publicId, by }) {
      const state = followed.state().board;
      if (kind === "list") {
        const to = listIndexOf(publicId);
        held.set({ kind, publicId, by: "pointer", to });
        say(t.moving.pickedUp(lists()[to]?.name ?? "", t.moving.listPlace(to + 1, lists().length)));
        return;
      }
      const to = placeOf(lists(), publicId);
      if (to === null) return;
      held.set({ kind, publicId, by, to });
      say(t.moving.pickedUp(state?.cards[publicId]?.title ?? "", placeText(lists(), publicId, to)));
    },
    step(key) {
      const thing = held.get();
      if (thing?.kind !== "card" || thing.to === null) return;
      const to = placeBeside(lists(), thing.publicId, thing.to, key);
      if (to === null) return;
      held.set({ ...thing, to });
      say(t.moving.movedTo(placeText(lists(), thing.publicId, to)));
    },
    drop() {
      const thing = held.get();
      held.set(null);
      if (thing === null) return;
      if (thing.kind === "card" && thing.to !== null) moveCard(thing.publicId, thing.to);
      if (thing.kind === "list" && thing.to !== null) moveList(thing.publicId, thing.to);
      say(thing.to === null ? t.moving.cancelled : t.moving.dropped);
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
