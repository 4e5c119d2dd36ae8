// The keys that act anywhere on a page. Speech input and slips of the hand type letters, so that they can be switched off (WCAG
// 2.1.4); keys with Ctrl always act, and the keys of a card on the board act on the card that has the focus alone.

import { useEffect, useRef } from "react";
import { storeOf } from "../store.js";
import { stored } from "../stored.js";
import { keyPressed } from "./layouts.js";

const choice = stored("work-board.singleKeys");

/** Whether they act. */
export const singleKeys = storeOf(choice.get() !== "off");

export function switchSingleKeys(isOn: boolean): void {
  choice.set(isOn ? null : "off");
  singleKeys.set(isOn);
}

/** Whether letters go into a field. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.matches("textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])");

/** The dialog, popover or menu over all others, if one is open. */
const topmost = () =>
  document.querySelector("dialog[open]") ??
  [...document.querySelectorAll('[role="dialog"], [role="alertdialog"], [role="menu"]')].at(-1);

/** Whether a dialog, a popover or a menu is open: keys of the page below it do not act then. */
export const isCovered = (): boolean => topmost() !== undefined;

/** A place in which keys act while nothing is open over it: the page itself, or an open card. */
type Place = "page" | "card";

function placeOnTop(): Place | null {
  const top = topmost();
  if (top === undefined) return "page";
  return top.matches("[data-place=card]") ? "card" : null;
}

/** The longest time between two keys that act together. */
const SEQUENCE_MS = 1500;

/** Calls the action of a key, or of two keys in a row: `"g i"`. */
export function useSingleKeys(
  actions: Readonly<Record<string, () => void>>,
  places: readonly Place[] = ["page"],
): void {
  const latest = useRef({ actions, places });
  useEffect(() => {
    latest.current = { actions, places };
  });
  useEffect(() => {
    let first = { key: "", at: 0 };
    const isMeant = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
      return !isTyping(event.target) && singleKeys.get();
    };
    const act = (event: KeyboardEvent, keys: string) => {
      const action = latest.current.actions[keys];
      if (action === undefined || !latest.current.places.some((place) => place === placeOnTop())) return;
      event.preventDefault();
      action();
    };
    const onSecond = (event: KeyboardEvent) => {
      const { key, at } = first;
      first = { key: isMeant(event) ? keyPressed(event) : "", at: event.timeStamp };
      if (event.timeStamp - at < SEQUENCE_MS) act(event, `${key} ${first.key}`);
    };
    const onKeyDown = (event: KeyboardEvent) => isMeant(event) && act(event, keyPressed(event));
    // Ahead of the focused card, which has keys of its own.
    document.addEventListener("keydown", onSecond, true);
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("keydown", onSecond, true);
      document.removeEventListener("keydown", onKeyDown);
    };
  }, []);
}
