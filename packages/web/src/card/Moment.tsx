import { formatOf } from "../parts/times.js";

const TIME: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };
const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" };
const FORMATS = {
  today: formatOf(TIME),
  year: formatOf({ ...DAY, ...TIME }),
  other: formatOf({ ...DAY, year: "numeric" }),
};
const WHOLE = formatOf({ dateStyle: "full", timeStyle: "short" });

/** When something happened: as short as the reader needs it. */
export function Moment({ at }: { at: string }) {
  const [date, now] = [new Date(at), new Date()];
  const isToday = date.toDateString() === now.toDateString();
  const isThisYear = date.getFullYear() === now.getFullYear();
  const kind = isToday ? "today" : isThisYear ? "year" : "other";
  return (
    <time dateTime={at} title={WHOLE(date)}>
      {FORMATS[kind](date)}
    </time>
  );
}
