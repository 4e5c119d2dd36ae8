// The actions of keys on the card that has the focus.

import { useChange, useShownBoard } from "./context.js";
import { copyLink } from "./copyLink.js";
import { useIsShown } from "./filter/context.js";
import { focusNeighbour } from "./focus.js";
import type { PickedProperty } from "./slots.js";

/** The dialogs and fields that keys open on the board. */
export interface Openers {
  rename(cardPublicId: string): void;
  compose(listPublicId: string): void;
  openMenu(cardPublicId: string): void;
  move(cardPublicId: string): void;
  pick(cardPublicId: string, property: PickedProperty): void;
}

/** Assigns the reader to a card, or no longer. */
export function useAssignMe(): (cardPublicId: string) => void {
  const { followed, meId } = useShownBoard();
  const change = useChange();
  return (cardPublicId) => {
    if (meId === undefined) return;
    const members = followed.state().board?.cards[cardPublicId]?.members ?? [];
    const on = !members.some(({ publicId }) => publicId === meId);
    change("card.toggleMember", { cardPublicId, memberPublicId: meId, on });
  };
}

/** The actions on a card that the reader may do, by their keys. */
export function useCardActions({ rename, compose, openMenu, move, pick }: Openers) {
  const { followed, open, may } = useShownBoard();
  const change = useChange();
  const assignMe = useAssignMe();
  const isShown = useIsShown();
  const actions: Record<string, (cardPublicId: string) => void> = {
    ".": openMenu,
    y: copyLink,
    ...(may("card:edit") && {
      e: rename,
      m: move,
      x: (cardPublicId) => open.selection.toggle(cardPublicId),
      l: (cardPublicId) => pick(cardPublicId, "labels"),
      p: (cardPublicId) => pick(cardPublicId, "people"),
      d: (cardPublicId) => pick(cardPublicId, "dueDate"),
      i: assignMe,
      a: (cardPublicId) => {
        focusNeighbour(open, [cardPublicId], isShown);
        change("card.archive", { cardPublicId });
      },
      c: (cardPublicId) => {
        const isDone = followed.state().board?.cards[cardPublicId]?.completedAt !== null;
        change("card.update", { cardPublicId, completed: !isDone });
      },
    }),
    ...(may("card:create") && {
      n: (cardPublicId) => {
        const list = followed.state().board?.lists.find(({ cardIds }) => cardIds.includes(cardPublicId));
        if (list !== undefined) compose(list.publicId);
      },
    }),
  };
  return actions;
}
