import { storeOf, useStore } from "../../store.js";
import { t } from "../../texts/index.js";

const said = storeOf("");

/** Has a screen reader say how moving goes. */
export const say = (text: string): void => said.set(text);

/** The words that a screen reader says while things are moved. */
export function Announcements() {
  const text = useStore(said, (value) => value);
  return (
    // An open card hides the page below it, except for what says that it is live.
    <div role="status" aria-live="polite" aria-label={t.moving.announcements} className="sr">
      {text}
    </div>
  );
}
