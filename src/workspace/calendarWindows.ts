// The period that a calendar shows: the month, week or day that contains a date. Days begin in a time zone, so a day on which the
// clocks change has 23 or 25 hours (specification 4.12).

import { Temporal } from "temporal-polyfill";

/** Half-open, in milliseconds since 1970. It may extend beyond the years 0001 to 9999. */
export interface CalendarWindow {
  fromMs: number;
  toMs: number;
  /** The dates of the window, each as midnight UTC, whatever the time zone. */
  fromDayMs: number;
  toDayMs: number;
}

export type CalendarView = "month" | "week" | "day";

/** The current date in a time zone, `YYYY-MM-DD`. */
export const todayIn = (timeZone: string): string => Temporal.Now.plainDateISO(timeZone).toString();

const LENGTHS = { month: { months: 1 }, week: { weeks: 1 }, day: { days: 1 } };

/** The first day of a view; `weekStartDay` counts from 0, Sunday. */
function firstDay(view: CalendarView, anchor: Temporal.PlainDate, weekStartDay: number): Temporal.PlainDate {
  switch (view) {
    case "month":
      return anchor.with({ day: 1 });
    case "week":
      return anchor.subtract({ days: (anchor.dayOfWeek - weekStartDay + 7) % 7 });
    case "day":
      return anchor;
  }
}

/** If midnight is skipped when the clocks go forward, the day begins later. */
const startOf = (day: Temporal.PlainDate, timeZone: string) => day.toZonedDateTime(timeZone).epochMilliseconds;

/** The window of a view around an existing date (`YYYY-MM-DD`), in an existing time zone. */
export function windowOf(view: CalendarView, anchor: string, timeZone: string, weekStartDay: number): CalendarWindow {
  const first = firstDay(view, Temporal.PlainDate.from(anchor), weekStartDay);
  const end = first.add(LENGTHS[view]);
  return {
    fromMs: startOf(first, timeZone),
    toMs: startOf(end, timeZone),
    fromDayMs: startOf(first, "UTC"),
    toDayMs: startOf(end, "UTC"),
  };
}

/** The window of a view for each day on which weeks can begin, from 0, Sunday. */
export type WindowsByWeekStart = readonly CalendarWindow[];

export function windowsOf(view: CalendarView, day: string, timeZone: string): WindowsByWeekStart {
  const weekStartDays = view === "week" ? [0, 1, 2, 3, 4, 5, 6] : [0];
  const windows = weekStartDays.map((weekStartDay) => windowOf(view, day, timeZone, weekStartDay));
  return Array.from({ length: 7 }, (_, weekStartDay) => windows[weekStartDay % windows.length]).filter(
    (window) => window !== undefined,
  );
}
