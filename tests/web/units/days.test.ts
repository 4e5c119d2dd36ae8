// Guarantees of the days of a calendar, and of due dates in words.

import { afterEach, describe, expect, test, vi } from "vitest";
import { type Due, daysTo, dueOf, isOver, localDay } from "../../../packages/web/src/board/due.js";
import {
  addDays,
  addMonths,
  dateOf,
  dayOf,
  daysOf,
  firstOfWeek,
  twoDigits,
  weeksOf,
} from "../../../packages/web/src/parts/days.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a day is that of the reader, written with its zeros", () => {
  expect(twoDigits(7)).toBe("07");
  expect(twoDigits(17)).toBe("17");
  expect(dayOf(new Date(2027, 0, 2, 23, 59))).toBe("2027-01-02");
  expect(dateOf("2027-01-02").getTime()).toBe(new Date(2027, 0, 2).getTime());
});

describe.each(["UTC", "America/New_York", "Europe/Berlin", "Pacific/Apia"])("in %s", (zone) => {
  test.each([
    ["2026-12-31", 1, "2027-01-01"],
    ["2027-03-01", -1, "2027-02-28"],
    ["2028-02-28", 1, "2028-02-29"],
    // Clocks change in between.
    ["2027-03-13", 1, "2027-03-14"],
    ["2027-03-14", 1, "2027-03-15"],
    ["2027-03-28", 7, "2027-04-04"],
    ["2027-10-31", 1, "2027-11-01"],
    ["2027-11-07", -7, "2027-10-31"],
  ])("%s and %i days is %s", (day, days, expected) => {
    vi.stubEnv("TZ", zone);
    expect(addDays(day, days)).toBe(expected);
  });

  test.each([
    ["2027-01-31", 1, "2027-02-28"],
    ["2027-01-31", 2, "2027-03-31"],
    ["2027-03-31", -1, "2027-02-28"],
    ["2027-03-15", 1, "2027-04-15"],
    ["2027-12-31", 1, "2028-01-31"],
    ["2027-01-31", -2, "2026-11-30"],
    ["2028-01-30", 1, "2028-02-29"],
  ])("%s and %i months is %s", (day, months, expected) => {
    vi.stubEnv("TZ", zone);
    expect(addMonths(day, months)).toBe(expected);
  });
});

describe("a week", () => {
  test.each([
    ["2026-12-10", 1, "2026-12-07"],
    ["2026-12-07", 1, "2026-12-07"],
    ["2026-12-13", 1, "2026-12-07"],
    ["2026-12-13", 0, "2026-12-13"],
    ["2026-12-12", 0, "2026-12-06"],
    ["2026-12-12", 6, "2026-12-12"],
    ["2026-12-11", 6, "2026-12-05"],
  ])("of %s that starts on day %i begins on %s", (day, start, expected) => {
    expect(firstOfWeek(day, start)).toBe(expected);
  });

  test("has seven days", () => {
    expect(daysOf("2026-12-28")).toEqual([
      ...["2026-12-28", "2026-12-29", "2026-12-30", "2026-12-31"],
      ...["2027-01-01", "2027-01-02", "2027-01-03"],
    ]);
  });

  test("is what a view of weeks shows, and a month shows all that it has days in", () => {
    expect(weeksOf("week", "2026-12-10", 1)).toEqual(["2026-12-07"]);
    expect(weeksOf("month", "2026-12-10", 1)).toEqual([
      ...["2026-11-30", "2026-12-07", "2026-12-14", "2026-12-21", "2026-12-28"],
    ]);
    // Four weeks, without a day of another month; and six.
    expect(weeksOf("month", "2027-02-28", 1)).toEqual(["2027-02-01", "2027-02-08", "2027-02-15", "2027-02-22"]);
    expect(weeksOf("month", "2027-05-31", 1)).toHaveLength(6);
    expect(weeksOf("month", "2027-01-31", 0).at(-1)).toBe("2027-01-31");
  });
});

