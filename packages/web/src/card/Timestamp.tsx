import { datesLang, FORMATS, formatOf } from "../parts/times.js";

const dayAndTime = formatOf({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const whole = formatOf({ dateStyle: "full", timeStyle: "short" });

/** When something happened: as short as the reader needs it. */
export function Timestamp({ at }: { at: string }) {
  const [date, now] = [new Date(at), new Date()];
  const isToday = date.toDateString() === now.toDateString();
  const isThisYear = date.getFullYear() === now.getFullYear();
  const format = isToday ? FORMATS.time : isThisYear ? dayAndTime : FORMATS.dayOfYear;
  return (
    <time lang={datesLang} dateTime={at} title={whole(date)}>
      {format(date)}
    </time>
  );
}
