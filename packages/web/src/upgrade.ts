// A page that was opened before an upgrade of the service is loaded anew while nobody looks at it.

import { isWaiting } from "./board/followed.js";
import { isHeld } from "./parts/hold.js";
import { isSessionOver, onAnswer } from "./requests.js";
import { queryClient } from "./session/queryClient.js";

const TEXT_FIELDS = "textarea, input:not([type=checkbox], [type=radio])";

/** The fields that had the focus, each with its value before. React sets the default value to whatever is typed. */
const values = new WeakMap<EventTarget, string>();

document.addEventListener("focusin", ({ target }) => {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (isField && !values.has(target)) values.set(target, target.value);
});

/** Whether something was typed that loading anew would lose. */
const isTyped = (): boolean =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(TEXT_FIELDS)].some(
    (field) =>
      field.value !== (values.get(field) ?? field.value) || (field.value !== "" && field === document.activeElement),
  );

/** Whether something is done, typed or shown that loading anew would lose. */
const isBusy = (): boolean =>
  isWaiting() || queryClient.isMutating() > 0 || isHeld() || isTyped() || isSessionOver.get();

/** While an upgrade is under way, services of both versions may answer: a page is loaded anew at most so often. */
const LEAST_AGE_MS = 10_000;

/** Loads the page anew once the service answers as another version than at first, the page is hidden, and nothing waits. */
export function reloadAfterUpgrade(): void {
  let first: string | null = null;
  let isOld = false;
  const reload = () => {
    if (!isOld || document.visibilityState !== "hidden" || performance.now() < LEAST_AGE_MS) return;
    if (!isBusy()) location.reload();
  };
  onAnswer(({ headers }) => {
    const version = headers.get("service-version");
    first ??= version;
    isOld ||= version !== null && version !== first;
    reload();
  });
  document.addEventListener("visibilitychange", reload);
}