const NOW = new Date("2026-12-10T17:00:00.000Z");
const day = (date: string): Due => ({ dueDate: `${date}T00:00:00.000Z`, dueHasTime: false });
const instant = (dueDate: string): Due => ({ dueDate, dueHasTime: true });
const written = (options: Intl.DateTimeFormatOptions, date: Date) =>
  new Intl.DateTimeFormat(undefined, options).format(date);
const SHORT = { day: "numeric", month: "short" } as const;
const LONG = { ...SHORT, year: "numeric" } as const;
const WITH_WEEKDAY = { ...SHORT, weekday: "short" } as const;
const TIME = { hour: "2-digit", minute: "2-digit" } as const;

describe("a due date, read in New York at noon,", () => {
  test.each<[string, Due, number, boolean]>([
    ["today", day("2026-12-10"), 0, false],
    ["yesterday", day("2026-12-09"), -1, true],
    ["tomorrow", day("2026-12-11"), 1, false],
    ["at this moment", instant("2026-12-10T17:00:00.000Z"), 0, false],
    ["a moment ago", instant("2026-12-10T16:59:59.999Z"), 0, true],
    ["at the end of the day", instant("2026-12-11T04:59:59.000Z"), 0, false],
    ["at the beginning of tomorrow", instant("2026-12-11T05:00:00.000Z"), 1, false],
    ["late yesterday", instant("2026-12-10T04:59:59.000Z"), -1, true],
    ["behind a change of clocks", day("2027-03-15"), 95, false],
  ])("%s, has its distance and may be past", (_, due, days, isPast) => {
    vi.stubEnv("TZ", "America/New_York");
    expect(daysTo(due, NOW)).toBe(days);
    expect(isOver(due, NOW)).toBe(isPast);
  });

  test("is a day of its own date, and an instant of the reader's", () => {
    vi.stubEnv("TZ", "America/New_York");
    expect(dayOf(localDay(day("2026-12-10")))).toBe("2026-12-10");
    expect(dayOf(localDay(instant("2026-12-10T04:00:00.000Z")))).toBe("2026-12-09");
    expect(localDay(instant("2026-12-10T17:00:00.000Z")).getHours()).toBe(0);
  });

  test("is told in words: late, near by its distance, of this week by its day, later by its date", () => {
    vi.stubEnv("TZ", "America/New_York");
    const time = (date: string) => ` ${written(TIME, new Date(date))}`;
    const dates: [Due, string | null, string, string][] = [
      [day("2026-12-08"), null, "over", "2 days late"],
      [day("2026-12-09"), null, "over", "Yesterday"],
      [instant("2026-12-10T16:00:00.000Z"), null, "over", `Today${time("2026-12-10T16:00:00.000Z")}`],
      [instant("2026-12-09T16:00:00.000Z"), null, "over", "Yesterday"],
      [day("2026-12-10"), null, "today", "Today"],
      [instant("2026-12-10T18:00:00.000Z"), null, "today", `Today${time("2026-12-10T18:00:00.000Z")}`],
      [day("2026-12-11"), null, "soon", "Tomorrow"],
      [instant("2026-12-11T18:00:00.000Z"), null, "soon", `Tomorrow${time("2026-12-11T18:00:00.000Z")}`],
      [day("2026-12-12"), null, "soon", written(WITH_WEEKDAY, new Date(2026, 11, 12))],
      [day("2026-12-16"), null, "soon", written(WITH_WEEKDAY, new Date(2026, 11, 16))],
      [day("2026-12-17"), null, "later", written(SHORT, new Date(2026, 11, 17))],
      [instant("2026-12-24T18:00:00.000Z"), null, "later", written(SHORT, new Date(2026, 11, 24))],
      [day("2027-01-01"), null, "later", written(LONG, new Date(2027, 0, 1))],
      [day("2026-12-01"), "2026-12-01T00:00:00.000Z", "done", written(SHORT, new Date(2026, 11, 1))],
      [day("2025-12-01"), "2026-12-01T00:00:00.000Z", "done", written(LONG, new Date(2025, 11, 1))],
    ];
    for (const [due, completedAt, state, text] of dates)
      expect(dueOf(due, completedAt, NOW), due.dueDate).toEqual({ state, text });
  });
});
