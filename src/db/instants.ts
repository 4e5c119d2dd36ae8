// Timestamps as PostgreSQL writes them, as clients send them and as files hold them, in the format of this service.

const POSTGRES_INSTANT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:\+00)?$/;

/**
 * Turns a timestamptz or timestamp of a UTC session (`2026-11-20 09:30:00.12+00`) into ISO 8601 with milliseconds
 * (`2026-11-20T09:30:00.120Z`), cutting off microseconds. Throws RangeError outside the years 0001 to 9999.
 */
export function isoInstant(text: string): string {
  const [, day, time, fraction = ""] = POSTGRES_INSTANT.exec(text) ?? [];
  if (!day) throw new RangeError(`Not an instant of the years 0001 to 9999 in UTC: ${text}`);
  return `${day}T${time}.${fraction.slice(0, 3).padEnd(3, "0")}Z`;
}

const YEAR = "(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})";
const DATE = `${YEAR}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])`;
const HOUR_AND_MINUTE = "([01][0-9]|2[0-3]):([0-5][0-9])";
const TIME = `${HOUR_AND_MINUTE}(?::([0-5][0-9])(?:\\.([0-9]{1,9}))?)?`;

/**
 * The source of a regular expression for what {@link readInstant} accepts. It does not exclude days that do not exist (2026-02-30)
 * or instants that their offset moves out of the years 0001 to 9999. Portable: ASCII digits, no lookaround, no named groups.
 */
export const INSTANT_PATTERN = `^${DATE}(?:T${TIME}(?:Z|([+-])${HOUR_AND_MINUTE}))?$`;

const instantExpression = new RegExp(INSTANT_PATTERN);

/** A date and a time of day; `month` and `day` count from 1, `offsetMinutes` is east of UTC. */
interface CalendarFields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
  offsetMinutes: number;
}

/** ISO 8601 in UTC with milliseconds, or null when no such day or time exists or the year in UTC is not 1 to 9999. */
export function instantFrom(fields: CalendarFields): string | null {
  const { year, month, day, hour, minute, second, millisecond, offsetMinutes } = fields;
  if (hour > 23 || minute > 59 || second > 59) return null;
  // Date.UTC interprets years below 100 as 1900 and later.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;

  date.setUTCHours(hour, minute - offsetMinutes, second, millisecond);
  const yearInUtc = date.getUTCFullYear();
  return yearInUtc >= 1 && yearInUtc <= 9999 ? date.toISOString() : null;
}

/** The digits after a decimal point as whole milliseconds; further digits are cut off. */
const millisecondsFrom = (fraction: string): number => Number(fraction.slice(0, 3).padEnd(3, "0"));

/**
 * The instant that the groups of a match give: year, month, day, hour, minute, second, fraction, sign, offset hours and minutes.
 * Missing parts count as 0 and UTC. Null as well for an offset of a day or more, or of an hour and more minutes than it has.
 */
export function instantOfMatch(match: RegExpExecArray): string | null {
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = ""] = match;
  const [sign = "+", offsetHours = "0", offsetMinutes = "0"] = match.slice(8);
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return null;
  return instantFrom({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: millisecondsFrom(fraction),
    offsetMinutes: (sign === "-" ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes)),
  });
}

const DAY_LENGTH = "2026-12-24".length;

/** Whether something that {@link readInstant} reads is a bare date. */
export const isDay = (date: string): boolean => date.length === DAY_LENGTH;

/** The date of an instant in UTC. */
export const dayOf = (instant: string): string => instant.slice(0, DAY_LENGTH);

/**
 * Reads a timestamp of the API (contract, section 1): a date-time with `Z` or `±hh:mm`, seconds optional, one to nine
 * digits of fraction cut to milliseconds; or a bare date, midnight UTC. Null for anything else.
 */
export function readInstant(text: string): string | null {
  const match = instantExpression.exec(text);
  return match === null ? null : instantOfMatch(match);
}
