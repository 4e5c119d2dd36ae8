// The keys of the focused card, at the foot of the board. Loaded with the board, and shown while somebody walks by keys.

import { useEffect } from "react";
import { capOf } from "../keys/caps.js";
import { singleKeys } from "../keys/singleKeys.js";
import * as styles from "../parts/KeyLine.module.css";
import { useStore } from "../store.js";
import { texts } from "../texts/later.js";
import { useShownBoard } from "./context.js";

interface Props {
  canEdit: boolean;
  /** Called when the mouse is used again. */
  close: () => void;
}

export default function KeyLine({ canEdit, close }: Props) {
  const { open } = useShownBoard();
  useEffect(() => {
    // Browsers also report a move when the page moves below a mouse that stands still.
    const onMove = ({ movementX, movementY }: PointerEvent) => (movementX !== 0 || movementY !== 0) && close();
    addEventListener("pointermove", onMove);
    // Not when the button is pressed: what is clicked would move away below the pointer.
    addEventListener("click", close);
    return () => {
      removeEventListener("pointermove", onMove);
      removeEventListener("click", close);
      close();
    };
  }, [close]);
  const { name, nameOfHeld, read, edit, move, all } = texts.keys.line;
  const isPicked = useStore(open.moving, (thing) => thing?.isDragged === false);
  const shown = isPicked ? move : [...read, ...(canEdit ? edit : [])];
  return (
    <div className={styles.keyline} role="note" aria-label={isPicked ? nameOfHeld : name}>
      <div className={styles.hints}>
        {shown.map(([does, ...caps]) => (
          <Hint key={does} does={does} caps={caps} />
        ))}
      </div>
      {!isPicked && singleKeys.get() && <Hint does={all} caps={["?"]} />}
    </div>
  );
}

const Hint = ({ does, caps }: { does: string | undefined; caps: readonly string[] }) => (
  <span>
    <kbd>{caps.map(capOf).join(" ")}</kbd>
    <span>{does}</span>
  </span>
);
