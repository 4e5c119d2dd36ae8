// Days of the reader's time zone, as the service takes them: 2026-12-24.

export const WEEK = 7;

export const twoDigits = (part: number) => String(part).padStart(2, "0");

/** The local date of a moment. */
export const dayOf = (date: Date): string =>
  [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join("-");

/** The beginning of a day. */
export function dateOf(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date);
}

export function addDays(day: string, days: number): string {
  const date = dateOf(day);
  return dayOf(new Date(date.getFullYear(), date.getMonth(), date.getDate() + days));
}

/** The same day of another month, or the last one of it. */
export function addMonths(day: string, months: number): string {
  const date = dateOf(day);
  const last = new Date(date.getFullYear(), date.getMonth() + months + 1, 0).getDate();
  return dayOf(new Date(date.getFullYear(), date.getMonth() + months, Math.min(date.getDate(), last)));
}

/** The first day of a week; `weekStartDay` counts from 0, Sunday. */
export const firstOfWeek = (day: string, weekStartDay: number): string =>
  addDays(day, -((dateOf(day).getDay() - weekStartDay + WEEK) % WEEK));

export type View = "month" | "week";

/** The first days of the weeks that a view shows. */
export function weeksOf(view: View, day: string, weekStartDay: number): string[] {
  if (view === "week") return [firstOfWeek(day, weekStartDay)];
  const date = dateOf(day);
  const last = dayOf(new Date(date.getFullYear(), date.getMonth() + 1, 0));
  const weeks: string[] = [];
  let week = firstOfWeek(`${day.slice(0, -2)}01`, weekStartDay);
  while (week <= last) {
    weeks.push(week);
    week = addDays(week, WEEK);
  }
  return weeks;
}

export const daysOf = (week: string): string[] => Array.from({ length: WEEK }, (_, index) => addDays(week, index));
