import { useEffect } from "react";

let holds = 0;

/** Whether something is shown that would be lost if the page was loaded anew. */
export const isHeld = (): boolean => holds > 0;

/** Keeps the page from being loaded anew after an upgrade, as long as the component is shown. */
export function useHold(): void {
  useEffect(() => {
    holds += 1;
    return () => {
      holds -= 1;
    };
  }, []);
}
