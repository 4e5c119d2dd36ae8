// What failures of the database are answered with, and how long callers are asked to wait.

import { expect, test } from "vitest";
import { failureOf } from "../../src/api/errors.js";
import { DIRECTORY_GONE, OUTAGE } from "../../src/db/failures.js";

const coded = (code: string) => Object.assign(new Error("of the database"), { code });

test.each([
  ["which takes no writes at present", "25006", 60],
  ["whose directory is gone", DIRECTORY_GONE, 60],
  ["which is known to be out of reach", OUTAGE, 1],
  ["whose lock was not free in time", "55P03", 1],
  ["which has no connection left", "53300", 1],
  ["whose disk is full", "53100", 1],
  ["which took too long", "57014", 1],
  ["which is shutting down", "57P01", 1],
  ["that had a deadlock", "40P01", 1],
])("a call of a database %s is SERVICE_UNAVAILABLE, however deep the cause lies", (_, code, retryAfter) => {
  for (const error of [coded(code), new Error("a query failed", { cause: coded(code) })]) {
    const failure = failureOf(error);
    expect([failure.code, failure.status, failure.retryAfter]).toEqual(["SERVICE_UNAVAILABLE", 503, retryAfter]);
  }
});

test.each([
  ["25006", false],
  [OUTAGE, false],
  ["55P03", false],
  ["57P01", true],
  ["53300", true],
])("%s is a fault that the log has as an error: %s", (code, isFault) => {
  expect(failureOf(coded(code)).isFault).toBe(isFault);
});

test("an error that nobody expected is INTERNAL_SERVER_ERROR, and a fault", () => {
  for (const error of [coded("23502"), new Error("unexpected"), "no error"]) {
    const failure = failureOf(error);
    expect([failure.code, failure.isFault, failure.issues]).toEqual(["INTERNAL_SERVER_ERROR", true, []]);
  }
});
