// Time zones by their IANA names, as input and as stored. A name counts only if Temporal knows it, which counts days in it: Intl
// knows more names, such as PST.

import { Temporal } from "temporal-polyfill";
import { z } from "zod";

/** The form of IANA names. Temporal also accepts offsets such as `+02:00` and whole date-times as a time zone. */
const TIME_ZONE_FORM = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

/** A time zone by its IANA name, in any case of letters. */
export const TimeZone = z
  .string()
  .max(64, { abort: true })
  .regex(TIME_ZONE_FORM, { error: "Must be an IANA time zone such as Europe/Rome", abort: true })
  .refine(isTimeZone, "This time zone does not exist");

/** The time zone in which a stored one is counted: UTC for one that this version does not know. */
export const knownTimeZone = (stored: string): string => (isTimeZone(stored) ? stored : "UTC");
