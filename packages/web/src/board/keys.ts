// Keys on the card or the list that has the focus.

import type { KeyboardEvent } from "react";
import type { ListState } from "work-board-client/board";
import { keyPressed } from "../keys/layouts.js";
import { isCovered } from "../keys/singleKeys.js";
import { useChange, useShownBoard } from "./context.js";
import { copyLink } from "./copyLink.js";
import { useIsShown } from "./filter/context.js";
import { focusBeside, focusCard, focusList, isWalking, renameList } from "./focus.js";
import { held } from "./moving/held.js";
import { type Moves, useMoves } from "./moving/moves.js";
import type { IsShown } from "./moving/places.js";
import { addSelected, pressForSelected, selection, toggleSelected } from "./selection/selection.js";
import type { PickedProperty } from "./slots.js";

interface Actions {
  rename(cardPublicId: string): void;
  compose(listPublicId: string): void;
  openMenu(cardPublicId: string): void;
  move(cardPublicId: string): void;
  pick(cardPublicId: string, property: PickedProperty): void;
}

/** The lists beside one in the direction of an arrow key, the nearest first. */
const listsBeside = <List>(lists: readonly List[], at: number, key: string): readonly List[] =>
  key === "ArrowRight" ? lists.slice(at + 1) : lists.slice(0, Math.max(at, 0)).toReversed();

/** The next card in a direction, of those that are shown: lists without such cards are skipped. */
export function neighbourOf(
  all: readonly ListState[],
  cardPublicId: string,
  key: string,
  isShown: IsShown,
): string | undefined {
  const lists = all.map((list) => ({ ...list, cardIds: list.cardIds.filter(isShown) }));
  const at = lists.findIndex(({ cardIds }) => cardIds.includes(cardPublicId));
  const index = lists[at]?.cardIds.indexOf(cardPublicId) ?? -1;
  if (key === "ArrowUp") return lists[at]?.cardIds[index - 1];
  if (key === "ArrowDown") return lists[at]?.cardIds[index + 1];
  const next = listsBeside(lists, at, key).find(({ cardIds }) => cardIds.length > 0);
  return next?.cardIds[Math.min(index, next.cardIds.length - 1)];
}

const isArrow = (key: string) => key.startsWith("Arrow");
const isAside = (key: string) => key === "ArrowLeft" || key === "ArrowRight";

/** Handles a key while a card is held: arrows move it, Space and Enter drop it, Escape puts it back. */
function onKeyOfHeld({ key }: KeyboardEvent, moves: Moves): boolean {
  if (isArrow(key)) moves.step(key);
  else if (key === " " || key === "Enter") moves.drop();
  else if (key === "Escape") moves.cancel();
  // The focus stays on the card until it is dropped.
  else return key === "Tab";
  return true;
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

/** Handles the keys of the lists. */
export function useBoardKeys({
  rename,
  compose,
  openMenu,
  move,
  pick,
}: Actions): (event: KeyboardEvent<HTMLElement>) => void {
  const { followed, may } = useShownBoard();
  const change = useChange();
  const moves = useMoves();
  const assignMe = useAssignMe();
  const isShown = useIsShown();
  const actions: Record<string, (cardPublicId: string, lists: readonly ListState[]) => void> = {
    ".": openMenu,
    y: copyLink,
    ...(may("card:edit") && {
      e: rename,
      m: move,
      x: toggleSelected,
      l: (cardPublicId) => pick(cardPublicId, "labels"),
      p: (cardPublicId) => pick(cardPublicId, "people"),
      d: (cardPublicId) => pick(cardPublicId, "dueDate"),
      i: assignMe,
      a: (cardPublicId) => {
        focusBeside(followed, [cardPublicId], isShown);
        change("card.archive", { cardPublicId });
      },
      c: (cardPublicId) => {
        const isDone = followed.state().board?.cards[cardPublicId]?.completedAt !== null;
        change("card.update", { cardPublicId, completed: !isDone });
      },
    }),
    ...(may("card:create") && {
      n: (cardPublicId, lists) => {
        const list = lists.find(({ cardIds }) => cardIds.includes(cardPublicId));
        if (list !== undefined) compose(list.publicId);
      },
    }),
  };

  /** Moves the focus to a list beside one: to a card, or to the button that adds one where none is shown. */
  function walkAside(lists: readonly ListState[], at: number, index: number, key: string): void {
    for (const { publicId, cardIds } of listsBeside(lists, at, key)) {
      const shown = cardIds.filter(isShown);
      const next = shown[Math.min(index, shown.length - 1)];
      if (next !== undefined) focusCard(next);
      else if (may("card:create")) focusList(publicId);
      else continue;
      return;
    }
  }

  function onKeyOfCard(event: KeyboardEvent, cardPublicId: string): boolean {
    const { altKey, shiftKey, target } = event;
    const key = keyPressed(event);
    const lists = followed.state().board?.lists ?? [];
    if (altKey) {
      if (!isArrow(key) || !may("card:edit")) return false;
      moves.stepCard(cardPublicId, key);
      return true;
    }
    if (isAside(key) && !shiftKey) {
      const at = lists.findIndex(({ cardIds }) => cardIds.includes(cardPublicId));
      walkAside(lists, at, lists[at]?.cardIds.filter(isShown).indexOf(cardPublicId) ?? 0, key);
      return true;
    }
    if (isArrow(key)) {
      const next = neighbourOf(lists, cardPublicId, key, isShown) ?? cardPublicId;
      if (shiftKey && may("card:edit")) addSelected([cardPublicId, next]);
      focusCard(next);
      return true;
    }
    if (key === " " && target instanceof HTMLAnchorElement && may("card:edit")) {
      moves.pickUp("card", cardPublicId, false);
      return true;
    }
    if (selection.get().size > 1 && selection.get().has(cardPublicId) && pressForSelected(key)) return true;
    const action = actions[key];
    action?.(cardPublicId, lists);
    return action !== undefined;
  }

  function onKeyOfList(event: KeyboardEvent, listPublicId: string): boolean {
    const { altKey } = event;
    const key = keyPressed(event);
    const lists = followed.state().board?.lists ?? [];
    const at = lists.findIndex(({ publicId }) => publicId === listPublicId);
    if (altKey) {
      if (!isAside(key) || !may("list:edit")) return false;
      moves.moveList(listPublicId, key === "ArrowLeft" ? at - 1 : at + 1);
      return true;
    }
    const shown = lists[at]?.cardIds.filter(isShown);
    const card = shown?.at(key === "ArrowUp" ? -1 : 0);
    if (isAside(key)) walkAside(lists, at, 0, key);
    else if (isArrow(key) && card !== undefined) focusCard(card);
    else if (key === "n" && may("card:create")) compose(listPublicId);
    else if (key === "e") renameList(listPublicId);
    else return false;
    return true;
  }

  return (event) => {
    if (event.ctrlKey || event.metaKey || event.defaultPrevented || isCovered()) return;
    if (!(event.target instanceof Element)) return;
    const cardPublicId = event.target.closest<HTMLElement>("[data-card]")?.dataset.card;
    const listPublicId = event.target.closest<HTMLElement>("[data-list]")?.dataset.list;
    const isDone =
      held.get() !== null
        ? onKeyOfHeld(event, moves)
        : cardPublicId !== undefined
          ? onKeyOfCard(event, cardPublicId)
          : listPublicId !== undefined && onKeyOfList(event, listPublicId);
    if (!isDone) return;
    event.preventDefault();
    if (isArrow(event.key) || held.get() !== null) isWalking.set(true);
  };
}
