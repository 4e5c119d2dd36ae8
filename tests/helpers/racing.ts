// Calls that wait for each other, in an order of a test's choosing. The embedded database runs them one after the other,
// which must give the same.

import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import postgres from "postgres";
import { inject } from "vitest";
import type { Database, Transaction } from "../../src/db/client.js";
import { workspaceOf } from "../../src/db/ids.js";
import type { Answer, TestApp, Workspace } from "./app.js";
import { isOnCitus } from "./databases.js";

type Call = () => Promise<Answer>;

const ON_ONE_SERVER = sql`(
  select pid, wait_event_type is not distinct from 'Lock' as waits from pg_stat_activity
  where datname = current_database() and state <> 'idle') session`;
/** A session of the coordinator waits in its session at a worker. */
const ON_CITUS = sql`(
  select (global_pid % 10000000000)::int as pid, bool_or(wait_event_type is not distinct from 'Lock') as waits
  from citus_stat_activity where datname = current_database() and state <> 'idle' group by global_pid) session`;

/** The sessions of the database that are not idle, as a table: `pid`, and whether it `waits` for a lock. */
export const sessions = () => (isOnCitus() ? ON_CITUS : ON_ONE_SERVER);

/** Waits until nothing goes on but waiting: for a lock, or for the turn in a workspace, which no session shows. */
export async function untilQuiet(db: Database, holder: number): Promise<void> {
  for (let quiet = 0; quiet < 4; ) {
    const [row] = await db.rows<{ busy: number; waiting: number }>(sql`
      select count(*) filter (where not waits) as busy, count(*) filter (where waits) as waiting
      from ${sessions()}
      where pid not in (pg_backend_pid(), ${holder}::int)`);
    quiet = row?.busy === 0 && row.waiting > 0 ? quiet + 1 : 0;
    await sleep(5);
  }
}

/** A session of another process that holds the counter of a workspace, and with it the turn of all its writers. */
export interface Holder {
  pid: number;
  run: postgres.ReservedSql;
  release(): Promise<void>;
}

/** Holds the counter of a workspace, until it is released. */
export async function holdCounter(url: string, workspaceId: number): Promise<Holder> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  const run = await client.reserve();
  await run`begin`;
  const [session] = await run<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const held = await run`select 1 from workspace_counter where workspace_id = ${workspaceId} for update`;
  if (session === undefined || held.length === 0) throw new Error("The workspace is not there");
  return {
    pid: session.pid,
    run,
    release: async () => {
      await run`commit`;
      run.release();
      await client.end();
    },
  };
}

/** Ways to race calls on an application's database. */
export function racingOn({ db }: TestApp) {
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
      const [session] = await tx.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      for (const call of calls) {
        pending.push(call());
        await untilQuiet(db, session?.pid ?? 0);
      }
      await look();
    });
    return Promise.all(pending);
  }

  /** Runs calls that come to a row one after the other, and wait for it. */
  const waitingFor = (row: SQL, ...calls: Call[]) =>
    meanwhile((tx) => tx.rows(sql`select 1 from ${row} for update`), calls);

  /** Runs calls that come to a workspace one after the other, and wait for their turn at it. */
  const raced = ({ publicId }: Workspace, ...calls: Call[]) =>
    waitingFor(sql`workspace_counter where workspace_id = ${workspaceOf(publicId)}::bigint`, ...calls);

  /**
   * Does something between what a call reads first and its turn at a workspace. `act` must not need the turn itself. The embedded
   * database runs what waits for its session in order.
   */
  async function overtaken<T>(
    { publicId }: Pick<Workspace, "publicId">,
    call: () => Promise<T>,
    act: () => Promise<unknown>,
  ) {
    let [pending, acted]: [Promise<T> | undefined, Promise<unknown> | undefined] = [undefined, undefined];
    const isEmbedded = inject("template").kind === "embedded";
    await db.transaction(async (tx) => {
      const [session] = await tx.rows<{ pid: number }>(sql`
        select pg_backend_pid() as pid from workspace_counter where workspace_id = ${workspaceOf(publicId)}::bigint for update`);
      pending = call();
      await (isEmbedded ? immediate() : untilQuiet(db, session?.pid ?? 0));
      acted = act();
      await (isEmbedded ? immediate() : acted);
    });
    await acted;
    return pending;
  }

  return { meanwhile, waitingFor, raced, overtaken };
}
