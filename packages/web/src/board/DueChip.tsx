import { Calendar, CircleCheck, Clock } from "lucide";
import { Icon } from "../parts/Icon.js";
import { type Due, dueOf } from "./due.js";

const ICONS = { later: Calendar, soon: Calendar, today: Clock, over: Clock, done: CircleCheck };

/** When a card is due, in one of five states. */
export function DueChip({ completedAt, ...due }: Due & { completedAt: string | null }) {
  const { state, text } = dueOf(due, completedAt, new Date());
  return (
    <span className={`chip due ${state}`}>
      <Icon of={ICONS[state]} />
      <span>{text}</span>
    </span>
  );
}
