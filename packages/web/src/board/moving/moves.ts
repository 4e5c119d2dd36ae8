// Moving cards and lists, by menu, by keys and by a pointer. Each step is announced.

import { useEffect, useMemo } from "react";
import type { ListState } from "work-board-client/board";
import { announce } from "../../parts/announce.js";
import { t } from "../../texts/index.js";
import { useShownBoard } from "../context.js";
import { useIsShown } from "../filter/context.js";
import { showCard } from "../focus.js";
import type { Moving, OpenBoard } from "../openBoard.js";
import { selectedOn } from "../selection/selection.js";
import { changeWithUndo } from "../undo/changes.js";
import { type IsShown, isSamePlace, othersIn, type Place, placeBeside, placeOf, placeOfList } from "./places.js";

type Lists = readonly ListState[];
type Thing = Pick<Moving, "kind" | "publicId">;

/** The place of a card in words. */
const placeText = (lists: Lists, cardPublicId: string, { listPublicId, index }: Place): string => {
  const list = lists.find(({ publicId }) => publicId === listPublicId);
  return t.moving.place(index + 1, othersIn(list, cardPublicId).length + 1, list?.name ?? "");
};

const placeNow = (lists: Lists, { kind, publicId }: Thing): Place | null =>
  kind === "card" ? placeOf(lists, publicId) : placeOfList(lists, publicId);

/** The ways to move the things of an open board. */
export class Moves {
  readonly #open: OpenBoard;
  readonly #isShown: IsShown;

  constructor(open: OpenBoard, isShown: IsShown) {
    this.#open = open;
    this.#isShown = isShown;
  }

