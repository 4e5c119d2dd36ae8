// The transaction of one workspace: it locks the workspace's counter first, buffers writes, sends them as merged statements, and
// ends with COMMIT.

import type { SQL } from "drizzle-orm";
import { getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Connection, Driver, Param, RowMode, TransactionConnection } from "./driver.js";
import { type EarlyRead, EarlyReads } from "./earlyReads.js";
import { event, workspace, workspaceCounter } from "./schema/index.js";
import { compile } from "./statements.js";
import { untouched } from "./touched.js";
import {
  type Inserted,
  inserts,
  lengthOf,
  MAX_LENGTH,
  mergedStatement,
  singleStatement,
  update,
  type Write,
} from "./typedWrites.js";

/** An event as it is stored, but for its workspace. */
export type EventRow = Omit<Inserted<typeof event>, "workspaceId">;

/** The counters of a workspace. */
export interface Counter {
  eventSeq: number;
  cardNumber: number;
  rowId: number;
}

/**
 * A separate statement, so that later statements see what was committed during the wait. The clock is read outside of the locking
 * query, and so after the wait.
 */
const LOCK = `with locked as materialized (
    select event_seq, card_number, row_id from workspace_counter where workspace_id = $1 for no key update
  )
  select event_seq as "eventSeq", card_number as "cardNumber", row_id as "rowId", clock_timestamp() as now from locked`;

/** Buffered writes with more characters are sent before further events are serialized. */
const MANY = MAX_LENGTH / 8;

/** Whether rows of a table belong to a workspace. */
export const hasWorkspaceId = (table: PgTable) => "workspaceId" in getTableColumns(table);
/** Rows outside of any workspace are written last, because other workspaces write them as well. */
const isOutside = (table: PgTable) => !hasWorkspaceId(table) && table !== workspace;

/** The database refused a statement of the transaction, which can only be rolled back. */
interface Breakage {
  error: unknown;
}

/** The transaction of one workspace: its lock, its counter, and its buffered writes. */
export class WorkspaceTransaction {
  readonly workspaceId: number;
  readonly touched = untouched();
  readonly events: EventRow[] = [];
  readonly #connection: TransactionConnection;
  readonly #isDistributed: boolean;
  readonly #state: Promise<void>;
  #counter: Counter | null = null;
  #lockedAtMs = 0;
  #lockedAt = 0;
  #pending: { write: Write; unit: object }[] = [];
  #pendingLength = 0;
  #breakage: Breakage | null = null;
  /** The number of events that are sent or ready to be sent. */
  #eventsAdded = 0;
  #hasWritten = false;
  readonly #earlyReads = new EarlyReads();

  constructor(
    connection: TransactionConnection,
    workspaceId: number,
    { isDistributed }: Pick<Driver, "isDistributed">,
  ) {
    this.#isDistributed = isDistributed;
    this.#connection = connection;
    this.workspaceId = workspaceId;
    this.#state = this.#readState();
    this.#state.catch(() => {});
  }

  /** The error that broke the transaction; null while it is intact. */
  get breakage(): Breakage | null {
    return this.#breakage;
  }

  /** Whether there is anything to commit. */
  get hasWritten(): boolean {
    return this.#hasWritten || this.#pending.length > 0;
  }

  /** Waits for the lock; whether the workspace exists. */
  async isThere(): Promise<boolean> {
    await this.#state;
    return this.#counter !== null;
  }

  /** Whether the workspace's lock was taken. */
  get isLocked(): boolean {
    return this.#lockedAtMs > 0;
  }

  /** Milliseconds of the database's clock, counted on from when the lock was taken. */
  get nowMs(): number {
    if (!this.isLocked) throw new Error("A change asked for the time before it read anything");
    return this.#lockedAt + (performance.now() - this.#lockedAtMs);
  }

