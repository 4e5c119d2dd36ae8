import { useEffect } from "react";
import { announce } from "../parts/announce.js";
import { focusOnce } from "../parts/focusOnce.js";

/** The browser itself announces the page that it loads, but not the one that follows the sign-in. */
let isFirst = true;

/** Has a screen reader say which page was opened. Its content takes the focus if the element that had it is gone. */
export function useOpened(page: string): void {
  useEffect(() => {
    if (isFirst) {
      isFirst = false;
      if (!navigator.userActivation.hasBeenActive) return;
    }
    announce(page);
    const content = document.getElementById("content");
    if (content === null || document.activeElement !== document.body) return;
    focusOnce(content);
  }, [page]);
}
