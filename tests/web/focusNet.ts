// A net below every test in a browser: the focus is never lost, and what the page announces can be heard. It also gives Chromium the
// rule by which Safari focuses what is pressed.

import type { BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";

/** The page may hand the focus on this late, such as to what is loaded first. */
const LATE_MS = 1000;
/** Somebody who presses a key or a button this long after the focus was lost would have noticed. */
const NOTICED_MS = 150;

/**
 * Notices when what had the focus or was pressed has left, is hidden or disabled and nothing has taken the focus, or when a key leaves
 * it on nothing. A press on what takes no focus may do that.
 */
const LOST_FOCUS = `{
  let last = null;
  let isLeftByKey = false;
  let since = 0;
  let keyAt = -Infinity;
  let act = "the load";
  const isUsable = (one) =>
    one.isConnected && one.checkVisibility({ visibilityProperty: true }) && !one.disabled && !one.closest("[inert]");
  const hasFocus = () => document.activeElement !== null && document.activeElement !== document.body;
  const nameOf = (one) =>
    one.tagName.toLowerCase() + " " + JSON.stringify((one.ariaLabel || one.textContent || one.name || one.className).slice(0, 60));
  const look = (limit) => {
    if (hasFocus()) {
      last = document.activeElement;
      isLeftByKey = false;
    }
    const now = performance.now();
    if (hasFocus() || last === null || (isUsable(last) && !isLeftByKey)) since = 0;
    else if (since === 0) since = now;
    else if (now - since >= limit) {
      void lostFocus(nameOf(last) + " after " + act + " at " + location.pathname);
      last = null;
    }
  };
  addEventListener("focusin", () => look(0), true);
  addEventListener("focusout", ({ target, relatedTarget }) => {
    if (relatedTarget === null && performance.now() - keyAt < 200) isLeftByKey = isUsable(target);
  }, true);
  addEventListener("pointerdown", ({ target }) => {
    look(${NOTICED_MS});
    last = target.closest("button, a, input, select, textarea, [tabindex]");
    act = "a press";
    keyAt = -Infinity;
  }, true);
  addEventListener("keydown", ({ key }) => {
    look(${NOTICED_MS});
    keyAt = performance.now();
    act = key;
  }, true);
  setInterval(() => look(${LATE_MS}), 25);
}`;

/** Safari focuses no button, link or checkbox that is pressed, but what is around it and can have the focus, or nothing. */
const SAFARIS_RULE = `addEventListener("mousedown", (event) => {
  const pressed = event.target instanceof Element && event.target.closest("button, a[href], input[type=checkbox], input[type=radio]");
  if (!pressed || event.defaultPrevented || pressed.hasAttribute("tabindex")) return;
  event.preventDefault();
  const around = pressed.parentElement.closest("[tabindex], dialog[open]");
  if (around === null) document.activeElement?.blur();
  else around.focus({ preventScroll: true });
});`;

/**
 * Logs what a screen reader would say by itself. A region speaks only what comes into it after it stood empty in the document; an alert
 * also speaks when it is inserted.
 */
const ANNOUNCEMENTS = `{
  const LIVE = "[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]";
  const texts = new WeakMap();
  globalThis.announced = [];
  const look = () => {
    for (const region of document.querySelectorAll(LIVE)) {
      if (region.ariaLive === "off") continue;
      const text = region.textContent.trim();
      const before = texts.has(region) ? texts.get(region) : region.role === "alert" || text === "" ? "" : null;
      if (before !== null && text !== "" && text !== before) announced.push(text);
      // One that came with its text is never heard.
      texts.set(region, before === null ? null : text);
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
}`;

/** Spreads the net below all pages of a browser, which fails the test at its end. */
export async function spreadNet(context: BrowserContext, hasSafarisRule: boolean): Promise<void> {
  const lost: string[] = [];
  await context.exposeBinding("lostFocus", (_, what: string) => void lost.push(what));
  for (const script of [LOST_FOCUS, ANNOUNCEMENTS]) await context.addInitScript(script);
  if (hasSafarisRule) await context.addInitScript(SAFARIS_RULE);
  onTestFinished(() => expect(lost, "what lost the focus to nothing").toEqual([]));
}

/** What the page has announced since it was loaded, in order. */
export const announcedOn = (page: Page) => page.evaluate<string[]>("announced");
