// The keys that act anywhere on a page. Speech input and slips of the hand type letters, so that they can be switched off (WCAG
// 2.1.4); keys with Ctrl always act, and the keys of a card act on the card that has the focus alone.

import { useEffect, useRef } from "react";
import { storeOf } from "../parts/store.js";
import { stored } from "../stored.js";

const choice = stored("work-board.singleKeys");

/** Whether they act. */
export const singleKeys = storeOf(choice.get() !== "off");

export function switchSingleKeys(isOn: boolean): void {
  choice.set(isOn ? null : "off");
  singleKeys.set(isOn);
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Whether a dialog or a popover is open: keys of the page below it do not act then. */
export const isCovered = (): boolean =>
  document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], dialog[open]') !== null;

/** The longest time between two keys that act together. */
const SEQUENCE_MS = 1500;

/** Calls the action of a key, or of two keys in a row: `"g i"`. */
export function useSingleKeys(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    let first = { key: "", at: 0 };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || !singleKeys.get()) return;
      const key = event.key.toLowerCase();
      const isSecond = first.key !== "" && event.timeStamp - first.at < SEQUENCE_MS;
      const action = (isSecond ? latest.current[`${first.key} ${key}`] : undefined) ?? latest.current[key];
      first = { key, at: event.timeStamp };
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
