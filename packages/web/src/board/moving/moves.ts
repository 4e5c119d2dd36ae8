// Moving cards and lists, by menu, by keys and by a pointer. Each step is announced.

import { useEffect, useMemo } from "react";
import type { FollowedBoard, ListState } from "work-board-client/board";
import { t } from "../../texts/index.js";
import { useChange, useShownBoard } from "../context.js";
import { useIsShown } from "../filter/context.js";
import { showCard } from "../focus.js";
import { dropTogether, selectedOn, selection } from "../selection/selection.js";
import { say } from "./Announcements.js";
import { type Held, held } from "./held.js";
import { type IsShown, isSamePlace, othersIn, type Place, placeBeside, placeOf, placeOfList } from "./places.js";

/** The ways to move the things of a board. */
export interface Moves {
  /** Moves a card to a place, also of another board, which is announced in words. */
  moveCard(cardPublicId: string, to: Place, words: string): void;
  /** Moves a card one place in the direction of an arrow key. */
  stepCard(cardPublicId: string, key: string): void;
  /** Moves a list to an index among the other lists, if there is such a place. */
  moveList(listPublicId: string, to: number): void;
  /**
   * Picks up a card or a list, which keys or a pointer then move until it is dropped. Returns how many things move with it, itself
   * included: all selected cards if one of them is dragged, and 0 if it is not there.
   */
  pickUp(kind: Held["kind"], publicId: string, isDragged: boolean): number;
  /** Moves what is held over a place; null if dropping it there changes nothing. */
  aim(to: Place | null): void;
  /** Moves the held card one place in the direction of an arrow key. */
  step(key: string): void;
  drop(): void;
  cancel(): void;
  /** The place that the held thing gets, in words. */
  placeText(): string;
}

type Lists = readonly ListState[];

/** The place of a card in words. */
const placeText = (lists: Lists, cardPublicId: string, { listPublicId, index }: Place): string => {
  const list = lists.find(({ publicId }) => publicId === listPublicId);
  return t.moving.place(index + 1, othersIn(list, cardPublicId).length + 1, list?.name ?? "");
};

const placeNow = (lists: Lists, { kind, publicId }: Pick<Held, "kind" | "publicId">): Place | null =>
  kind === "card" ? placeOf(lists, publicId) : placeOfList(lists, publicId);

function movesOf(followed: FollowedBoard, change: ReturnType<typeof useChange>, isShown: IsShown): Moves {
  const lists = () => followed.state().board?.lists ?? [];
  function moveCard(cardPublicId: string, to: Place): void {
    if (!isSamePlace(placeOf(lists(), cardPublicId), to)) change("card.update", { cardPublicId, ...to });
  }
  function textOf({ kind, publicId, to }: Held): string {
    if (to === null) return t.moving.outside;
    return kind === "card" ? placeText(lists(), publicId, to) : t.moving.listPlace(to.index + 1, lists().length);
  }
  function aim(to: Place | null): void {
    const thing = held.get();
    if (thing === null || isSamePlace(thing.to, to)) return;
    const next = { ...thing, to };
    held.set(next);
    say(to === null ? t.moving.outside : t.moving.movedTo(textOf(next)));
  }
  function cancel(): void {
    if (held.get() === null) return;
    held.set(null);
    say(t.moving.cancelled);
  }
  return {
    moveCard(cardPublicId, to, words) {
      moveCard(cardPublicId, to);
      say(t.moving.movedTo(words));
    },
    stepCard(cardPublicId, key) {
      const from = placeOf(lists(), cardPublicId);
      const to = from && placeBeside(lists(), cardPublicId, from, key, isShown);
      if (to === null) return;
      moveCard(cardPublicId, to);
      showCard(cardPublicId);
      say(t.moving.movedTo(placeText(lists(), cardPublicId, to)));
    },
    moveList(listPublicId, to) {
      if (to < 0 || to >= lists().length) return;
      change("board.lists.update", { listPublicId, index: to });
      say(t.moving.movedTo(t.moving.listPlace(to + 1, lists().length)));
    },
    pickUp(kind, publicId, isDragged) {
      const to = placeNow(lists(), { kind, publicId });
      if (to === null) return 0;
      const thing = { kind, publicId, to, isDragged };
      held.set(thing);
      const { board } = followed.state();
      const list = lists().find((one) => one.publicId === publicId);
      const selected = isDragged && board !== null ? selectedOn(board, selection.get(), isShown) : [];
      const count = selected.includes(publicId) ? selected.length : 1;
      const name = board?.cards[publicId]?.title ?? list?.name ?? "";
      say(t.moving.pickedUp(count > 1 ? t.moving.several(count) : name, textOf(thing)));
      return count;
    },
    aim,
    step(key) {
      const card = held.get();
      const to = card?.to && placeBeside(lists(), card.publicId, card.to, key, isShown);
      if (!to) return;
      aim(to);
      showCard(card.publicId);
    },
    drop() {
      const thing = held.get();
      if (thing === null) return;
      const { kind, publicId, to, isDragged } = thing;
      if (to === null) {
        cancel();
        return;
      }
      held.set(null);
      say(t.moving.dropped);
      if (isSamePlace(placeNow(lists(), thing), to)) return;
      if (kind === "card") {
        if (!isDragged || !dropTogether.get()?.(publicId, to)) moveCard(publicId, to);
      } else change("board.lists.update", { listPublicId: publicId, index: to.index });
    },
    cancel,
    placeText() {
      const thing = held.get();
      return thing === null ? "" : textOf(thing);
    },
  };
}

/** Moves things of the shown board. */
export function useMoves(): Moves {
  const { followed } = useShownBoard();
  const change = useChange();
  const isShown = useIsShown();
  return useMemo(() => movesOf(followed, change, isShown), [followed, change, isShown]);
}

/** Puts what is held back when it, the board or the permission to move it is taken away. */
export function useCancelOnLoss(): void {
  const { followed } = useShownBoard();
  const moves = useMoves();
  useEffect(() => {
    const stop = followed.subscribe(() => {
      const { board } = followed.state();
      const thing = held.get();
      if (thing === null) return;
      const isAllowed = board?.me.permissions.includes(thing.kind === "card" ? "card:edit" : "list:edit");
      if (board === null || !isAllowed || placeNow(board.lists, thing) === null) moves.cancel();
    });
    return () => {
      stop();
      moves.cancel();
    };
  }, [followed, moves]);
}
