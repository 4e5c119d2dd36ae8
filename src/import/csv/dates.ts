// Reads due dates as people and other tools write them into spreadsheets (contract, "4.2 columns").

import { instantFrom, instantOfMatch } from "../../api/instants.js";

/** A due date in UTC, or why the cell gives none. */
export type DueDate = { dueDate: string } | { problem: "ambiguousDate" | "invalidDate" };

const isoExpression =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?: ?(?:Z|([+-])(\d{2})(?::?(\d{2}))?))?)?$/;
const slashExpression = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

/**
 * Reads a cell that is not blank: ISO 8601 (UTC where it names no zone, midnight where it names no time), the same with
 * a blank for the `T`, or day and month with slashes where only one order of the two exists.
 */
export function readDueDate(cell: string): DueDate {
  const text = cell.trim();
  return readIso(text) ?? readSlashes(text) ?? { problem: "invalidDate" };
}

function readIso(text: string): DueDate | null {
  const match = isoExpression.exec(text);
  const dueDate = match === null ? null : instantOfMatch(match);
  return dueDate === null ? null : { dueDate };
}

function readSlashes(text: string): DueDate | null {
  const match = slashExpression.exec(text);
  if (match === null) return null;
  const [first, second, year] = match.slice(1).map(Number);
  if (first === undefined || second === undefined || year === undefined) return null;

  const dayFirst = midnight(year, second, first);
  const monthFirst = midnight(year, first, second);
  if (dayFirst !== null && monthFirst !== null && dayFirst !== monthFirst) return { problem: "ambiguousDate" };
  const dueDate = dayFirst ?? monthFirst;
  return dueDate === null ? null : { dueDate };
}

function midnight(year: number, month: number, day: number): string | null {
  return instantFrom({ year, month, day, hour: 0, minute: 0, second: 0, millisecond: 0, offsetMinutes: 0 });
}
