// The newest change, and the keys that take changes back and make them again. Loaded once a board or a calendar stands.

import { OctagonAlert, Undo2, X } from "lucide";
import { useEffect } from "react";
import { ctrl } from "../../keys/caps.js";
import { keyPressed } from "../../keys/layouts.js";
import { isTyping } from "../../keys/singleKeys.js";
import { announce } from "../../parts/announce.js";
import { Icon } from "../../parts/Icon.js";
import { useStore } from "../../store.js";
import { t } from "../../texts/index.js";
import { texts } from "../../texts/later.js";
import { useShownBoard } from "../context.js";
import { notice } from "../Notice.js";
import { historyOf } from "./history.js";
import { sentenceOf } from "./sentences.js";
import type { Side, Sides, Undoables } from "./undoables.js";

interface Props<Part extends Sides<unknown>> {
  of: Undoables<Part>;
}

/** Takes the newest change back, or makes the last one again, and says so. Whoever sees the page sees what was not done. */
function turn<Part extends Sides<unknown>>(of: Undoables<Part>, side: Side): void {
  const outcome = side === "before" ? of.takeBack() : of.makeAgain();
  const sentence = sentenceOf(outcome, side);
  if (outcome === null || outcome.changed + outcome.gone > 0) notice(sentence, OctagonAlert);
  else announce(sentence);
}

function useKeys<Part extends Sides<unknown>>(of: Undoables<Part>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isMeant = keyPressed(event) === "z" && (event.ctrlKey || event.metaKey) && !event.altKey;
      // In a field they are the field's own.
      if (!isMeant || event.defaultPrevented || isTyping(event.target)) return;
      event.preventDefault();
      turn(of, event.shiftKey ? "after" : "before");
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [of]);
}

/** The last change of something, while it is offered to take it back. */
export function Undo<Part extends Sides<unknown>>({ of }: Props<Part>) {
  const latest = useStore(of.offered, (entry) => entry);
  useKeys(of);
  const hold = () => of.hold(true);
  const release = () => of.hold(false);
  return (
    <div role="status" aria-live="off" aria-label={texts.undo.lastChange}>
      {latest !== null && (
        // biome-ignore lint/a11y/noStaticElementInteractions: it stays while somebody points at it
        <div
          className="toast"
          onPointerEnter={hold}
          onPointerLeave={release}
          onFocus={hold}
          onBlur={({ currentTarget, relatedTarget }) => !currentTarget.contains(relatedTarget) && release()}
        >
          <Icon of={Undo2} />
          <span className="grow" dir="auto">
            {latest.text}
          </span>
          <button type="button" className="btn plain s" onClick={() => turn(of, "before")}>
            <span>{texts.undo.undo}</span>
            <span className="keys" aria-hidden="true">
              <kbd>{`${ctrl} Z`}</kbd>
            </span>
          </button>
          <button type="button" className="btn plain icon s" aria-label={t.dismiss} onClick={() => of.dismiss()}>
            <Icon of={X} />
          </button>
        </div>
      )}
    </div>
  );
}

/** The last change of the shown board. */
export default function UndoOfBoard() {
  const { open } = useShownBoard();
  return <Undo of={historyOf(open)} />;
}
