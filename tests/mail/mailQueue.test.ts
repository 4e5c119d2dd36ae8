// The queue of mail as its workers use it: what they take, in which order, and what the results of their attempts change.

import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { Backoff } from "../../src/db/backoff.js";
import { mail } from "../../src/db/schema/index.js";
import { type ClaimedMail, claimBundles, claimLetters, finish, type MailResult } from "../../src/mail/mailQueue.js";
import { mailRow, NOW } from "../../src/mail/newMail.js";
import { testApp } from "../helpers/app.js";
import { accountIdOf } from "../helpers/recovery.js";
import { MAIL } from "./mailServer.js";

const { app, db, make } = await testApp(MAIL);

const bundles = (limit: number) => claimBundles(db, limit, new Backoff(app.log, "mail"));

// What a test leaves waiting is none of the next one's.
beforeEach(() => db.delete(mail));

const letter = { kind: "invitation", accountId: null } as const;

/** Queues a mail for each of some times at which they are due, in seconds from now; gives their keys. */
async function queued(seconds: readonly number[], fields: { kind?: "notification"; accountId?: number } = {}) {
  const rows = seconds.map((one) => ({
    ...mailRow({ ...letter, ...fields, address: `${one}@example.net` }, NOW),
    nextAttemptAt: sql`now() + ${one} * interval '1 second'`,
  }));
  const stored = await db.insert(mail).values(rows).returning({ id: mail.id });
  return stored.map(({ id }) => id);
}

const stateOf = async (id = 0) => {
  const [row] = await db
    .select({ status: mail.status, attempts: mail.attempts, lastError: mail.lastError })
    .from(mail)
    .where(eq(mail.id, id));
  return row;
};

const finished = (rows: readonly ClaimedMail[], outcome: MailResult["outcome"]) =>
  finish(db, { rows, outcome, error: outcome === "sent" ? null : outcome, until: null });

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);

describe("letters", () => {
  test("are taken as many as are asked for, those first that have waited longest, and none twice or before it is due", async () => {
    const [late, , latest, early] = await queued([-10, 60, -5, -30]);
    const first = await claimLetters(db, 2);
    expect(new Set(idsOf(first))).toEqual(new Set([early, late]));
    expect(first.map(({ attempts }) => attempts)).toEqual([1, 1]);
    expect(idsOf(await claimLetters(db, 9))).toEqual([latest]);
    expect(await claimLetters(db, 9)).toEqual([]);
  });

  test("that failed after their lease was over change nothing, and those that were sent are sent", async () => {
    const [id] = await queued([-1]);
    const old = await claimLetters(db, 1);
    await db.update(mail).set({ nextAttemptAt: sql`now() - interval '1 second'` });
    const renewed = await claimLetters(db, 1);
    for (const outcome of ["failed", "retried", "dropped"] as const) {
      await finished(old, outcome);
      expect(await stateOf(id)).toEqual({ status: "pending", attempts: 2, lastError: null });
    }
    await finished(old, "sent");
    expect(await stateOf(id)).toMatchObject({ status: "sent" });
    await finished(renewed, "failed");
    expect(await stateOf(id)).toMatchObject({ status: "sent", lastError: null });
  });
});

describe("notifications", () => {
  const ofNew = async (seconds: readonly number[]) => {
    const accountId = await accountIdOf(db, await make.user());
    return { accountId, ids: await queued(seconds, { kind: "notification", accountId }) };
  };

  test("of an account are one mail of a hundred at most, the oldest; accounts go by who has waited longest", async () => {
    const [many, waiting, later] = [await ofNew(Array(101).fill(-5)), await ofNew([-30, 60]), await ofNew([-1])];
    const taken = await bundles(2);
    expect(taken.map((bundle) => bundle[0]?.accountId)).toEqual([waiting.accountId, many.accountId]);
    expect(taken.map(idsOf)).toEqual([waiting.ids.slice(0, 1), many.ids.slice(0, 100)]);
    const next = await bundles(9);
    expect(next.map(idsOf)).toEqual([later.ids]);
  });

  test("pause for five minutes after a mail, and while one is being sent", async () => {
    const { accountId, ids } = await ofNew([-5]);
    const [bundle = []] = await bundles(9);
    const [more] = await queued([-1], { kind: "notification", accountId });
    expect(await bundles(9)).toEqual([]);
    await finished(bundle, "sent");
    for (const [sent, isTaken] of [
      ["4 minutes 58 seconds", false],
      ["5 minutes", true],
    ] as const) {
      await db
        .update(mail)
        .set({ nextAttemptAt: sql`now()` })
        .where(eq(mail.id, more ?? 0));
      await db
        .update(mail)
        .set({ sentAt: sql`now() - ${sent}::interval` })
        .where(eq(mail.id, ids[0] ?? 0));
      expect((await bundles(9)).map(idsOf)).toEqual(isTaken ? [[more]] : []);
    }
  });

  test("that wait for the hour of their daily mail keep nobody from a mail before it", async () => {
    const { accountId } = await ofNew([30]);
    const [now] = await queued([-1], { kind: "notification", accountId });
    expect((await bundles(9)).map(idsOf)).toEqual([[now]]);
  });

  test("of a mail that failed are repeated as that mail, without what came since", async () => {
    const { accountId, ids } = await ofNew([-5, -4]);
    const [bundle = []] = await bundles(9);
    await finished(bundle, "retried");
    const [since] = await queued([-3], { kind: "notification", accountId });
    await db.update(mail).set({ nextAttemptAt: sql`now()` });
    const [again = []] = await bundles(9);
    expect(idsOf(again)).toEqual(ids);
    expect(new Set(again.map(({ data }) => data?.bundle))).toEqual(new Set([bundle[0]?.data?.bundle]));
    expect(idsOf(again)).not.toContain(since);
  });
});