  get counter(): Counter {
    if (this.#counter === null) throw new Error("A workspace that is not there was written to");
    return this.#counter;
  }

  restoreCounter(counter: Counter): void {
    this.#counter = counter;
  }

  /** The counter is deleted with its workspace, and is not written. */
  forgetCounter(): void {
    this.#counter = null;
  }

  /** The statements of a unit, which come behind what was written before. */
  readonly connection: Connection = {
    query: async (text: string, params: readonly Param[], mode: RowMode) => {
      const flushed = this.flush();
      flushed.catch(() => {});
      const early = this.#earlyReads.take(text, params);
      if (early !== undefined) {
        const rows = await early;
        if (rows !== null) return rows;
      }
      const answer = this.#watch(this.#connection.query(text, params, mode));
      answer.catch(() => {});
      await this.#state;
      await flushed;
      return answer;
    },
  };

  /** Sends a statement before the turn of its change, behind all that was written so far. */
  readEarly(read: EarlyRead): void {
    this.#earlyReads.add(read, () => {
      this.flush().catch(() => {});
      const rows = this.#watch(this.#connection.query(read.text, read.params, "object"));
      rows.catch(() => {});
      return rows;
    });
  }

  async #readState(): Promise<void> {
    const [row] = await this.#watch(this.#connection.query(LOCK, [this.workspaceId], "object"));
    this.#lockedAtMs = performance.now();
    if (row === undefined) return;
    const { now, ...counter } = row as Counter & { now: string };
    this.#lockedAt = Date.parse(now);
    this.#counter = counter;
  }

  async #watch<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      this.#breakage ??= { error };
      throw error;
    }
  }

  /**
   * Buffers a write for the next statement. Parts of one statement do not see each other, so a write to a table or row that an
   * earlier part changes differently goes into a later statement, as does one that would make the statement too long.
   */
  add(unit: object, write: Write): void {
    const meets = ({ write: earlier }: { write: Write }) =>
      earlier.table === write.table &&
      (earlier.kind !== write.kind ||
        (write.kind === "update" && (earlier.key === null || write.key === null || earlier.key === write.key)));
    const length = lengthOf(write);
    const isFull = this.#pendingLength + length > MAX_LENGTH;
    if (isFull || this.#pending.some(meets)) this.flush().catch(() => {});
    this.#earlyReads.noteWrite(write);
    this.#pending.push({ write, unit });
    this.#pendingLength += length;
  }

  /** Drops the unsent writes of a unit. */
  drop(unit: object): void {
    this.#earlyReads.noteWrite(null);
    this.#pending = this.#pending.filter((pending) => pending.unit !== unit);
    this.#pendingLength = this.#pending.reduce((length, { write }) => length + lengthOf(write), 0);
  }

  /** The number of writing statements that were sent, so that a unit knows whether its own were among them. */
  flushes = 0;

  /** Sends the buffered writes. */
  async flush(): Promise<void> {
    if (this.#pending.length === 0) return;
    await Promise.all(
      this.#statements().map(({ text, params }) => this.#watch(this.#connection.query(text, params, "array"))),
    );
  }

  /** Sends the buffered writes and events, and then a separate statement. */
  async write<Row>(statement: SQL): Promise<Row[]> {
    for (const events of this.#newEvents()) this.add(this, events);
    this.#hasWritten = true;
    this.flushes += 1;
    this.#earlyReads.noteWrite(null);
    const { text, params } = compile(statement);
    return (await this.connection.query(text, params, "object")) as Row[];
  }

  /** Sends the rest with COMMIT; resolves when it is durable. */
  async commit(): Promise<void> {
    await this.#close();
    const statements = this.#statements();
    const last = statements.pop();
    for (const { text, params } of statements) {
      this.#watch(this.#connection.query(text, params, "array")).catch(() => {});
    }
    if (last !== undefined) await this.#watch(this.#connection.last(last.text, last.params, "array"));
  }

  /** Sends the rest, and leaves COMMIT to the caller. */
  async finish(): Promise<void> {
    if (!this.hasWritten && this.events.length === 0) return;
    await this.#close();
    await this.flush();
  }

  /** The events that were logged since it was last called. */
  *#newEvents(): Generator<Write> {
    const logged = this.events.slice(this.#eventsAdded);
    this.#eventsAdded = this.events.length;
    yield* inserts(event, logged, { workspaceId: this.workspaceId });
  }

  /** Adds what is written once for all units: events and the counter. */
  async #close(): Promise<void> {
    const { workspaceId } = this;
    for (const events of this.#newEvents()) {
      // Avoids a second copy of many events as text. Other calls run while the database answers.
      if (this.#pendingLength > MANY) await this.flush();
      this.add(this, events);
    }
    if (this.#counter !== null) this.add(this, update(workspaceCounter, { workspaceId }, { ...this.#counter }));
  }

  /** The buffered writes, merged; rows outside of the workspace come last. */
  #statements(): { text: string; params: Param[] }[] {
    const writes = this.#pending.map(({ write }) => write);
    this.#pending = [];
    this.#pendingLength = 0;
    if (writes.length === 0) return [];
    this.#hasWritten = true;
    this.flushes += 1;
    const inside = writes.filter(({ table }) => !isOutside(table));
    const outside = writes.filter(({ table }) => isOutside(table));
    // Citus splits a statement with several writes, with one round trip for each.
    if (this.#isDistributed) return [...inside, ...outside].map(singleStatement);
    return [
      ...(inside.length > 0 ? [mergedStatement(inside)] : []),
      ...outside.map((write) => mergedStatement([write])),
    ];
  }
}
