// Days and times in words, as is usual where the reader is.

import { dateOf } from "../parts/days.js";
import { FORMATS, formatOf } from "../parts/times.js";

const wholeDay = formatOf({ weekday: "long", day: "numeric", month: "long" });
const month = formatOf({ month: "long", year: "numeric" });
const weekday = formatOf({ weekday: "short" });

export const dayInWords = (day: string): string => wholeDay(dateOf(day));
export const monthInWords = (day: string): string => month(dateOf(day));
export const weekdayInWords = (day: string): string => weekday(dateOf(day));
export const timeInWords = FORMATS.time;

/** The number of a day, with its month where that begins. */
export const numberInWords = (day: string): string =>
  day.endsWith("-01") ? FORMATS.day(dateOf(day)) : String(dateOf(day).getDate());
