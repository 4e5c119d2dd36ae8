// Keys on the card or the list that has the focus.

import type { KeyboardEvent } from "react";
import type { ListState } from "work-board-client/board";
import { keyPressed } from "../keys/layouts.js";
import { isCovered } from "../keys/singleKeys.js";
import { type Openers, useCardActions } from "./cardActions.js";
import { type ShownBoard, useShownBoard } from "./context.js";
import { useIsShown } from "./filter/context.js";
import { focusCard, focusList } from "./focus.js";
import { type Moves, useMoves } from "./moving/moves.js";
import type { IsShown } from "./moving/places.js";
import { isArrow, isSideways, listsBeside, neighbourOf } from "./neighbours.js";

/** The board on which keys act. */
interface KeyContext extends Pick<ShownBoard, "open" | "may"> {
  readonly lists: readonly ListState[];
  readonly isShown: IsShown;
  readonly moves: Moves;
  readonly actions: ReturnType<typeof useCardActions>;
  compose(listPublicId: string): void;
}

/** Handles a key while a card is picked up: arrows move it, Space and Enter drop it, Escape puts it back. */
function onKeyOfPicked({ key }: KeyboardEvent, moves: Moves): boolean {
  if (isArrow(key)) moves.step(key);
  else if (key === " " || key === "Enter") moves.drop();
  else if (key === "Escape") moves.cancel();
  // The focus stays on the card until it is dropped.
  else return key === "Tab";
  return true;
}

/** Moves the focus to a list beside one: to a card, or to the button that adds one where none is shown. */
function focusSideways({ open, may, lists, isShown }: KeyContext, at: number, index: number, key: string): void {
  for (const { publicId, cardIds } of listsBeside(lists, at, key)) {
    const shown = cardIds.filter(isShown);
    const next = shown[Math.min(index, shown.length - 1)];
    if (next !== undefined) focusCard(open, next);
    else if (may("card:create")) focusList(open, publicId);
    else continue;
    return;
  }
}

function onKeyOfCard(context: KeyContext, event: KeyboardEvent, cardPublicId: string): boolean {
  const { open, may, lists, isShown, moves, actions } = context;
  const { selection } = open;
  const { altKey, shiftKey, target } = event;
  const key = keyPressed(event);
  if (altKey) {
    if (!isArrow(key) || !may("card:edit")) return false;
    moves.stepCard(cardPublicId, key);
    return true;
  }
  if (isSideways(key) && !shiftKey) {
    const at = lists.findIndex(({ cardIds }) => cardIds.includes(cardPublicId));
    focusSideways(context, at, lists[at]?.cardIds.filter(isShown).indexOf(cardPublicId) ?? 0, key);
    return true;
  }
  if (isArrow(key)) {
    const next = neighbourOf(lists, cardPublicId, key, isShown) ?? cardPublicId;
    if (shiftKey && may("card:edit")) selection.add([cardPublicId, next]);
    focusCard(open, next);
    return true;
  }
  if (key === " " && target instanceof HTMLAnchorElement && may("card:edit")) {
    moves.pickUp("card", cardPublicId, false);
    return true;
  }
  const ids = selection.ids.get();
  if (ids.size > 1 && ids.has(cardPublicId) && selection.bar?.press(key) === true) return true;
  const action = actions[key];
  action?.(cardPublicId);
  return action !== undefined;
}

function onKeyOfList(context: KeyContext, event: KeyboardEvent, listPublicId: string): boolean {
  const { open, may, lists, isShown, moves, compose } = context;
  const key = keyPressed(event);
  const at = lists.findIndex(({ publicId }) => publicId === listPublicId);
  if (event.altKey) {
    if (!isSideways(key) || !may("list:edit")) return false;
    moves.moveList(listPublicId, key === "ArrowLeft" ? at - 1 : at + 1);
    return true;
  }
  const shown = lists[at]?.cardIds.filter(isShown);
  const card = shown?.at(key === "ArrowUp" ? -1 : 0);
  if (isSideways(key)) focusSideways(context, at, 0, key);
  else if (isArrow(key) && card !== undefined) focusCard(open, card);
  else if (key === "n" && may("card:create")) compose(listPublicId);
  else if (key === "e") open.lists.get(listPublicId)?.rename.current?.();
  else return false;
  return true;
}

/** Handles the keys of the lists. */
export function useBoardKeys(openers: Openers): (event: KeyboardEvent<HTMLElement>) => void {
  const { followed, open, may } = useShownBoard();
  const moves = useMoves();
  const isShown = useIsShown();
  const actions = useCardActions(openers);
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.defaultPrevented || isCovered()) return;
    if (!(event.target instanceof Element)) return;
    const lists = followed.state().board?.lists ?? [];
    const context = { open, may, lists, isShown, moves, actions, compose: openers.compose };
    const cardPublicId = open.cards.idAt(event.target);
    const listPublicId = open.lists.idAt(event.target);
    if (isArrow(event.key)) open.isKeyboardNavigating.set(true);
    const isDone =
      open.moving.get() !== null
        ? onKeyOfPicked(event, moves)
        : cardPublicId !== undefined
          ? onKeyOfCard(context, event, cardPublicId)
          : listPublicId !== undefined && onKeyOfList(context, event, listPublicId);
    if (!isDone) return;
    event.preventDefault();
    if (open.moving.get() !== null) open.isKeyboardNavigating.set(true);
  };
}
