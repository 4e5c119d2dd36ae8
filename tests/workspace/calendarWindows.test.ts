import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CalendarView, todayIn, windowOf } from "../../src/workspace/calendarWindows.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Zones on both sides of UTC, with and without summer time, with clocks that change at midnight, and with days left out. */
const ZONES = [
  "UTC",
  "Europe/Rome",
  "America/New_York",
  "America/Sao_Paulo",
  "America/Havana",
  "Africa/Cairo",
  "Asia/Beirut",
  "Asia/Kathmandu",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Pacific/Kiritimati",
  "Pacific/Chatham",
  "Etc/GMT+12",
];

const clocks = new Map(ZONES.map((timeZone) => [timeZone, new Intl.DateTimeFormat("sv-SE", { timeZone })]));
/** The date that a clock in a zone shows at an instant, `YYYY-MM-DD`. */
const dateAt = (ms: number, timeZone: string) => clocks.get(timeZone)?.format(ms) ?? "";

const weekdayOf = (date: string) => new Date(date).getUTCDay();

/** Whether a date belongs to the view around an anchor, told from the two dates alone. */
function belongs(date: string, view: CalendarView, anchor: string, weekStartDay: number): boolean {
  if (view === "day") return date === anchor;
  if (view === "month") return date.slice(0, 7) === anchor.slice(0, 7);
  const weekOf = (day: string) => Date.parse(day) - ((weekdayOf(day) - weekStartDay + 7) % 7) * DAY_MS;
  return weekOf(date) === weekOf(anchor);
}

const views = fc.constantFrom<CalendarView>("month", "week", "day");
const zones = fc.constantFrom(...ZONES);
const anchors = fc
  .date({ min: new Date("1990-01-01"), max: new Date("2036-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const weekStarts = fc.nat(6);

describe("a window holds an instant exactly when the clock of its zone shows a day of the view", () => {
  const check = (view: CalendarView, anchor: string, timeZone: string, weekStartDay: number, probes: number[]) => {
    const { fromMs, toMs } = windowOf(view, anchor, timeZone, weekStartDay);
    for (const ms of [fromMs - 1, fromMs, toMs - 1, toMs, ...probes.map((probe) => fromMs + probe)]) {
      const date = dateAt(ms, timeZone);
      expect(ms >= fromMs && ms < toMs, `${new Date(ms).toISOString()} is ${date} in ${timeZone}`).toBe(
        belongs(date, view, anchor, weekStartDay),
      );
    }
  };
  const offsets = fc.array(fc.integer({ min: -40 * DAY_MS, max: 40 * DAY_MS }), { maxLength: 3 });

  test("for any view, date, zone and first day of the week", () => {
    fc.assert(fc.property(views, anchors, zones, weekStarts, offsets, check), { numRuns: 1500 });
  });

  test.each([
    ["Africa/Cairo", "2026-04-24"],
    ["Africa/Cairo", "2026-10-29"],
    ["America/Sao_Paulo", "2018-11-04"],
    ["America/Sao_Paulo", "2018-02-17"],
    ["America/Havana", "2025-11-02"],
    ["Pacific/Apia", "2011-12-30"],
    ["Pacific/Apia", "2011-12-31"],
    ["Australia/Lord_Howe", "2026-04-05"],
  ])("in %s around %s", (timeZone, anchor) => {
    for (const view of ["month", "week", "day"] as const) check(view, anchor, timeZone, 1, [HOUR_MS, 23.5 * HOUR_MS]);
  });
});

test("one window ends where the next begins: nothing is left out and nothing comes twice", () => {
  fc.assert(
    fc.property(views, anchors, zones, weekStarts, (view, anchor, timeZone, weekStartDay) => {
      const { toMs } = windowOf(view, anchor, timeZone, weekStartDay);
      expect(windowOf(view, dateAt(toMs, timeZone), timeZone, weekStartDay).fromMs).toBe(toMs);
    }),
    { numRuns: 300 },
  );
});

test("days on which the clocks change have 23 and 25 hours, and months and weeks with them", () => {
  const hours = (view: CalendarView, anchor: string) => {
    const { fromMs, toMs } = windowOf(view, anchor, "Europe/Rome", 1);
    return (toMs - fromMs) / HOUR_MS;
  };
  expect([hours("day", "2026-03-29"), hours("day", "2026-03-30"), hours("day", "2026-10-25")]).toEqual([23, 24, 25]);
  expect([hours("week", "2026-03-25"), hours("week", "2026-10-25")]).toEqual([7 * 24 - 1, 7 * 24 + 1]);
  expect([hours("month", "2026-03-01"), hours("month", "2026-10-31")]).toEqual([31 * 24 - 1, 31 * 24 + 1]);
});

test("a day that a zone left out is empty", () => {
  const { fromMs, toMs } = windowOf("day", "2011-12-30", "Pacific/Apia", 1);
  expect(toMs).toBe(fromMs);
});

test("the first and the last month of the calendar have a window in every zone, beyond the years 1 to 9999", () => {
  for (const zone of ZONES) {
    for (const [anchor, length] of [
      ["0001-01-01", 31],
      ["9999-12-31", 31],
    ] as const) {
      const { fromMs, toMs } = windowOf("month", anchor, zone, 1);
      expect((toMs - fromMs) / DAY_MS).toBe(length);
      for (const view of ["week", "day"] as const) expect(windowOf(view, anchor, zone, 3).toMs).toBeGreaterThan(fromMs);
    }
  }
  expect(windowOf("month", "9999-12-01", "UTC", 1).toMs).toBe(Date.UTC(10_000, 0));
});

test("today is the date that the clock of a zone shows", () => {
  for (const zone of ZONES) {
    const before = dateAt(Date.now(), zone);
    const today = todayIn(zone);
    expect([before, dateAt(Date.now(), zone)]).toContain(today);
  }
});
