import { useEffect } from "react";
import { storeOf, useStore } from "../store.js";
import { t } from "../texts/index.js";

const opened = storeOf("");
/** The browser itself announces the first page. */
let isFirst = true;

/** Has a screen reader say which page was opened. Its content takes the focus if the element that had it is gone. */
export function useOpened(page: string): void {
  useEffect(() => {
    if (isFirst) {
      isFirst = false;
      return;
    }
    opened.set(page);
    const content = document.getElementById("content");
    if (content === null || document.activeElement !== document.body) return;
    content.tabIndex = -1;
    content.focus({ preventScroll: true });
    // A click beside a control would give it the focus.
    content.addEventListener("blur", () => content.removeAttribute("tabindex"), { once: true });
  }, [page]);
}

/** The name of the page that was opened last, for screen readers. */
export const OpenedPage = () => (
  <div role="status" aria-label={t.frame.opened} className="sr">
    {useStore(opened, (page) => page)}
  </div>
);
