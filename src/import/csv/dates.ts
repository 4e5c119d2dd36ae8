// Reads due dates in the formats of people and other tools (contract, "4.2 columns").

import { dayOf, instantFrom, instantOfMatch } from "../../db/instants.js";
import { monthNamed } from "./months.js";

/** A due date, as a day or as an instant in UTC, or the reason why the cell has none. */
type DueDate = { dueDate: string } | { problem: "ambiguousDate" | "invalidDate" };

/** The order of two numbers before the year. */
export type DayOrder = "dayFirst" | "monthFirst";

const isoExpression =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?: ?(?:Z|([+-])(\d{2})(?::?(\d{2}))?))?)?$/;

/** Groups: hour, minute, second, `a` or `p`, sign, hours and minutes of the offset. */
const TIME = [
  String.raw`(?:(?:,? (?:at |à |um )?|T)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?: ?([ap])\.?m\.?)?`,
  String.raw`(?: ?(?:Z|UTC|GMT)?(?: ?([+-])(\d{2}):?(\d{2}))?)?(?: \([^()]*\))?)?`,
].join("");
const WEEKDAY = String.raw`(?:\p{L}+\.?,? )?`;
const MONTH = String.raw`(\p{L}+)\.?`;

const dateExpression = (date: string) => new RegExp(`^${date}${TIME}$`, "iu");
const yearFirst = dateExpression(String.raw`(\d{4})([-/.])(\d{1,2})\2(\d{1,2})`);
const eastAsian = dateExpression(String.raw`(\d{4}) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?日`);
const yearLast = dateExpression(String.raw`(\d{1,2})([-/.])(\d{1,2})\2(\d{4})`);
const monthThenDay = dateExpression(String.raw`${WEEKDAY}${MONTH} (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})`);
const dayThenMonth = dateExpression(
  String.raw`${WEEKDAY}(\d{1,2})(?:\.|º|er|st|nd|rd|th)?[ /-](?:de )?${MONTH}[ /-](?:de )?(\d{4}|\d{2})`,
);

/**
 * Reads a cell that is not blank: ISO 8601 (UTC without a zone, a day without a time), the same with a blank for the `T`, year,
 * month and day in other forms, or a day with the name of its month. If day and month are numbers before the year, only an order
 * that gives a valid date counts, then the given order, then, with dots, day before month.
 */
export function readDueDate(cell: string, order: DayOrder | null = null): DueDate {
  const text = textOf(cell);
  const dueDate = readIso(text) ?? readYearFirst(text) ?? readNamed(text);
  if (dueDate !== null) return { dueDate };
  const match = yearLast.exec(text);
  if (match === null) return { problem: "invalidDate" };

  const { dayFirst, monthFirst } = readingsOf(match);
  const isAmbiguous = dayFirst !== null && monthFirst !== null && dayFirst !== monthFirst;
  if (!isAmbiguous) return asDueDate(dayFirst ?? monthFirst);
  const [, , separator] = match;
  if (order === null && separator !== ".") return { problem: "ambiguousDate" };
  return asDueDate(order === "monthFirst" ? monthFirst : dayFirst);
}

/** The order of day and month on which all unambiguous dates of a column agree; null if they do not, or if there are none. */
export function dayOrderOf(cells: Iterable<string>): DayOrder | null {
  let order: DayOrder | null = null;
  for (const cell of cells) {
    const match = yearLast.exec(textOf(cell));
    if (match === null) continue;
    const { dayFirst, monthFirst } = readingsOf(match);
    if ((dayFirst === null) === (monthFirst === null)) continue;
    const only: DayOrder = dayFirst === null ? "monthFirst" : "dayFirst";
    if (order !== null && order !== only) return null;
    order = only;
  }
  return order;
}

/** The end of a range such as `May 1, 2027 → May 13, 2027`. Spreadsheets write narrow and fixed blanks into times. */
const textOf = (cell: string) => (cell.split("→").at(-1) ?? "").trim().replace(/[\u00a0\u202f]/g, " ");

const asDueDate = (dueDate: string | null): DueDate => (dueDate === null ? { problem: "invalidDate" } : { dueDate });

function readIso(text: string): string | null {
  const match = isoExpression.exec(text);
  return match === null ? null : dateOf(instantOfMatch(match), match[4]);
}

function readYearFirst(text: string): string | null {
  const numbers = yearFirst.exec(text);
  if (numbers !== null) {
    const [, year, , month, day, ...time] = numbers;
    return dateFrom(year, Number(month), day, time);
  }
  const match = eastAsian.exec(text);
  if (match === null) return null;
  const [, year, month, day, ...time] = match;
  return dateFrom(year, Number(month), day, time);
}

function readNamed(text: string): string | null {
  const american = monthThenDay.exec(text);
  if (american !== null) {
    const [, month, day, year, ...time] = american;
    return dateFrom(year, monthNamed(month), day, time);
  }
  const match = dayThenMonth.exec(text);
  if (match === null) return null;
  const [, day, month, year, ...time] = match;
  return dateFrom(year, monthNamed(month), day, time);
}

function readingsOf([, first, , second, year, ...time]: readonly string[]) {
  return {
    dayFirst: dateFrom(year, Number(second), first, time),
    monthFirst: dateFrom(year, Number(first), second, time),
  };
}

/** A year of two digits is in 1970 to 2069. */
function fullYear(year: string): number {
  if (year.length !== 2) return Number(year);
  return Number(year) + (Number(year) < 70 ? 2000 : 1900);
}

/** A day if the cell has no hour. */
const dateOf = (instant: string | null, hour: string | undefined) =>
  instant === null || hour !== undefined ? instant : dayOf(instant);

/** `time` has the groups of {@link TIME}; if they are missing, it is a day. */
function dateFrom(year = "", month: number | null, day = "", time: readonly (string | undefined)[]): string | null {
  const [hour = "0", minute = "0", second = "0", half, sign, offsetHours = "0", offsetMinutes = "0"] = time;
  if (month === null || Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return null;
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return null;
  const isAfternoon = half?.toLowerCase() === "p";
  const instant = instantFrom({
    year: fullYear(year),
    month,
    day: Number(day),
    hour: half === undefined ? Number(hour) : (Number(hour) % 12) + (isAfternoon ? 12 : 0),
    minute: Number(minute),
    second: Number(second),
    millisecond: 0,
    offsetMinutes: (sign === "-" ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes)),
  });
  return dateOf(instant, time[0]);
}
