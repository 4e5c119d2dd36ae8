import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { occurrencesOf, type Recurrence } from "../../src/workspace/recurrence.js";

const DAY_MS = 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();
const days = (occurrences: string[]) => occurrences.map((occurrence) => occurrence.slice(0, 10));
const occurrences = (recurrence: Recurrence, scheduledAt: string, from: string, to: string) =>
  occurrencesOf({ recurrence, scheduledAt }, { from, to });

const lastDayOf = (day: Date) => new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();

/** Whether a meeting takes place on a day, told from that day alone. */
function isOn(day: Date, first: Date, recurrence: Recurrence): boolean {
  const daysAfter = Math.round(
    (Date.parse(day.toISOString().slice(0, 10)) - Date.parse(first.toISOString().slice(0, 10))) / DAY_MS,
  );
  if (daysAfter < 0) return false;
  switch (recurrence) {
    case "none":
      return daysAfter === 0;
    case "daily":
      return true;
    case "weekly":
      return daysAfter % 7 === 0;
    case "biweekly":
      return daysAfter % 14 === 0;
    case "monthly":
      return day.getUTCDate() === Math.min(first.getUTCDate(), lastDayOf(day));
  }
}

/** The occurrences by looking at every day from the first occurrence on. */
function walked(recurrence: Recurrence, firstMs: number, fromMs: number, toMs: number): string[] {
  const found: string[] = [];
  for (let ms = firstMs; ms < toMs; ms += DAY_MS) {
    if (ms >= fromMs && isOn(new Date(ms), new Date(firstMs), recurrence)) found.push(at(ms));
  }
  return found;
}

const recurrences = fc.constantFrom<Recurrence>("none", "daily", "weekly", "biweekly", "monthly");
const instants = fc.date({
  min: new Date("1995-01-01T00:00:00Z"),
  max: new Date("2010-01-01T00:00:00Z"),
  noInvalidDate: true,
});

test("the occurrences of a range are those that a walk over every day finds", () => {
  fc.assert(
    fc.property(
      recurrences,
      instants,
      instants,
      fc.integer({ min: 1, max: 366 * DAY_MS }),
      (recurrence, first, from, length) => {
        const to = from.getTime() + length;
        expect(occurrences(recurrence, first.toISOString(), from.toISOString(), at(to))).toEqual(
          walked(recurrence, first.getTime(), from.getTime(), to),
        );
      },
    ),
    { numRuns: 500 },
  );
});

test("a range cut in two has the occurrences of both parts, each once", () => {
  fc.assert(
    fc.property(
      recurrences,
      instants,
      instants,
      fc.nat(366),
      fc.nat(100),
      (recurrence, first, from, length, percent) => {
        const end = from.getTime() + length * DAY_MS;
        const middle = at(Math.round(from.getTime() + ((end - from.getTime()) * percent) / 100));
        const between = (a: string, b: string) => occurrences(recurrence, first.toISOString(), a, b);
        expect([...between(from.toISOString(), middle), ...between(middle, at(end))]).toEqual(
          between(from.toISOString(), at(end)),
        );
      },
    ),
  );
});

describe("monthly", () => {
  test("on the 31st falls on the last day of shorter months, and returns to the 31st", () => {
    const year = occurrences(
      "monthly",
      "2027-12-31T18:30:00.000Z",
      "2028-01-01T00:00:00.000Z",
      "2029-01-01T00:00:00.000Z",
    );

    expect(year[0]).toBe("2028-01-31T18:30:00.000Z");
    expect(days(year).map((day) => day.slice(5))).toEqual([
      "01-31",
      "02-29",
      "03-31",
      "04-30",
      "05-31",
      "06-30",
      "07-31",
      "08-31",
      "09-30",
      "10-31",
      "11-30",
      "12-31",
    ]);
  });

  test("on the 29th falls on the 28th of February but in leap years, by the rule of centuries", () => {
    const februaries = ["1900", "2000", "2026", "2028", "2100"].map((year) =>
      occurrences("monthly", "1899-01-29T00:00:00.000Z", `${year}-02-01T00:00:00.000Z`, `${year}-03-01T00:00:00.000Z`),
    );
    expect(days(februaries.flat())).toEqual(["1900-02-28", "2000-02-29", "2026-02-28", "2028-02-29", "2100-02-28"]);
  });

  test("finds an occurrence at the end of the month in which the range begins", () => {
    expect(
      occurrences("monthly", "2026-01-31T12:00:00.000Z", "2026-04-30T12:00:00.000Z", "2026-05-01T00:00:00.000Z"),
    ).toEqual(["2026-04-30T12:00:00.000Z"]);
    expect(
      occurrences("monthly", "2026-01-31T12:00:00.000Z", "2026-04-30T12:00:00.001Z", "2026-05-31T12:00:00.000Z"),
    ).toEqual([]);
  });
});

describe("ranges", () => {
  test.each(["none", "daily", "weekly", "biweekly", "monthly"] as const)(
    "%s: begins with `from` itself and ends before `to`",
    (recurrence) => {
      const first = "2026-03-02T09:00:00.000Z";
      expect(occurrences(recurrence, first, first, "2026-03-02T09:00:00.001Z")).toEqual([first]);
      expect(occurrences(recurrence, first, "2026-03-01T09:00:00.000Z", first)).toEqual([]);
      expect(occurrences(recurrence, first, "2025-03-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z")).toEqual([]);
    },
  );

  test("a daily meeting has as many occurrences as the longest range has days", () => {
    expect(
      occurrences("daily", "2020-01-01T23:59:59.999Z", "2027-01-01T00:00:00.000Z", "2028-01-02T00:00:00.000Z"),
    ).toHaveLength(366);
  });

  test("a biweekly meeting keeps its fortnight over the end of a year", () => {
    expect(
      days(occurrences("biweekly", "2026-12-10T10:00:00.000Z", "2026-12-20T00:00:00.000Z", "2027-01-31T00:00:00.000Z")),
    ).toEqual(["2026-12-24", "2027-01-07", "2027-01-21"]);
  });

  test("a meeting that is not yet planned takes place never", () => {
    expect(
      occurrencesOf(
        { scheduledAt: null, recurrence: "daily" },
        { from: "2026-01-01T00:00:00.000Z", to: "2026-12-31T00:00:00.000Z" },
      ),
    ).toEqual([]);
  });
});

describe("far years", () => {
  test.each(["daily", "weekly", "biweekly", "monthly"] as const)(
    "a %s meeting since the year 1 is found in the last days of 9999, and never later",
    (recurrence) => {
      const found = occurrences(
        recurrence,
        "0001-01-31T00:00:00.000Z",
        "9998-12-31T00:00:00.000Z",
        "9999-12-31T23:59:59.999Z",
      );
      expect(found.length).toBeGreaterThanOrEqual(13);
      expect(found.every((occurrence) => /^999[89]-/.test(occurrence))).toBe(true);
    },
  );

  test("the first years are theirs, not those of the twentieth century", () => {
    expect(
      occurrences("monthly", "0001-01-31T08:00:00.000Z", "0001-01-01T00:00:00.000Z", "0001-04-01T00:00:00.000Z"),
    ).toEqual(["0001-01-31T08:00:00.000Z", "0001-02-28T08:00:00.000Z", "0001-03-31T08:00:00.000Z"]);
    expect(
      occurrences("weekly", "0004-02-26T08:00:00.000Z", "0004-03-01T00:00:00.000Z", "0004-03-12T00:00:00.000Z"),
    ).toEqual(["0004-03-04T08:00:00.000Z", "0004-03-11T08:00:00.000Z"]);
  });
});
