// Calls that wait for each other's locks, in an order of a test's choosing. The embedded database runs them one after the other,
// which must give the same.

import { setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { inject } from "vitest";
import type { Transaction } from "../../src/db/client.js";
import type { Answer, TestApp, Workspace } from "./app.js";

type Call = () => Promise<Answer>;

/** Ways to race calls on an application's database. */
export function racingOn({ db }: TestApp) {
  /** Waits until as many sessions wait for a lock. */
  async function waiting(sessions: number): Promise<void> {
    for (;;) {
      const [row] = await db.rows<{ count: number }>(sql`
        select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      if ((row?.count ?? 0) >= sessions) return;
      await sleep(5);
    }
  }

  /**
   * Starts calls one after the other while `hold` keeps its locks: each has come to its first wait before the next one begins.
   * `look` is the last thing done before the locks are let go.
   */
  async function meanwhile(
    hold: (tx: Transaction) => Promise<unknown>,
    calls: Call[],
    look: () => Promise<void> = async () => {},
  ): Promise<Answer[]> {
    if (inject("template").kind === "embedded") {
      const answers = [];
      for (const call of calls) answers.push(await call());
      return answers;
    }
    const pending: Promise<Answer>[] = [];
    await db.transaction(async (tx) => {
      await hold(tx);
      for (const call of calls) {
        pending.push(call());
        await waiting(pending.length);
      }
      await look();
    });
    return Promise.all(pending);
  }

  /** Runs calls that come to a row one after the other, and wait for it. */
  const waitingFor = (row: SQL, ...calls: Call[]) =>
    meanwhile((tx) => tx.rows(sql`select 1 from ${row} for update`), calls);

  /** Runs calls so that the first has all its locks, but has not written, when the next one begins. */
  const raced = ({ publicId }: Workspace, ...calls: Call[]) =>
    waitingFor(
      sql`workspace_counter where workspace_id = (select id from workspace where public_id = ${publicId}::text)`,
      ...calls,
    );

  return { meanwhile, waitingFor, raced };
}
