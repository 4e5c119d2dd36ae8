import { texts } from "../texts/later.js";
import { addDays, dayOf, WEEK } from "./days.js";
import { Field } from "./Field.js";
import { onSubmit } from "./onSubmit.js";
import * as picker from "./Picker.module.css";

interface Props {
  /** The chosen day. */
  day: string | null;
  canClear: boolean;
  choose: (day: string | null) => void;
}

/** A day: a near one, or any by its date. */
export function DayChoice({ day: chosen, canClear, choose }: Props) {
  const today = dayOf(new Date());
  const days: [string, string | null][] = [
    [texts.days.today, today],
    [texts.days.tomorrow, addDays(today, 1)],
    [texts.days.nextWeek, addDays(today, WEEK)],
    ...(canClear ? [[texts.card.noDate, null] satisfies [string, null]] : []),
  ];
  return (
    <>
      <div className={picker.list}>
        {days.map(([name, day]) => (
          <button key={name} type="button" className="item" onClick={() => choose(day)}>
            {name}
          </button>
        ))}
      </div>
      <hr className="rule" />
      <form
        className={picker.dates}
        onSubmit={onSubmit((values) => {
          const day = String(values.get("day"));
          if (day !== "") choose(day);
        })}
      >
        <Field label={texts.days.date} name="day" type="date" defaultValue={chosen ?? ""} />
        <button type="submit" className="btn primary s">
          {texts.card.save}
        </button>
      </form>
    </>
  );
}
