import { useShownBoard } from "./context.js";
import { Undo } from "./moving/Undo.js";
import { Refusals } from "./Refusals.js";

/** Over the foot of the page: the last change while it can be taken back, and the changes that were refused. */
export function Toasts() {
  const { followed } = useShownBoard();
  return (
    <div className="toasts">
      <Undo of={followed} />
      <Refusals />
    </div>
  );
}
