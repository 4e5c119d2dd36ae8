// Guarantees of the two readers of dates: what clients send to the API, and what people write into spreadsheets.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { INSTANT_PATTERN, readInstant } from "../../src/db/instants.js";
import { type DayOrder, dayOrderOf, readDueDate } from "../../src/import/csv/dates.js";

const everyDay = fc.date({
  min: new Date("0001-01-01T00:00:00.000Z"),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});

describe("a timestamp of the API", () => {
  test.each([
    ["2026-11-20", "2026-11-20T00:00:00.000Z"],
    ["2026-11-20T09:30Z", "2026-11-20T09:30:00.000Z"],
    ["2026-11-20T09:30:15Z", "2026-11-20T09:30:15.000Z"],
    ["2026-11-20T09:30:15.1Z", "2026-11-20T09:30:15.100Z"],
    ["2026-11-20T09:30:15.999999999Z", "2026-11-20T09:30:15.999Z"],
    ["2026-11-20T09:30:00+02:00", "2026-11-20T07:30:00.000Z"],
    ["2026-11-20T09:30-11:45", "2026-11-20T21:15:00.000Z"],
    ["2026-11-20T09:30:00-00:00", "2026-11-20T09:30:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2000-02-29", "2000-02-29T00:00:00.000Z"],
    ["0001-01-01", "0001-01-01T00:00:00.000Z"],
    ["0099-03-01T12:00Z", "0099-03-01T12:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("%s is %s", (text, instant) => {
    expect(text).toMatch(new RegExp(INSTANT_PATTERN));
    expect(readInstant(text)).toBe(instant);
  });

  test.each([
    ["no zone", "2026-11-20T09:30:00"],
    ["lower case", "2026-11-20t09:30:00Z"],
    ["lower-case z", "2026-11-20T09:30:00z"],
    ["a blank for the T", "2026-11-20 09:30:00Z"],
    ["an offset without colon", "2026-11-20T09:30:00+0200"],
    ["an offset of hours alone", "2026-11-20T09:30:00+02"],
    ["an offset of a day", "2026-11-20T09:30:00+24:00"],
    ["a zone on a bare date", "2026-11-20Z"],
    ["an hour alone", "2026-11-20T09Z"],
    ["a leap second", "2026-12-31T23:59:60Z"],
    ["hour 24", "2026-11-20T24:00:00Z"],
    ["minute 60", "2026-11-20T09:60Z"],
    ["a point without digits", "2026-11-20T09:30:15.Z"],
    ["ten digits of fraction", "2026-11-20T09:30:15.0000000000Z"],
    ["a comma for the point", "2026-11-20T09:30:15,5Z"],
    ["month 13", "2026-13-01"],
    ["day 0", "2026-11-00"],
    ["year 0", "0000-06-01"],
    ["five digits of year", "10000-01-01"],
    ["a sign on the year", "+002026-11-20"],
    ["blanks around", " 2026-11-20 "],
    ["a line break behind", "2026-11-20\n"],
    ["digits of another script", "２０２６-11-20"],
    ["nothing", ""],
  ])("%s is refused, and the pattern says so", (_, text) => {
    expect(text).not.toMatch(new RegExp(INSTANT_PATTERN));
    expect(readInstant(text)).toBeNull();
  });

  test.each([
    ["30 February", "2026-02-30"],
    ["29 February of a common year", "2026-02-29"],
    ["29 February of 1900", "1900-02-29T00:00Z"],
    ["31 April", "2026-04-31"],
    ["year 10000 in UTC", "9999-12-31T23:30-01:00"],
    ["year 0 in UTC", "0001-01-01T00:30+01:00"],
  ])("%s exists in no calendar and is refused", (_, text) => {
    expect(readInstant(text)).toBeNull();
  });

  test("what the service answers it reads back unchanged", () => {
    fc.assert(
      fc.property(everyDay, (day) => {
        expect(readInstant(day.toISOString())).toBe(day.toISOString());
      }),
    );
  });
});

describe("a due date in a cell", () => {
  test.each([
    ["2027-05-13", "2027-05-13"],
    [" 2027-05-13\n", "2027-05-13"],
    ["2027-05-13 14:05", "2027-05-13T14:05:00.000Z"],
    ["2027-05-13 14:05:59", "2027-05-13T14:05:59.000Z"],
    ["2027-05-13T14:05", "2027-05-13T14:05:00.000Z"],
    ["2027-05-13T14:05:59.1239", "2027-05-13T14:05:59.123Z"],
    ["2027-05-13T14:05:59,5Z", "2027-05-13T14:05:59.500Z"],
    ["2027-05-13T14:05:59+02:00", "2027-05-13T12:05:59.000Z"],
    ["2027-05-13T14:05:59.000-0330", "2027-05-13T17:35:59.000Z"],
    ["2027-05-13T14:05+02", "2027-05-13T12:05:00.000Z"],
    ["2027-05-13 14:05:59 +0200", "2027-05-13T12:05:59.000Z"],
    ["0001-01-01", "0001-01-01"],
    ["0050-06-01 00:00", "0050-06-01T00:00:00.000Z"],
    ["0000-12-31T23:30-01:00", "0001-01-01T00:30:00.000Z"],
    ["13/05/2027", "2027-05-13"],
    ["05/13/2027", "2027-05-13"],
    ["5/13/2027", "2027-05-13"],
    ["05/05/2027", "2027-05-05"],
    ["29/02/2028", "2028-02-29"],
    ["13/05/0027", "0027-05-13"],
  ])("%j is %s", (cell, dueDate) => {
    expect(readDueDate(cell)).toEqual({ dueDate });
  });

  test.each([
    ["German", "13.05.2027", "2027-05-13"],
    ["German, where both orders exist", "04.05.2027", "2027-05-04"],
    ["German with a time", "13.5.2027 14:30", "2027-05-13T14:30:00.000Z"],
    ["Jira", "10/Jan/24 12:00 AM", "2024-01-10T00:00:00.000Z"],
    ["Jira after noon", "10/Jan/24 12:05 PM", "2024-01-10T12:05:00.000Z"],
    ["Jira before 2000", "31/Dec/99 11:59 PM", "1999-12-31T23:59:00.000Z"],
    ["a spreadsheet of two digits, up to 2069", "13 May 69", "2069-05-13"],
    ["a spreadsheet of two digits, from 1970", "13 May 70", "1970-05-13"],
    ["Notion", "May 13, 2027", "2027-05-13"],
    ["Notion with a time", "May 13, 2027 5:00 PM", "2027-05-13T17:00:00.000Z"],
    ["Notion, a range", "May 1, 2027 → May 13, 2027 5:00 PM (UTC)", "2027-05-13T17:00:00.000Z"],
    ["Linear", "Thu May 13 2027 09:53:37 GMT+0200 (Central European Summer Time)", "2027-05-13T07:53:37.000Z"],
    ["mail", "Thu, 13 May 2027 10:00:00 -0330", "2027-05-13T13:30:00.000Z"],
    ["a spreadsheet", "13-May-2027", "2027-05-13"],
    ["a spreadsheet's narrow blank", "5/13/2027, 5:00\u202fPM", "2027-05-13T17:00:00.000Z"],
    ["words", "Thursday, May 13th, 2027 at 5:00 p.m.", "2027-05-13T17:00:00.000Z"],
    ["year first", "2027/5/13 14:30", "2027-05-13T14:30:00.000Z"],
    ["Japanese", "2027年5月13日", "2027-05-13"],
    ["German words", "13. Mai 2027", "2027-05-13"],
    ["French", "1er août 2027", "2027-08-01"],
    ["Spanish", "13 de mayo de 2027", "2027-05-13"],
    ["Portuguese", "13 de março de 2027", "2027-03-13"],
    ["Italian", "13 maggio 2027", "2027-05-13"],
    ["Dutch", "13 mei 2027", "2027-05-13"],
    ["Polish", "13 maja 2027", "2027-05-13"],
    ["Russian", "13 мая 2027", "2027-05-13"],
  ])("is read as %s writes it", (_, cell, dueDate) => {
    expect(readDueDate(cell)).toEqual({ dueDate });
  });

  test.each(["04/05/2027", "12/11/2027", "1/2/2027", "04-05-2027", "04/05/2027 10:00 AM"])(
    "%s could be two days, and is the one that the order of its column says",
    (cell) => {
      const [, first = 0, second = 0] = (/(\d+)\D(\d+)/.exec(cell) ?? []).map(Number);
      const dayOf = (order: DayOrder) => {
        const due = readDueDate(cell, order);
        if ("problem" in due) throw new Error(due.problem);
        const date = new Date(due.dueDate);
        return [date.getUTCDate(), date.getUTCMonth() + 1];
      };
      expect(readDueDate(cell)).toEqual({ problem: "ambiguousDate" });
      expect(dayOf("dayFirst")).toEqual([first, second]);
      expect(dayOf("monthFirst")).toEqual([second, first]);
    },
  );

  test.each<[string, string[], DayOrder | null]>([
    ["days first", ["", "04/05/2027", "13/05/2027", "31.12.2027 10:00", "2027-05-13", "soon"], "dayFirst"],
    ["months first", ["05/13/2027", "04/05/2027", "05/05/2027"], "monthFirst"],
    ["both", ["05/13/2027", "13/05/2027", "14/05/2027"], null],
    ["two readings alone", ["04/05/2027", "05/05/2027", "04.05.2027"], null],
    ["impossible days", ["31/02/2027", "40/05/2027", "13/14/2027"], null],
  ])("a column with %s has the order that its unambiguous dates agree on", (_, cells, order) => {
    expect(dayOrderOf(cells)).toBe(order);
  });

  test("a dotted date is day first unless its column says otherwise", () => {
    expect(readDueDate("04.05.2027", "monthFirst")).toEqual({ dueDate: "2027-04-05" });
    expect(readDueDate("13.05.2027", "monthFirst")).toEqual({ dueDate: "2027-05-13" });
  });

  test.each([
    "2026-02-30",
    "29/02/2027",
    "31/04/2027",
    "13/14/2027",
    "00/05/2027",
    "13/05/27",
    "13/05/0000",
    "0000-06-01",
    "10000-01-01",
    "9999-12-31T23:30-01:00",
    "2027-05-13T24:00",
    "2027-05-13T14:05:60Z",
    "2027-05-13T14:05+25:00",
    "2027-05-13T14:05+02:",
    "2027-05-13Z",
    "13.05.27",
    "31.02.2027",
    "Feb 30, 2027",
    "30. Februar 2027",
    "2027/02/29",
    "Maybe 13, 2027",
    "May 2027",
    "13/05/2027 13:00 PM",
    "13/05/2027 0:30 AM",
    "13/05/2027 24:00",
    "tomorrow",
    "1800000000",
    "",
  ])("%j is no day", (cell) => {
    expect(readDueDate(cell)).toEqual({ problem: "invalidDate" });
  });

  test("every instant that the API takes is taken from a cell, and means the same", () => {
    const offset = fc.tuple(
      fc.constantFrom("+", "-"),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
    );
    fc.assert(
      fc.property(everyDay, offset, (day, [sign, hours, minutes]) => {
        const zone = `${sign}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
        const text = day.toISOString().replace("Z", zone);
        const dueDate = readInstant(text);
        expect(readDueDate(text)).toEqual(dueDate === null ? { problem: "invalidDate" } : { dueDate });
      }),
    );
  });
});
