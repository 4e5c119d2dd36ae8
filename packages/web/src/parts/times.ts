// Times in words, as is usual where the reader is.

const formatOf = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(undefined, options);
const FORMATS = {
  time: formatOf({ hour: "2-digit", minute: "2-digit" }),
  day: formatOf({ day: "numeric", month: "short" }),
  dayOfYear: formatOf({ day: "numeric", month: "short", year: "numeric" }),
};

/** The time of today, the day of this year, or the date. */
export function shortTime(at: string, now: Date): string {
  const date = new Date(at);
  if (date.toDateString() === now.toDateString()) return FORMATS.time.format(date);
  return (date.getFullYear() === now.getFullYear() ? FORMATS.day : FORMATS.dayOfYear).format(date);
}
