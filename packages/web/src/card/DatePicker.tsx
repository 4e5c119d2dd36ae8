import type { CardState } from "work-board-client/board";
import { useChange } from "../board/context.js";
import { localDay } from "../board/due.js";
import { addDays, dayOf, WEEK } from "../calendar/days.js";
import { Field } from "../parts/Field.js";
import { t } from "../texts/index.js";

/** Sets the day on which a card is due. */
export function DatePicker({ card, close }: { card: CardState; close: () => void }) {
  const change = useChange();
  const choose = (dueDate: string | null) => {
    change("card.update", { cardPublicId: card.publicId, dueDate });
    close();
  };
  const today = dayOf(new Date());
  const days: [string, string | null][] = [
    [t.card.today, today],
    [t.card.tomorrow, addDays(today, 1)],
    [t.card.nextWeek, addDays(today, WEEK)],
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
