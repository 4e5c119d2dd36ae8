// Converts PostgreSQL's format of instants to that of this service.

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
