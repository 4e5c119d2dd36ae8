import type { CardState } from "work-board-client/board";
import { useChange } from "../board/context.js";
import { localDay } from "../board/due.js";
import { Field } from "../parts/Field.js";
import { t } from "../texts/index.js";

const WEEK_DAYS = 7;

/** A local date as the service takes days. */
const dayOf = (date: Date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");

const inDays = (days: number) => {
  const now = new Date();
  return dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days));
};

/** Sets the day on which a card is due. */
export function DatePicker({ card, close }: { card: CardState; close: () => void }) {
  const change = useChange();
  const choose = (dueDate: string | null) => {
    change("card.update", { cardPublicId: card.publicId, dueDate });
    close();
  };
  const days: [string, string | null][] = [
    [t.card.today, inDays(0)],
    [t.card.tomorrow, inDays(1)],
    [t.card.nextWeek, inDays(WEEK_DAYS)],
    ...(card.dueDate === null ? [] : [[t.card.noDate, null] satisfies [string, null]]),
  ];
  return (
    <>
      <div className="list">
        {days.map(([name, day]) => (
          <button key={name} type="button" className="item" onClick={() => choose(day)}>
            {name}
          </button>
        ))}
      </div>
      <hr className="rule" />
      <form
        className="dates"
        onSubmit={(event) => {
          event.preventDefault();
          const day = String(new FormData(event.currentTarget).get("day"));
          if (day !== "") choose(day);
        }}
      >
        <Field
          label={t.card.date}
          name="day"
          type="date"
          defaultValue={
            card.dueDate === null ? "" : dayOf(localDay({ dueDate: card.dueDate, dueHasTime: card.dueHasTime }))
          }
        />
        <button type="submit" className="btn primary s">
          {t.card.save}
        </button>
      </form>
    </>
  );
}
