// The thing that is being moved, by a pointer or by keys.

import type { ListState } from "work-board-client/board";
import { storeOf, useStore } from "../../parts/store.js";
import { othersIn, type Place } from "./places.js";

export interface HeldCard {
  readonly kind: "card";
  readonly publicId: string;
  readonly by: "pointer" | "keys";
  /** The place it gets if it is dropped now; null where a drop cancels. */
  readonly to: Place | null;
}

export interface HeldList {
  readonly kind: "list";
  readonly publicId: string;
  readonly by: "pointer";
  /** The index it gets among the other lists; null where a drop cancels. */
  readonly to: number | null;
}

export type Held = HeldCard | HeldList;

export const held = storeOf<Held | null>(null);

/** The cards of a list as they stand while one of the board is moved by keys. */
export function useCardIds(list: ListState): readonly string[] {
  const moved = useStore(held, (thing) =>
    thing?.kind === "card" &&
    thing.by === "keys" &&
    (thing.to?.listPublicId === list.publicId || list.cardIds.includes(thing.publicId))
      ? thing
      : null,
  );
  if (moved === null) return list.cardIds;
  const others = othersIn(list, moved.publicId);
  return moved.to?.listPublicId === list.publicId ? others.toSpliced(moved.to.index, 0, moved.publicId) : others;
}

/** Whether a dragged card is over a list. */
export const useIsOver = (listPublicId: string): boolean =>
  useStore(
    held,
    (thing) => thing?.kind === "card" && thing.by === "pointer" && thing.to?.listPublicId === listPublicId,
  );

/** The card of a list before which a dragged card goes, `null` for its end; undefined if it goes elsewhere, or stays where it is. */
export const useSlot = (list: ListState): string | null | undefined =>
  useStore(held, (thing) => {
    if (thing?.kind !== "card" || thing.by !== "pointer" || thing.to?.listPublicId !== list.publicId) return undefined;
    const { index } = thing.to;
    return list.cardIds[index] === thing.publicId ? undefined : (othersIn(list, thing.publicId)[index] ?? null);
  });
