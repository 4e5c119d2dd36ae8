// Whatever leaves the page with the focus in it hands it on: nothing that the page does leaves the focus on nothing. A component that
// knows a better heir moves the focus there first.

import { focusOnce } from "./focusOnce.js";

/** An element that had the focus or was pressed, which Safari does not focus, and what was around it, the innermost first. */
type Place = readonly HTMLElement[];

const PLACES_MAX = 8;
const CONTROLS = "button, a, input, select, textarea, [tabindex]";
/** Parts of the page that give the focus back to where it came from. */
const OVER_THE_PAGE =
  "dialog, [role=dialog], [role=alertdialog], [role=menu], [role=listbox], [role=status], [role=alert]";

const places: Place[] = [];

function note(own: HTMLElement | null): void {
  // A press beside all controls takes the focus away.
  if (own === null) return void places.splice(0);
  if (places.at(-1)?.[0] === own) return;
  const place = [own];
  for (let at = own.parentElement; at !== null && at !== document.body; at = at.parentElement) place.push(at);
  places.push(place);
  if (places.length > PLACES_MAX) places.shift();
}

const isThere = (element: HTMLElement) => element.isConnected && element.checkVisibility();

/** The control that was focused or pressed last, of those that are there. Safari does not focus buttons that are pressed. */
export const latestControl = (): HTMLElement | undefined =>
  places.toReversed().flatMap(([own]) => (own !== undefined && isThere(own) ? [own] : []))[0];

/** The only control that is left around what has left, or else the heading of that part of the page, or of the page. */
function heirAt(element: HTMLElement): HTMLElement | null {
  const [control, ...others] = element.querySelectorAll<HTMLElement>(CONTROLS);
  if (control !== undefined && others.length === 0) return control;
  const part = element.closest("section, article, dialog, [role=dialog], main");
  const heading = part?.querySelector<HTMLElement>("h1, h2, h3");
  return heading ?? document.querySelector<HTMLElement>("main h1");
}

/** The element that takes the focus of the last place that has left. */
function heir(): HTMLElement | null {
  for (const place of places.toReversed()) {
    const [own] = place;
    if (own !== undefined && isThere(own)) return own;
    const around = place.find(isThere);
    if (around !== undefined && !place.some((one) => one.matches(OVER_THE_PAGE))) return heirAt(around);
    if (around?.closest("dialog, [role=dialog]")) return heirAt(around);
  }
  return document.querySelector<HTMLElement>("main h1, #content");
}

const isLost = () => {
  const [own] = places.at(-1) ?? [];
  return own !== undefined && !isThere(own) && (document.activeElement ?? document.body) === document.body;
};

/** Keeps the focus on something, from now on. */
export function keepFocus(): void {
  addEventListener("focusin", ({ target }) => note(target instanceof HTMLElement ? target : null), true);
  addEventListener(
    "pointerdown",
    ({ target }) => note(target instanceof Element ? target.closest(CONTROLS) : null),
    true,
  );
  let isWaiting = false;
  const look = () => {
    isWaiting = false;
    const next = isLost() ? heir() : null;
    if (next !== null) focusOnce(next);
  };
  new MutationObserver(() => {
    if (isWaiting || !isLost()) return;
    isWaiting = true;
    // Dialogs and menus hand the focus on a little later.
    requestAnimationFrame(() => setTimeout(look));
  }).observe(document.body, { childList: true, subtree: true });
}
