import { Calendar, CircleCheck, Clock } from "lucide";
import { Icon } from "../parts/Icon.js";
import { t } from "../texts/index.js";
import { type Due, dueOf, inSentence } from "./due.js";

const ICONS = { later: Calendar, soon: Calendar, today: Clock, over: Clock, done: CircleCheck };

/** When a card is due, in one of five states. */
export function DueChip({ completedAt, ...due }: Due & { completedAt: string | null }) {
  const now = new Date();
  const words = dueOf(due, completedAt, now);
  const { state, text } = words;
  return (
    <span className={`chip due ${state}`}>
      <Icon of={ICONS[state]} />
      {inSentence(due, words, now) !== text && <span className="sr">{t.due.due("")}</span>}
      <span>{text}</span>
    </span>
  );
}
