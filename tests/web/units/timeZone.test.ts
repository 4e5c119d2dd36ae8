// Guarantees of the time zone that an account gets from a browser.

import { afterEach, expect, test, vi } from "vitest";
import { loaded } from "./browser.js";

afterEach(() => void vi.restoreAllMocks());

test.each([
  ["Europe/Berlin", "Europe/Berlin"],
  ["UTC", "UTC"],
  // Devices without a time zone, and Firefox with `resistFingerprinting`.
  ["Etc/Unknown", "UTC"],
  ["Atlantic/Reykjavik", "UTC"],
])("a browser that names %s has %s", async (named, zone) => {
  const options = new Intl.DateTimeFormat().resolvedOptions();
  vi.spyOn(Intl.DateTimeFormat.prototype, "resolvedOptions").mockReturnValue({ ...options, timeZone: named });
  vi.resetModules();
  const { here } = await loaded(() => import("../../../packages/web/src/session/timeZone.js"));
  expect(here).toBe(zone);
});
