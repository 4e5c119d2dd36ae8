// The reads and writes of one change of a workspace. Writes are buffered, and sent as merged statements before the next read and
// with COMMIT. Event numbers, card numbers and row keys are counted here, from the counter that the transaction has locked.

import { getTableColumns, getTableName, type SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { newPublicIdIn } from "./ids.js";
import type { Queries } from "./queries.js";
import { idempotencyKey, workspace } from "./schema/index.js";
import type { Touched } from "./touched.js";
import { deletion, type Inserted, inserts, type Some, update, updates, type Where, type Write } from "./typedWrites.js";
import { type Counter, type EventRow, hasWorkspaceId, type WorkspaceTransaction } from "./workspaceTransaction.js";

/** An event as a change logs it; the unit adds its number and time. */
export type LoggedEvent = Omit<EventRow, "seq" | "createdAt" | "redacted">;

/** A row to insert. The workspace and the time of creation are filled in. */
type NewRow<T extends PgTable> = Omit<Inserted<T>, "workspaceId">;

/** The inside of one change. No write is awaited: the caller gets its response once all of them are committed. */
export interface UnitOfWork {
  readonly workspaceId: number;
  /** Reads, which see the earlier writes of the change. */
  readonly db: Queries;
  /** The database's time of the change, after the wait for the lock; ISO 8601. */
  readonly now: string;
  /** The changed objects that others may wait for besides the workspace. */
  readonly touched: Touched<Set<number>>;
  /** A new public identifier for an object in the workspace. */
  newPublicId(): string;
  /** The next row key of the workspace. */
  newRowId(): number;
  /** The next card number of the workspace; take one only for a card that will be created. */
  newCardNumber(): number;
  /** Inserts rows that give the same columns. */
  add<T extends PgTable>(table: T, ...rows: NewRow<T>[]): void;
  /** Updates the one row that has a key; a key that names no row fails the change. */
  set<T extends PgTable>(table: T, key: Omit<Some<T>, "workspaceId">, values: Some<T>): void;
  /** Updates rows by their keys, each with its own values for the same columns. A key of no row, or twice, fails the change. */
  setEach<T extends PgTable>(table: T, rows: readonly (Some<T> & { id: number })[]): void;
  /** Deletes every row with the given values. */
  remove<T extends PgTable>(table: T, where: Omit<Where<T>, "workspaceId">): void;
  /** Sends buffered writes and waits for the database; a large change calls it regularly to keep little in memory. */
  flush(): Promise<void>;
  /** Any other statement that writes; returns its rows. It sees the events that were logged before. */
  write<Row>(statement: SQL): Promise<Row[]>;
  /** Logs an event and gives its number. */
  log(entry: LoggedEvent): number;
  /** Deletes the workspace with everything in it. The change must run alone, and logs nothing. */
  removeWorkspace(): void;
  /** The number of the last event that this change logged; null if it logged none. */
  readonly lastEvent: number | null;
}

/** Sees what a batch logged before it is committed. Created after the lock, so that it can read ahead. */
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
    const all: { workspaceId?: number; createdAt?: string } = {};
    if (hasWorkspaceId(table)) all.workspaceId = this.workspaceId;
    if (hasCreatedAt(table)) all.createdAt = this.now;
    for (const write of inserts<T>(table, rows, all as Some<T>)) this.#add(write);
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
    events.push({ seq: counter.eventSeq, createdAt: this.now, ...entry });
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

  /** Undoes a failed change as long as none of its writes was sent; false if only a rollback helps. */
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

  /** Remembers the state before the first write. */
  #begin(): void {
    if (this.#hasWritten) return;
    this.#hasWritten = true;
    this.#before.counter = { ...this.#transaction.counter };
    this.#flushes = this.#transaction.flushes;
  }
}

/** A function call takes a limited number of arguments. */
const ADDED_AT_ONCE = 1000;

/** Inserts any number of rows that give the same columns. */
export function addRows<T extends PgTable>(tx: Pick<UnitOfWork, "add">, table: T, rows: readonly NewRow<T>[]): void {
  for (let from = 0; from < rows.length; from += ADDED_AT_ONCE) {
    tx.add(table, ...rows.slice(from, from + ADDED_AT_ONCE));
  }
}

/** Rows by table, so that many objects are written with as many statements as one. The tables are written in the given order. */
export class NewRows implements Pick<UnitOfWork, "add"> {
  readonly #rows: Map<PgTable, object[]>;

  constructor(tables: readonly PgTable[]) {
    this.#rows = new Map(tables.map((table) => [table, []]));
  }

  add<T extends PgTable>(table: T, ...rows: NewRow<T>[]): void {
    const known = this.#rows.get(table);
    if (known === undefined) throw new TypeError(`${getTableName(table)} is not among the tables of these rows`);
    known.push(...rows);
  }

  write(tx: Pick<UnitOfWork, "add">): void {
    for (const [table, rows] of this.#rows) addRows(tx, table, rows);
  }
}

/** Updates rows by their keys, each with values of its own for the same columns: one as itself, more as one document. */
export function setRows<T extends PgTable>(
  tx: Pick<UnitOfWork, "set" | "setEach">,
  table: T,
  rows: readonly (Some<T> & { id: number })[],
): void {
  const [only, ...others] = rows;
  if (only === undefined || others.length > 0) {
    tx.setEach(table, rows);
    return;
  }
  const { id, ...own } = only;
  const key: object = { id };
  const values: object = own;
  tx.set(table, key as Omit<Some<T>, "workspaceId">, values as Some<T>);
}
