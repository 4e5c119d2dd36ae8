// Keyboards of other languages: words that an input method composes.

import type { Page } from "playwright-core";

/**
 * The orders in which browsers report the key that takes a word of an input method: Chromium and Firefox while the word is composed,
 * Safari after that. All of them give the key the code 229.
 */
export const ORDERS = ["while it is composed", "after it was composed"] as const;

/** Composes a word in the field that has the focus, and takes it by a key. */
export async function compose(page: Page, text: string, key: string, order: (typeof ORDERS)[number]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const press = () =>
    session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key, code: key, windowsVirtualKeyCode: 229 });
  await session.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  if (order === "while it is composed") await press();
  await session.send("Input.insertText", { text });
  if (order === "after it was composed") await press();
  await session.detach();
}

/** A key of a layout: its character, and its place on a Latin keyboard. */
export type LayoutKey = readonly [key: string, code: string];

const MODIFIERS = { none: 0, alt: 1, ctrl: 2, shift: 8 };

/** Presses a key of a layout, as browsers report it. */
export async function pressOn(
  page: Page,
  [key, code]: LayoutKey,
  modifier: keyof typeof MODIFIERS = "none",
): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const event = { key, code, modifiers: MODIFIERS[modifier] };
  const hasText = modifier === "none" || modifier === "shift";
  await session.send("Input.dispatchKeyEvent", { type: "keyDown", ...event, ...(hasText && { text: key }) });
  await session.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  await session.detach();
}
