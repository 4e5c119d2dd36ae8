import { useShownBoard } from "./context.js";
import { Undo } from "./moving/Undo.js";
import { Notice } from "./Notice.js";
import { Refusals } from "./Refusals.js";

/** Over the foot of the page: what was copied, the last change while it can be taken back, and the changes that were refused. */
export function Toasts() {
  const { open } = useShownBoard();
  return (
    <div className="toasts">
      <Notice />
      <Undo of={open.undoables} />
      <Refusals />
    </div>
  );
}
