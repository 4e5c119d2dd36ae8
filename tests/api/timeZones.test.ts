import { expect, test } from "vitest";
import { TimeZone } from "../../src/api/timeZones.js";

test("a time zone is an IANA name, in any case of letters", () => {
  const names = [
    "UTC",
    "utc",
    "Europe/Rome",
    "europe/rome",
    "America/Argentina/Buenos_Aires",
    "Etc/GMT+5",
    "EST5EDT",
    "GMT",
  ];
  for (const name of names) expect(TimeZone.safeParse(name).success, name).toBe(true);
  const others = [
    "",
    "Z",
    "Europe/Rom",
    "Europe",
    "Europe/",
    "/Rome",
    "+02:00",
    "-0500",
    "02:00",
    "UTC+2",
    "CET-1CEST",
    " UTC",
    "UTC\n",
    "Europe/Rome ",
    "Europe\\Rome",
    "2026-01-01T00:00Z",
    "2026-01-01[Europe/Rome]",
    "[UTC]",
    "Europe/Rome[u-ca=iso8601]",
    "__proto__",
    "PST",
    "constructor",
    "../UTC",
  ];
  for (const name of others) expect(TimeZone.safeParse(name).success, name).toBe(false);
});
