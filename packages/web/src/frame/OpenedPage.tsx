import { useEffect } from "react";
import { focusOnce } from "../parts/keepFocus.js";
import { storeOf, useStore } from "../store.js";
import { t } from "../texts/index.js";

const opened = storeOf("");
/** The browser itself announces the page that it loads, but not the one that follows the sign-in. */
let isFirst = true;

/** Has a screen reader say which page was opened. Its content takes the focus if the element that had it is gone. */
export function useOpened(page: string): void {
  useEffect(() => {
    if (isFirst) {
      isFirst = false;
      if (!navigator.userActivation.hasBeenActive) return;
    }
    opened.set(page);
    const content = document.getElementById("content");
    if (content === null || document.activeElement !== document.body) return;
    focusOnce(content);
  }, [page]);
}

/** The name of the page that was opened last, for screen readers. */
export const OpenedPage = () => (
  <div role="status" aria-label={t.frame.opened} className="sr">
    {useStore(opened, (page) => page)}
  </div>
);
