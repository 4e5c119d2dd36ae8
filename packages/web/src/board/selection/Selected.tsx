import { useEffect } from "react";
import { lazyComponent, preloadAfterPaint } from "../../parts/lazyComponent.js";
import { useStore } from "../../store.js";
import { useShownBoard } from "../context.js";
import { selection, selectNone } from "./selection.js";

const SelectionBar = lazyComponent(() => import("./SelectionBar.js"));

/** The actions on the selected cards, while there are any. */
export function Selected() {
  const { followed } = useShownBoard();
  const isAny = useStore(selection, (ids) => ids.size > 0);
  useEffect(() => preloadAfterPaint(SelectionBar), []);
  // Another board begins with nothing selected.
  useEffect(() => selectNone, [followed]);
  return isAny && <SelectionBar />;
}
