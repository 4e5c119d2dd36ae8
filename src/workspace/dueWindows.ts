// Conditions on the due date of a card. An instant lies in a period of a time zone, a day is one of its dates.

import { type SQL, sql } from "drizzle-orm";
import { bigints } from "../db/client.js";
import { card, workspace } from "../db/schema/index.js";
import type { CalendarWindow, WindowsByWeekStart } from "./calendarWindows.js";

/** Selects the bounds of the window for the week start of a workspace. */
export function windowBounds(windows: WindowsByWeekStart): SQL {
  const bound = (of: (window: CalendarWindow) => number) =>
    sql`to_timestamp((${bigints(windows.map(of))})[${workspace.weekStartDay} + 1]::float8 / 1000)`;
  return sql`
    ${bound(({ fromMs }) => fromMs)} as "from", ${bound(({ toMs }) => toMs)} as "to",
    ${bound(({ fromDayMs }) => fromDayMs)} as "fromDay", ${bound(({ toDayMs }) => toDayMs)} as "toDay"`;
}

/** Whether a card is due in a window, given the row that `windowBounds` selects. The first condition uses the index of due dates. */
export const isDueIn = (bounds: SQL): SQL => sql`
  ${card.dueDate} >= least(${bounds}."from", ${bounds}."fromDay") and ${card.dueDate} < greatest(${bounds}."to", ${bounds}."toDay")
  and case when ${card.dueHasTime} then ${card.dueDate} >= ${bounds}."from" and ${card.dueDate} < ${bounds}."to"
    else ${card.dueDate} >= ${bounds}."fromDay" and ${card.dueDate} < ${bounds}."toDay" end`;

/** Whether a card is past due at a time when it is a date for the reader, and not completed. A day is past when it has ended. */
export const isOverdue = (today: string): SQL => sql`
  ${card.completedAt} is null and ${card.dueDate} < case when ${card.dueHasTime} then now() else ${today}::timestamptz end`;
