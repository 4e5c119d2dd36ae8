// Guarantees of the two readers of dates: what clients send to the API, and what people write into spreadsheets.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { INSTANT_PATTERN, readInstant } from "../../src/api/instants.js";
import { readDueDate } from "../../src/import/csv/dates.js";

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
    ["2027-05-13", "2027-05-13T00:00:00.000Z"],
    [" 2027-05-13\n", "2027-05-13T00:00:00.000Z"],
    ["2027-05-13 14:05", "2027-05-13T14:05:00.000Z"],
    ["2027-05-13 14:05:59", "2027-05-13T14:05:59.000Z"],
    ["2027-05-13T14:05", "2027-05-13T14:05:00.000Z"],
    ["2027-05-13T14:05:59.1239", "2027-05-13T14:05:59.123Z"],
    ["2027-05-13T14:05:59,5Z", "2027-05-13T14:05:59.500Z"],
    ["2027-05-13T14:05:59+02:00", "2027-05-13T12:05:59.000Z"],
    ["2027-05-13T14:05:59.000-0330", "2027-05-13T17:35:59.000Z"],
    ["2027-05-13T14:05+02", "2027-05-13T12:05:00.000Z"],
    ["2027-05-13 14:05:59 +0200", "2027-05-13T12:05:59.000Z"],
    ["0001-01-01", "0001-01-01T00:00:00.000Z"],
    ["0050-06-01 00:00", "0050-06-01T00:00:00.000Z"],
    ["0000-12-31T23:30-01:00", "0001-01-01T00:30:00.000Z"],
    ["13/05/2027", "2027-05-13T00:00:00.000Z"],
    ["05/13/2027", "2027-05-13T00:00:00.000Z"],
    ["5/13/2027", "2027-05-13T00:00:00.000Z"],
    ["05/05/2027", "2027-05-05T00:00:00.000Z"],
    ["29/02/2028", "2028-02-29T00:00:00.000Z"],
    ["13/05/0027", "0027-05-13T00:00:00.000Z"],
  ])("%j is %s", (cell, dueDate) => {
    expect(readDueDate(cell)).toEqual({ dueDate });
  });

  test.each(["04/05/2027", "12/11/2027", "1/2/2027"])("%s could be two days", (cell) => {
    expect(readDueDate(cell)).toEqual({ problem: "ambiguousDate" });
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
    "13.05.2027",
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
