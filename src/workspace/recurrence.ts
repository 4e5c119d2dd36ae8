// The occurrences of a meeting: the first one and those that follow from its recurrence, calculated in UTC (contract section 2,
// 4.3).

import { Temporal } from "temporal-polyfill";

export type Recurrence = "none" | "daily" | "weekly" | "biweekly" | "monthly";

const DAY_MS = 86_400_000;
const STEPS_MS = { daily: DAY_MS, weekly: 7 * DAY_MS, biweekly: 14 * DAY_MS };

const inUtc = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO("UTC");

/** An occurrence by its number of steps from the first, from which months are counted: only it can be on the 31st. */
function nth(steps: number, firstMs: number, recurrence: Exclude<Recurrence, "none">): number {
  if (recurrence !== "monthly") return firstMs + steps * STEPS_MS[recurrence];
  return inUtc(firstMs).add({ months: steps }).epochMilliseconds;
}

/** A number of steps that skips no occurrence after an instant, and includes at most one before it. */
function stepsTo(ms: number, firstMs: number, recurrence: Exclude<Recurrence, "none">): number {
  if (recurrence !== "monthly") return Math.max(0, Math.ceil((ms - firstMs) / STEPS_MS[recurrence]));
  const [first, then] = [inUtc(firstMs), inUtc(ms)];
  return Math.max(0, (then.year - first.year) * 12 + then.month - first.month);
}

/**
 * The occurrences from `from` (inclusive) to `to` (exclusive) in order, as ISO 8601 in UTC; none for an unplanned meeting. In a
 * month without the day of a monthly meeting, it takes place on the last day.
 */
export function occurrencesOf(
  { scheduledAt, recurrence }: { scheduledAt: string | null; recurrence: Recurrence },
  { from, to }: { from: string; to: string },
): string[] {
  if (scheduledAt === null) return [];
  if (recurrence === "none") return scheduledAt >= from && scheduledAt < to ? [scheduledAt] : [];

  const [firstMs, fromMs, toMs] = [Date.parse(scheduledAt), Date.parse(from), Date.parse(to)];
  const dates: string[] = [];
  for (let steps = stepsTo(fromMs, firstMs, recurrence); ; steps += 1) {
    const ms = nth(steps, firstMs, recurrence);
    if (ms >= toMs) return dates;
    if (ms >= fromMs) dates.push(new Date(ms).toISOString());
  }
}
