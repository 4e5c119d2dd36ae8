// What the log tells: faults, and nothing of what the service refuses by itself.

import { type SQL, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createLogger } from "../../src/api/logs.js";
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

test("an error of the database is logged without the values of its statement", async () => {
  const { db } = await testApp();
  const lines: string[] = [];
  const log = createLogger("info", { write: (line) => void lines.push(line) });
  const logged = async (statement: SQL) => {
    const err = await db.rows(statement).catch((error: unknown) => error);
    expect(err).toBeInstanceOf(Error);
    log.error({ err }, "failed");
    return JSON.parse(lines.at(-1) ?? "").err;
  };
  const ofValue = await logged(sql`select ${"a secret value"}::text::int`);
  const type = expect.stringMatching(/error$/i);
  expect(ofValue).toEqual({ type, code: "22P02", stack: expect.stringMatching(/^\s+at /) });
  expect(lines.join()).not.toContain("a secret value");
  const ofStatement = await logged(sql`select missing from account`);
  expect(ofStatement).toMatchObject({ code: "42703", message: expect.stringContaining("missing") });
});
