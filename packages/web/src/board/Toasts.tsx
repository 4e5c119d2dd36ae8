import { Undo } from "./moving/Undo.js";
import { Refusals } from "./Refusals.js";

/** Over the foot of the page: the last change while it can be taken back, and the changes that were refused. */
export const Toasts = () => (
  <div className="toasts">
    <Undo />
    <Refusals />
  </div>
);
