import { useEffect } from "react";
import { lazyComponent, preloadAfterPaint } from "../parts/lazyComponent.js";
import { Notice } from "./Notice.js";
import { Refusals } from "./Refusals.js";

const Undo = lazyComponent(() => import("./undo/Undo.js"));

/** Over the foot of the page: what was copied, the last change while it can be taken back, and the changes that were refused. */
export function Toasts() {
  useEffect(() => preloadAfterPaint(Undo), []);
  return (
    <div className="toasts">
      <Notice />
      <Undo />
      <Refusals />
    </div>
  );
}
