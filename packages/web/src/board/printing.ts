import { useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

let isPrinting = false;

function onPrinting(listener: () => void): () => void {
  const turn = (next: boolean) => () => {
    isPrinting = next;
    // The browser takes the page as it is when the event ends.
    flushSync(listener);
  };
  const [begin, end] = [turn(true), turn(false)];
  addEventListener("beforeprint", begin);
  addEventListener("afterprint", end);
  return () => {
    removeEventListener("beforeprint", begin);
    removeEventListener("afterprint", end);
  };
}

/** Whether the page is being printed: then a long list has to be there as a whole. */
export const usePrinting = (): boolean => useSyncExternalStore(onPrinting, () => isPrinting);
