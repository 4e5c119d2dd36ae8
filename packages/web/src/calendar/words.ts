// Days and times in words, as is usual where the reader is.

import { formatOf } from "../parts/times.js";
import { dateOf } from "./days.js";

const FORMATS = {
  day: formatOf({ weekday: "long", day: "numeric", month: "long" }),
  month: formatOf({ month: "long", year: "numeric" }),
  firstOfMonth: formatOf({ day: "numeric", month: "short" }),
  weekday: formatOf({ weekday: "short" }),
  time: formatOf({ hour: "2-digit", minute: "2-digit" }),
};

export const dayInWords = (day: string): string => FORMATS.day(dateOf(day));
export const monthInWords = (day: string): string => FORMATS.month(dateOf(day));
export const weekdayInWords = (day: string): string => FORMATS.weekday(dateOf(day));
export const timeInWords = (at: Date): string => FORMATS.time(at);

/** The number of a day, with its month where that begins. */
export const numberInWords = (day: string): string =>
  day.endsWith("-01") ? FORMATS.firstOfMonth(dateOf(day)) : String(dateOf(day).getDate());
