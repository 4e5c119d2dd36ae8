// The system's clock is set while the service runs: what is measured comes from a steady clock, and what is compared with times of the
// database from the database's own (contract section 2).

import { sql } from "drizzle-orm";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { WorkerHealth } from "../../src/api/workerHealth.js";
import { signInFailure } from "../../src/db/schema/index.js";
import { anAddress, expectError, ok, testApp } from "../helpers/app.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const { as, anonymous, make, db } = await testApp();

const [systemNow, steadyNow] = [Date.now, performance.now.bind(performance)];

/** Sets the clock of this process until the test ends; a steady clock goes on by `steadyMs`. */
function setClock(byMs: number, steadyMs = 0): void {
  const clocks = [
    vi.spyOn(Date, "now").mockImplementation(() => systemNow() + byMs),
    vi.spyOn(performance, "now").mockImplementation(() => steadyNow() + steadyMs),
  ];
  onTestFinished(() => clocks.forEach((clock) => void clock.mockRestore()));
}

test("calls are limited for a minute, also where the clock goes back an hour meanwhile", async () => {
  const limited = await testApp({ RATE_LIMIT_PER_MINUTE: "2" });
  const person = await limited.make.user();
  const me = () => limited.as(person).get("/users/me");
  ok(await me());
  ok(await me());
  expectError(await me(), "TOO_MANY_REQUESTS");
  setClock(-HOUR_MS, 30_000);
  const refused = await me();
  expectError(refused, "TOO_MANY_REQUESTS");
  expect(Number(refused.headers["retry-after"])).toBeLessThan(31);
  setClock(-HOUR_MS, 61_000);
  ok(await me());
});

test("no worker counts as stopped because the clock went ahead", () => {
  const health = new WorkerHealth(undefined);
  health.add("mail", 60_000);
  setClock(HOUR_MS, 59_000);
  expect(health.stopped()).toEqual([]);
  setClock(HOUR_MS, 61_000);
  expect(health.stopped()).toEqual(["mail"]);
});

test("wrong passwords that are dated later than now do not count: the clock of the database went back", async () => {
  const [email, password] = [anAddress(), "correct horse battery"];
  await make.user({ email, password });
  const failedAt = sql`now() + interval '1 hour'`;
  await db.insert(signInFailure).values(Array.from({ length: 10 }, () => ({ email, failedAt })));
  ok(await anonymous.post("/auth/sign-in", { email, password }));
});

// The clock of an embedded database is the process's.
describe.runIf(inject("template").kind === "postgres")("a process whose clock differs from the database's", () => {
  test("begins sessions that last 30 days, and ends none that it is 32 days ahead of", async () => {
    const [email, password] = [anAddress(), "correct horse battery"];
    await make.user({ email, password });
    setClock(-32 * DAY_MS);
    const signedIn = await anonymous.post<{ accessToken: string; expiresAt: string }>("/auth/sign-in", {
      email,
      password,
    });
    const { accessToken, expiresAt } = ok(signedIn);
    ok(await as({ token: accessToken }).get("/users/me"));
    const [row] = await db.rows<{ days: number }>(
      sql`select extract(epoch from ${expiresAt}::timestamptz - now())::float8 / 86400 as days`,
    );
    expect(row?.days).toBeCloseTo(30, 2);
  });

  test("sends links that work, and shows those of others for as long as they are valid", async () => {
    const { workspace, owner } = await make.workspace();
    ok(await as(owner).post(`/workspaces/${workspace.publicId}/invites`));
    setClock(400 * DAY_MS);
    const { invite } = ok(await as(owner).get<{ invite: object | null }>(`/workspaces/${workspace.publicId}/invites`));
    expect(invite).not.toBeNull();
  });
});
