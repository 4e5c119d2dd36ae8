// An outage over HTTP: while nobody listens where the database should be, every call hears so at once, and the log is told once.

import { afterAll, expect, test } from "vitest";
import { openPostgres } from "../../../src/db/postgres.js";
import { type Answer, appOn, expectError } from "../../helpers/app.js";
import { openBound } from "../../helpers/databases.js";

const WARNING = 40;
const warnings: string[] = [];
const db = openBound(
  openPostgres({
    url: "postgres://nobody@127.0.0.1:1/none",
    poolSize: 8,
    prepare: true,
    statementTimeoutMs: 10_000,
    onWarning: (message) => void warnings.push(message),
  }),
);
afterAll(() => db.close());
const { as, anonymous, trpcClient, logs } = await appOn(db, {});
const stranger = { token: `wb_${"a".repeat(43)}` };

test("while nobody listens at the database's port, calls and `/ready` are 503 at once, and the log is told once", async () => {
  const calls: (() => Promise<Answer<unknown>>)[] = [
    () => as(stranger).get("/users/me"),
    () => anonymous.post("/auth/sign-in", { email: "ada@example.org", password: "correct horse battery" }),
    () => anonymous.send({ method: "GET", url: "/ready" }),
  ];
  // One behind the other: if each waited for a session as long as one may, there would be no time for all of them.
  for (let round = 0; round < 20; round += 1) {
    for (const call of calls) {
      const answers = await Promise.all([call(), call()]);
      for (const answer of answers) {
        expectError(answer, "SERVICE_UNAVAILABLE");
        expect(answer.headers["retry-after"]).toBe("1");
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await expect(trpcClient(stranger).user.me.query()).rejects.toMatchObject({ data: { code: "SERVICE_UNAVAILABLE" } });

  expect(warnings.sort()).toEqual(["Cannot connect to PostgreSQL", "Cannot listen on PostgreSQL"]);
  expect(logs.map((line) => JSON.parse(line)).filter(({ level }) => level >= WARNING)).toEqual([]);
});
