// The times at which a failed delivery is repeated (contract section 6).

/** The delays after the first, second, … attempt, in seconds: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h. */
export const STEPS_SECONDS: readonly number[] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400];

/** Attempts that failed together, for example while a receiver was down, are spread over a fifth of the delay. */
const JITTER = 0.2;

/** Seconds until the next attempt; null after the last. `Retry-After` can extend the delay, up to the next one in the list. */
export function deliveryRetryInSeconds(attempts: number, retryAfterSeconds: number | null): number | null {
  const step = STEPS_SECONDS[attempts - 1];
  if (step === undefined) return null;
  const spread = step * (1 + JITTER * Math.random());
  const latest = STEPS_SECONDS[attempts] ?? step;
  return Math.max(spread, Math.min(retryAfterSeconds ?? 0, latest));
}

/** `Retry-After` in seconds from now: a number of seconds, or an HTTP date. Null for anything else. */
export function readRetryAfter(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const date = /GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000);
}
