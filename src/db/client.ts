// Drizzle on top of a driver, and transactions that are tried again when the database asks for it. Everything above db/
// sees only this, whichever database runs below.

import { setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Channel, Connection, Driver, ServerState, TransactionConnection } from "./driver.js";
import { isLockTimeout, isLostRace, isRetryable } from "./failures.js";
import { openQueries, type Queries, type Transaction } from "./queries.js";
import { arrayLiteral } from "./statements.js";
import { isTouched, type Touched, untouched } from "./touched.js";
import type { CommitHookFactory, UnitOfWork } from "./unitOfWork.js";
import { type ChangeOptions, inAll, WorkspaceQueues } from "./workspaceQueue.js";

export type { Queries, Transaction } from "./queries.js";

/** The database of a process. */
export interface Database extends Queries, Pick<Driver, "ping" | "asOnlyProcess" | "waitingMs" | "close"> {
  /**
   * Runs `run` in one transaction; again, up to three times, after a deadlock or a serialization failure, and for about ten seconds while
   * somebody holds a lock that it needs.
   */
  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Runs a change of a workspace in its turn, as the workspace's one writer; resolves once it is committed (`workspaceQueue.ts`). */
  change<T>(workspaceId: number, options: ChangeOptions, run: (unit: UnitOfWork) => Promise<T>): Promise<T>;
  /** Runs a change of several workspaces, locked in ascending order, as `transaction` does. Each that exists has a unit. */
  changeAll<T>(
    workspaceIds: (tx: Transaction) => Promise<readonly number[]>,
    run: (tx: Transaction, units: Map<number, UnitOfWork>) => Promise<T>,
  ): Promise<T>;
  /** Has every batch of changes looked at before it is committed. */
  beforeCommit(hook: CommitHookFactory): void;
  /** Calls `listener` after every commit of this process that touched something, until the function it returns is called. */
  onCommit(listener: (touched: Touched) => void): () => void;
  /** Notes the servers of a distributed database, as the driver does. */
  noteServers(servers: readonly ServerState[]): void;
  /** The bytes that are free on the disk of an embedded database; infinite on a server. */
  freeBytes(): number;
  /** Opens a channel between the processes on this database; null where there is one process alone. */
  openChannel(name: string, onMessage: (payload: string) => void): Channel | null;
}

const ATTEMPTS = 4;
/** A transaction that waits for a lock tries again after each half second: others may hold an account's row, or a workspace, in turn. */
const LOCK_ATTEMPTS = 20;

/** Makes an attempt again after an error for which `mayRepeat` holds, or a wait in vain for a lock. */
async function repeated<T>(mayRepeat: (error: unknown) => boolean, attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      const most = isLockTimeout(error) ? LOCK_ATTEMPTS : mayRepeat(error) ? ATTEMPTS : 1;
      if (count >= most) throw error;
      // The pause is random, so that those who met once do not meet again.
      await sleep(Math.random() * 20 * Math.min(count, ATTEMPTS));
    }
  }
}

/** Puts the query builder, transactions and the queues of the workspaces on a driver. */
export function openDatabase(driver: Driver): Database {
  const listeners = new Set<(touched: Touched) => void>();
  const hooks: CommitHookFactory[] = [];
  const notify = (touched: Touched) => {
    if (isTouched(touched)) for (const listener of listeners) listener(touched);
  };

  /** Runs `attempt` in a transaction, and after the commit reports what it touched. */
  const committed = <T>(attempt: (tx: Transaction, connection: TransactionConnection) => Promise<T>): Promise<T> =>
    repeated(isRetryable, async () => {
      const touched = untouched();
      const result = await driver.transaction((connection) =>
        attempt(Object.assign(openQueries(connection), { touched }), connection),
      );
      notify(touched);
      return result;
    });
  // A statement of its own that failed was rolled back as a whole.
  const repeating: Connection = {
    query: (text, params, mode) => repeated(isLostRace, () => driver.query(text, params, mode)),
  };
  const queues = new WorkspaceQueues({ driver, queriesOn: openQueries, hooks, onCommit: notify });

  const database: Omit<Database, keyof Queries> = {
    transaction: committed,
    change: (workspaceId, options, run) => queues.run(workspaceId, options, run),
    changeAll: (workspaceIds, run) =>
      committed(async (tx, connection) =>
        inAll({ tx, connection, driver, queriesOn: openQueries, hooks }, await workspaceIds(tx), run),
      ),
    beforeCommit: (hook) => void hooks.push(hook),
    onCommit: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    noteServers: (servers) => driver.noteServers?.(servers),
    freeBytes: () => driver.freeBytes?.() ?? Number.POSITIVE_INFINITY,
    openChannel: (name, onMessage) => driver.openChannel?.(name, onMessage) ?? null,
    ping: () => driver.ping(),
    asOnlyProcess: (name, run) => driver.asOnlyProcess(name, run),
    waitingMs: () => driver.waitingMs(),
    close: () => {
      queues.close();
      return driver.close();
    },
  };
  return Object.assign(openQueries(repeating), database);
}

/** Makes something once for each database, when it is first asked for. */
export function oncePer<T>(make: (db: Database) => T): (db: Database) => T {
  const made = new WeakMap<Database, { value: T }>();
  return (db) => {
    const known = made.get(db) ?? { value: make(db) };
    made.set(db, known);
    return known.value;
  };
}

/** An array of text as one parameter. */
export const texts = (values: readonly string[]) => sql`${arrayLiteral(values)}::text::text[]`;
/** An array of database keys as one parameter. */
export const bigints = (values: readonly number[]) => sql`${`{${values.join(",")}}`}::text::bigint[]`;
/** Whether a column holds one of some keys or texts, which are one parameter however many they are. */
export const oneOf = (column: PgColumn, values: readonly (string | number)[]): SQL<boolean> =>
  sql`${column} = any(${arrayLiteral(values.map(String))}::text::${sql.raw(column.getSQLType())}[])`;
/** A JSON document as one parameter. */
export const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`;
