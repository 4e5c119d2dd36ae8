// What one change of a workspace reads and writes. Writes are buffered, and sent merged before the next read and with COMMIT;
// event numbers, card numbers and row keys are counted here, from the counter that the transaction has locked.

import { getTableColumns, type SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Queries, Touched } from "./client.js";
import { newPublicIdIn } from "./ids.js";
import { idempotencyKey, workspace } from "./schema/index.js";
import { deletion, type Inserted, inserts, type Some, update, updates, type Where, type Write } from "./typedWrites.js";
import { type Counter, type EventRow, hasWorkspaceId, type WorkspaceTransaction } from "./workspaceTransaction.js";

/** An event as a change logs it; its number and time are the unit's. */
export type LoggedEvent = Omit<EventRow, "seq" | "createdAt" | "redacted">;

/** A row to insert. The workspace and the time of creation are filled in. */
export type NewRow<T extends PgTable> = Omit<Inserted<T>, "workspaceId">;

/** The inside of one change. Nothing that it writes is awaited: the change is answered once all of it is committed. */
export interface UnitOfWork {
  readonly workspaceId: number;
  /** Reads, which see what the change has written before. */
  readonly db: Queries;
  /** The database's time at the change, after the wait for the lock; ISO 8601. */
  readonly now: string;
  /** What somebody may be waiting for beside the workspace. */
  readonly touched: Touched<Set<number>>;
  /** A new public identifier of something in the workspace. */
  newPublicId(): string;
  /** The next row key of the workspace. */
  newRowId(): number;
  /** The next card number of the workspace; take one only for a card that will be there. */
  newCardNumber(): number;
  /** Inserts rows that give the same columns. */
  add<T extends PgTable>(table: T, ...rows: NewRow<T>[]): void;
  /** Updates the one row that has a key; a key that names no row fails the change. */
  set<T extends PgTable>(table: T, key: Omit<Some<T>, "workspaceId">, values: Some<T>): void;
  /** Updates many rows by their keys, each with values of its own for the same columns. */
  setEach<T extends PgTable>(table: T, rows: readonly (Some<T> & { id: number })[]): void;
  /** Deletes every row that has some values. */
  remove<T extends PgTable>(table: T, where: Omit<Where<T>, "workspaceId">): void;
  /** Sends what waits and waits for the database: a large change calls it now and then, and so keeps little in memory. */
  flush(): Promise<void>;
  /** Any other statement that writes; its rows. It finds in the log what was logged before. */
  write<Row>(statement: SQL): Promise<Row[]>;
  /** Logs an event and gives its number. */
  log(entry: LoggedEvent): number;
  /** Deletes the workspace with everything in it. The change must run alone, and logs nothing. */
  removeWorkspace(): void;
  /** The number of the last event that this change logged; null where it logged none. */
  readonly lastEvent: number | null;
}

/** Looks at what a batch logged before it is committed. Created behind the lock, so that it can read ahead. */
export interface CommitHook {
  beforeCommit(unit: UnitOfWork, events: readonly EventRow[]): Promise<void>;
}
export type CommitHookFactory = (db: Queries, workspaceId: number) => CommitHook;

const hasCreatedAt = (table: PgTable) => "createdAt" in getTableColumns(table);

/** One change within a transaction. */
export class Unit implements UnitOfWork {
  readonly workspaceId: number;
  readonly db: Queries;
  lastEvent: number | null = null;
  readonly #transaction: WorkspaceTransaction;
  readonly #before: { counter: Counter | null; events: number };
  #flushes = 0;
  #hasWritten = false;
  #now: string | null = null;

  constructor(transaction: WorkspaceTransaction, db: Queries) {
    this.#transaction = transaction;
    this.workspaceId = transaction.workspaceId;
    this.db = db;
    this.#before = { counter: null, events: transaction.events.length };
  }

  get touched(): Touched<Set<number>> {
    return this.#transaction.touched;
  }

  get now(): string {
    this.#now ??= new Date(this.#transaction.nowMs).toISOString();
    return this.#now;
  }

  newPublicId(): string {
    return newPublicIdIn(this.workspaceId);
  }

  newRowId(): number {
    this.#begin();
    return ++this.#transaction.counter.rowId;
  }

  newCardNumber(): number {
    this.#begin();
    return ++this.#transaction.counter.cardNumber;
  }

  add<T extends PgTable>(table: T, ...rows: NewRow<T>[]): void {
    const workspaceId = hasWorkspaceId(table) ? { workspaceId: this.workspaceId } : {};
    const createdAt = hasCreatedAt(table) ? { createdAt: this.now } : {};
    for (const write of inserts<T>(table, rows, { ...workspaceId, ...createdAt } as Some<T>)) this.#add(write);
  }

  set<T extends PgTable>(table: T, key: Omit<Some<T>, "workspaceId">, values: Some<T>): void {
    this.#add(update(table, this.#inWorkspace<T, Some<T>>(table, key), values));
  }

  setEach<T extends PgTable>(table: T, rows: readonly (Some<T> & { id: number })[]): void {
    for (const write of updates(table, this.workspaceId, rows)) this.#add(write);
  }

  remove<T extends PgTable>(table: T, where: Omit<Where<T>, "workspaceId">): void {
    this.#add(deletion(table, this.#inWorkspace<T, Where<T>>(table, where)));
  }

  flush(): Promise<void> {
    return this.#transaction.flush();
  }

  write<Row>(statement: SQL): Promise<Row[]> {
    this.#begin();
    return this.#transaction.write<Row>(statement);
  }

  log(entry: LoggedEvent): number {
    this.#begin();
    const { counter, events } = this.#transaction;
    counter.eventSeq += 1;
    events.push({ ...entry, seq: counter.eventSeq, createdAt: this.now });
    this.touched.workspaces.add(this.workspaceId);
    this.lastEvent = counter.eventSeq;
    return counter.eventSeq;
  }

  removeWorkspace(): void {
    this.#add(deletion(idempotencyKey, { workspaceId: this.workspaceId }));
    this.#add(deletion(workspace, { id: this.workspaceId }));
    this.touched.workspaces.add(this.workspaceId);
    this.#transaction.forgetCounter();
  }

  /** Undoes a change that failed, as long as nothing of it was sent; false where only a rollback helps. */
  undo(): boolean {
    if (!this.#hasWritten) return true;
    if (this.#transaction.flushes !== this.#flushes) return false;
    this.#transaction.drop(this);
    this.#transaction.events.length = this.#before.events;
    if (this.#before.counter !== null) this.#transaction.restoreCounter(this.#before.counter);
    return true;
  }

  #inWorkspace<T extends PgTable, Key>(table: T, key: object): Key {
    return (hasWorkspaceId(table) ? { workspaceId: this.workspaceId, ...key } : key) as Key;
  }

  #add(write: Write): void {
    this.#begin();
    this.#transaction.add(this, write);
  }

  /** Remembers how things stood before the first write. */
  #begin(): void {
    if (this.#hasWritten) return;
    this.#hasWritten = true;
    this.#before.counter = { ...this.#transaction.counter };
    this.#flushes = this.#transaction.flushes;
  }
}

/** A call takes so many arguments and no more. */
const ADDED_AT_ONCE = 1000;

/** Inserts any number of rows that give the same columns. */
export function addRows<T extends PgTable>(tx: Pick<UnitOfWork, "add">, table: T, rows: readonly NewRow<T>[]): void {
  for (let from = 0; from < rows.length; from += ADDED_AT_ONCE) {
    tx.add(table, ...rows.slice(from, from + ADDED_AT_ONCE));
  }
}