  get #lists(): Lists {
    return this.#open.followed.state().board?.lists ?? [];
  }

  #nameOf({ publicId }: Pick<Thing, "publicId">): string {
    const { board } = this.#open.followed.state();
    return board?.cards[publicId]?.title ?? this.#lists.find((one) => one.publicId === publicId)?.name ?? "";
  }

  #changePlace(cardPublicId: string, to: Place, sentence: string, ifSame = sentence): void {
    if (isSamePlace(placeOf(this.#lists, cardPublicId), to)) announce(ifSame);
    else changeWithUndo(this.#open, ["card.update", { cardPublicId, ...to }], sentence);
  }

  /** Says that a card goes no further in a direction. */
  #sayEdge(listPublicId: string | undefined, key: string, assertive: boolean): void {
    const name = this.#lists.find(({ publicId }) => publicId === listPublicId)?.name ?? "";
    announce(t.moving.edges[key]?.(name) ?? "", { assertive });
  }

  #textOf({ kind, publicId, to }: Moving): string {
    if (to === null) return t.moving.outside;
    const lists = this.#lists;
    return kind === "card" ? placeText(lists, publicId, to) : t.moving.listPlace(to.index + 1, lists.length);
  }

  /** Moves a card to a place, also of another board, which is announced in words. */
  moveCard(cardPublicId: string, to: Place, words: string): void {
    this.#changePlace(cardPublicId, to, t.moving.moved(this.#nameOf({ publicId: cardPublicId }), words), words);
  }

  /** Moves a card one place in the direction of an arrow key. */
  stepCard(cardPublicId: string, key: string): void {
    const from = placeOf(this.#lists, cardPublicId);
    const to = from && placeBeside(this.#lists, cardPublicId, from, key, this.#isShown);
    if (to === null) {
      this.#sayEdge(from?.listPublicId, key, false);
      return;
    }
    this.moveCard(cardPublicId, to, placeText(this.#lists, cardPublicId, to));
    showCard(this.#open, cardPublicId);
  }

  /** Moves a list to an index among the other lists, if there is such a place. */
  moveList(listPublicId: string, to: number): void {
    const { length } = this.#lists;
    if (to < 0 || to >= length) {
      announce(t.moving.edges[to < 0 ? "ArrowLeft" : "ArrowRight"]?.("") ?? "");
      return;
    }
    const sentence = t.moving.moved(this.#nameOf({ publicId: listPublicId }), t.moving.listPlace(to + 1, length));
    changeWithUndo(this.#open, ["board.lists.update", { listPublicId, index: to }], sentence);
  }

  /**
   * Picks up a card or a list, which keys or a pointer then move until it is dropped. Returns how many things move with it, itself
   * included: all selected cards if one of them is dragged, and 0 if it is not there.
   */
  pickUp(kind: Moving["kind"], publicId: string, isDragged: boolean): number {
    const { followed, moving, selection } = this.#open;
    const to = placeNow(this.#lists, { kind, publicId });
    if (to === null) return 0;
    const thing = { kind, publicId, to, isDragged };
    moving.set(thing);
    const { board } = followed.state();
    const selected = isDragged && board !== null ? selectedOn(board, selection.ids.get(), this.#isShown) : [];
    const count = selected.includes(publicId) ? selected.length : 1;
    const name = count > 1 ? t.moving.several(count) : this.#nameOf(thing);
    const pickedUp = t.moving.pickedUp(name, this.#textOf(thing));
    announce(isDragged ? pickedUp : t.moving.movedByKeys(pickedUp), { assertive: true });
    return count;
  }

  /** Sets where the moving thing goes; null if it goes back to where it is. */
  setTarget(to: Place | null): void {
    const thing = this.#open.moving.get();
    if (thing === null || isSamePlace(thing.to, to)) return;
    const next = { ...thing, to };
    this.#open.moving.set(next);
    announce(this.#textOf(next), { assertive: true });
  }

  /** The place that the moving thing gets, in words. */
  targetText(): string {
    const thing = this.#open.moving.get();
    return thing === null ? "" : this.#textOf(thing);
  }

  /** Moves the card that was picked up one place in the direction of an arrow key. */
  step(key: string): void {
    const card = this.#open.moving.get();
    const to = card?.to && placeBeside(this.#lists, card.publicId, card.to, key, this.#isShown);
    if (to === null) this.#sayEdge(card?.to?.listPublicId, key, true);
    else if (card !== null && to !== undefined) {
      this.setTarget(to);
      if (isSamePlace(placeNow(this.#lists, card), to)) showCard(this.#open, card.publicId);
    }
  }

  drop(): void {
    const { moving, selection } = this.#open;
    const thing = moving.get();
    if (thing === null) return;
    const { kind, publicId, to, isDragged } = thing;
    if (to === null) {
      this.cancel();
      return;
    }
    moving.set(null);
    const dropped = t.moving.dropped(this.#textOf(thing));
    if (isSamePlace(placeNow(this.#lists, thing), to)) announce(dropped);
    else if (kind === "list")
      changeWithUndo(this.#open, ["board.lists.update", { listPublicId: publicId, index: to.index }], dropped);
    else if (!isDragged || selection.bar?.drop(publicId, to) !== true) this.#changePlace(publicId, to, dropped);
  }

  cancel(): void {
    if (this.#open.moving.get() === null) return;
    this.#open.moving.set(null);
    announce(t.moving.putBack);
  }

  /** Puts the moving thing back if it, the board or the permission to move it was taken away. */
  cancelIfLost(): void {
    const { board } = this.#open.followed.state();
    const thing = this.#open.moving.get();
    if (thing === null) return;
    const isAllowed = board?.me.permissions.includes(thing.kind === "card" ? "card:edit" : "list:edit");
    if (board === null || !isAllowed || placeNow(board.lists, thing) === null) this.cancel();
  }
}

/** Moves things of the shown board. */
export function useMoves(): Moves {
  const { open } = useShownBoard();
  const isShown = useIsShown();
  return useMemo(() => new Moves(open, isShown), [open, isShown]);
}

/** Puts what is moving back when it, the board or the permission to move it is taken away. */
export function useCancelOnLoss(): void {
  const { followed } = useShownBoard();
  const moves = useMoves();
  useEffect(() => {
    const stop = followed.subscribe(() => moves.cancelIfLost());
    return () => {
      stop();
      moves.cancel();
    };
  }, [followed, moves]);
}
