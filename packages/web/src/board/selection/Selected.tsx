import { useEffect } from "react";
import { lazyComponent, preloadAfterPaint } from "../../parts/lazyComponent.js";
import { useStore } from "../../store.js";
import { useShownBoard } from "../context.js";

const SelectionBar = lazyComponent(() => import("./SelectionBar.js"));

/** The actions on the selected cards, while there are any. */
export function Selected() {
  const { open } = useShownBoard();
  const isAny = useStore(open.selection.ids, (ids) => ids.size > 0);
  useEffect(() => preloadAfterPaint(SelectionBar), []);
  // Another board begins with nothing selected.
  useEffect(() => () => open.selection.clear(), [open]);
  return isAny && <SelectionBar />;
}
