import { Undo2, X } from "lucide";
import { useEffect } from "react";
import { ctrl } from "../../keys/caps.js";
import { keyPressed } from "../../keys/layouts.js";
import { isTyping } from "../../keys/singleKeys.js";
import { Icon } from "../../parts/Icon.js";
import { useStore } from "../../store.js";
import { t } from "../../texts/index.js";
import { Undoables } from "./undoables.js";

/** The last change of something, for as long as it can be taken back by its button or by Ctrl+Z. */
export function Undo({ of }: { of: Undoables }) {
  const latest = useStore(of.all, (all) => all.at(-1));
  useEffect(() => {
    if (latest === undefined) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const isUndo = keyPressed(event) === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      if (!isUndo || isTyping(event.target)) return;
      event.preventDefault();
      of.takeBack(latest);
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [of, latest]);
  return (
    <div role="status" aria-label={t.undo.lastChange}>
      {latest !== undefined && (
        <div key={latest.id} className="toast">
          <Icon of={Undo2} />
          <span className="grow" dir="auto">
            {latest.text}
          </span>
          <button type="button" className="btn plain s" onClick={() => of.takeBack(latest)}>
            <span>{t.undo.undo}</span>
            <span className="keys" aria-hidden="true">
              <kbd>{`${ctrl} Z`}</kbd>
            </span>
          </button>
          <button
            type="button"
            className="btn plain icon s"
            aria-label={t.dismiss}
            onClick={() => of.forget(latest.id)}
          >
            <Icon of={X} />
          </button>
        </div>
      )}
    </div>
  );
}

/** For pages that load later: if they imported it, every visit would load it in a file of its own. */
export const undoing = { Undo, Undoables };

export type Undoing = typeof undoing;
