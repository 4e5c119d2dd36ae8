// What the log tells: faults, and nothing of what the service refuses by itself.

import { expect, test } from "vitest";
import { expectError, testApp } from "../helpers/app.js";

const ERROR = 50;

test("a service that starts or drains refuses calls without an error in its log; a fault is one", async () => {
  const { app, anonymous, db, logs } = await testApp();
  const errors = () => logs.map((line) => JSON.parse(line)).filter(({ level }) => level >= ERROR);
  for (const phase of ["starting", "draining"] as const) {
    app.phase = phase;
    expectError(await anonymous.send({ method: "GET", url: "/ready" }), "SERVICE_UNAVAILABLE");
    expectError(await anonymous.get("/users/me"), "SERVICE_UNAVAILABLE");
  }
  expect(errors()).toEqual([]);

  app.phase = "ready";
  await db.close();
  expect((await anonymous.send({ method: "GET", url: "/ready" })).status).toBeGreaterThanOrEqual(500);
  expect(errors()).toHaveLength(1);
});
