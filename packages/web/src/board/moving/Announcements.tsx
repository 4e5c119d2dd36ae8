import { useStore } from "../../store.js";
import { t } from "../../texts/index.js";
import { useShownBoard } from "../context.js";

/** The words that a screen reader says while things are moved. */
export function Announcements() {
  const { open } = useShownBoard();
  const text = useStore(open.announcement, (value) => value);
  return (
    // An open card hides the page below it, except for what says that it is live.
    <div role="status" aria-live="polite" aria-label={t.moving.announcements} className="sr">
      {text}
    </div>
  );
}
