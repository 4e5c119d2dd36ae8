// When and how a person is notified (capabilities section 1).

import { expect, test } from "vitest";
import { expectError, ok, testApp } from "../helpers/app.js";

const { as, make } = await testApp();
const path = "/users/me/notification-settings";

const DEFAULTS = {
  timeZone: "UTC",
  digestHour: 8,
  dueMinutes: 1440,
  email: { mention: "now", reply: "now", assigned: "now", comment: "off", due: "daily", membership: "now" },
};

test("settings have their defaults, each changes alone, and the answer is whole", async () => {
  const person = await make.user();
  expect(ok(await as(person).get(path))).toEqual(DEFAULTS);
  const first = { ...DEFAULTS, timeZone: "Europe/Berlin", email: { ...DEFAULTS.email, comment: "daily" } };
  expect(ok(await as(person).put(path, { timeZone: "Europe/Berlin", email: { comment: "daily" } }))).toEqual(first);
  expect(ok(await as(person).put(path, { dueMinutes: null }))).toEqual({ ...first, dueMinutes: null });
  expect(ok(await as(person).put(path, {}))).toEqual({ ...first, dueMinutes: null });
  expect(ok(await as(person).get(path))).toEqual({ ...first, dueMinutes: null });
  expect(ok(await as(person).get("/users/me"))).toMatchObject({ timeZone: "Europe/Berlin" });
});

test.each([
  ["timeZone", { timeZone: "Europe/Atlantis" }],
  ["timeZone", { timeZone: "+01:00" }],
  ["digestHour", { digestHour: 24 }],
  ["dueMinutes", { dueMinutes: -1 }],
  ["dueMinutes", { dueMinutes: 43_201 }],
  ["mention", { email: { mention: "weekly" } }],
  ["mentions", { email: { mentions: "now" } }],
])("a wrong %s changes nothing", async (_, wrong) => {
  const person = await make.user();
  expectError(await as(person).put(path, { digestHour: 9, ...wrong }), "BAD_REQUEST");
  expect(ok(await as(person).get(path))).toEqual(DEFAULTS);
});

test("a time zone in which days cannot be counted is refused", async () => {
  const person = await make.user();
  expectError(await as(person).put(path, { timeZone: "PST" }), "BAD_REQUEST", "timeZone");
  expect(ok(await as(person).get(path))).toEqual(DEFAULTS);
});
