// The driver for the embedded database: PGlite, made durable and held by one process. embedded/ has its parts: the session,
// transactions on it, the files and the lock. DATA_DIR holds `postgres/` and `lock/`.

import { join, resolve } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import type { Connection, Driver, Param, RowMode, TransactionConnection } from "./driver.js";
import { DataDirError } from "./embedded/dataDir.js";
import { Disk, type DiskState, freeBytesAt, LOG_FILE_BYTES, LowDiskError, RESERVED_BYTES } from "./embedded/disk.js";
import { DurableFiles } from "./embedded/files.js";
import { lockDirectory } from "./embedded/lock.js";
import { care, tablesInNeed } from "./embedded/maintenance.js";
import { EmbeddedSession, rowsOf } from "./embedded/session.js";
import { Queue } from "./embedded/sessionQueue.js";
import { inEmbeddedTransaction } from "./embedded/transactions.js";
import { codes, connectionError, isReadOnly, reasonOf } from "./failures.js";

export { DataDirError } from "./embedded/dataDir.js";
export { DataDirInUseError } from "./embedded/lock.js";

/** Settings of an embedded database. */
interface EmbeddedOptions {
  /** The data directory; null: in memory, for tests. */
  dataDir: string | null;
  /** Fills a new database from a `dump`, in a quarter of the time. Ignored when `dataDir` already has a database. */
  loadFrom?: Blob;
  /** Called once when the database has failed for good: nothing more is read or written, and what was committed is on disk. */
  onFailure?: (failure: Error) => void;
  /** Called when the disk is nearly full, the directory is gone, or neither holds any longer. */
  onDisk?: (state: DiskState) => void;
}

/** A database is there, but cannot be opened. */
export class DamagedDatabaseError extends DataDirError {
  override readonly name = "DamagedDatabaseError";

  constructor(directory: string, reason: string, cause: unknown) {
    super(
      `The database in ${directory} cannot be opened: ${reason}. Restore a backup, or set DATA_DIR to another directory`,
      { cause },
    );
  }
}

/** A driver whose whole database can be copied. */
export interface EmbeddedDriver extends Driver {
  /** A copy of the database, for `loadFrom` of the same release of PGlite. */
  dump(): Promise<Blob>;
  refuseWrites(isRefusing: boolean): Promise<boolean>;
  /** Analyses the tables that have changed much, and vacuums those that need it if nothing else waits, or analyses alone. */
  maintain(work?: "analyze" | "vacuum"): Promise<void>;
}

// There is no statement_timeout: PGlite accepts the setting, but its timer cannot fire while a statement runs.
// Statements find rows by their keys: a fifth of the usual sample is enough, and everybody waits while it is read.
const SETTINGS = ["-c", "TimeZone=UTC", "-c", "DateStyle=ISO, MDY", "-c", "default_statistics_target=20"];
/** PGlite turns fsync off by -F, and does nothing in fdatasync. */
const DURABLE_START = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"),
  ...["-c", "fsync=on", "-c", "wal_sync_method=fsync"],
  ...SETTINGS,
];
const VOLATILE_START = [...PGlite.defaultStartParams, ...SETTINGS];
const CHECKPOINT_INTERVAL_MS = 5 * 60_000;
const MAINTENANCE_INTERVAL_MS = 5000;
/** Vacuum waits for an interval without a transaction; where none comes, for so many intervals. */
const BUSY_INTERVALS_MAX = 60;

/**
 * Opens the database, and creates it first where there is none.
 * @throws DataDirInUseError when a live process, this one included, has `dataDir` open; DamagedDatabaseError; DataDirError when
 * the system refuses the directory.
 */
export async function openEmbedded({ dataDir, ...options }: EmbeddedOptions): Promise<EmbeddedDriver> {
  if (dataDir === null) {
    const { loadFrom, onFailure } = options;
    const pg = await PGlite.create({ startParams: VOLATILE_START, ...(loadFrom && { loadDataDir: loadFrom }) });
    const session = new EmbeddedSession(pg, { failure: undefined, fatalOutput: undefined }, onFailure);
    return new Embedded(session, async () => {}, null);
  }
  const root = resolve(dataDir);
  try {
    return await openIn(root, options);
  } catch (error) {
    const isRefused = error instanceof Error && !(error instanceof DataDirError) && codes(error).length > 0;
    throw isRefused ? new DataDirError(`DATA_DIR ${root} cannot be used: ${reasonOf(error)}`, { cause: error }) : error;
  }
}

async function openIn(
  root: string,
  { loadFrom, onFailure, onDisk }: Omit<EmbeddedOptions, "dataDir">,
): Promise<EmbeddedDriver> {
  const release = await lockDirectory(root);
  const files = new DurableFiles(root);
  try {
    const pg = await PGlite.create({
      fs: files,
      startParams: DURABLE_START,
      ...(loadFrom && files.isNew && { loadDataDir: loadFrom }),
    });
    return new Embedded(new EmbeddedSession(pg, files, onFailure), release, new Disk(root, onDisk));
  } catch (error) {
    await release();
    if (freeBytesAt(root) < RESERVED_BYTES) throw new LowDiskError(root, error);
    const hasGivenUp = !files.isNew && codes(error).length === 0;
    throw hasGivenUp
      ? new DamagedDatabaseError(join(root, "postgres"), files.fatalOutput ?? String(error), error)
      : error;
  }
}

class Embedded implements EmbeddedDriver {
  readonly isDistributed = false;
  readonly #session: EmbeddedSession;
  readonly #release: () => Promise<void>;
  readonly #disk: Disk | null;
  readonly #queue = new Queue();
  readonly #checkpoints: NodeJS.Timeout;
  readonly #maintenance: NodeJS.Timeout;
  #mayNeedCare = false;
  #hasChanged = false;
  #busyIntervals = 0;
  #refusesWrites = false;
  /** Whether the session only reads: `refuseWrites` asked for it, or the disk is nearly full. */
  #isReadOnly = false;
  #closed: Promise<void> | undefined;

  constructor(session: EmbeddedSession, release: () => Promise<void>, disk: Disk | null) {
    this.#session = session;
    this.#release = release;
    this.#disk = disk;
    // PostgreSQL in a single process never checkpoints by itself: its log would grow, and recovery with it, until close.
    this.#checkpoints = setInterval(() => this.#checkpointAlone(), CHECKPOINT_INTERVAL_MS).unref();
    this.#maintenance = setInterval(() => this.#maintainAfterChanges(), MAINTENANCE_INTERVAL_MS).unref();
  }

  query(text: string, params: readonly Param[], mode: RowMode): Promise<unknown[]> {
    return this.#alone(async () => rowsOf(await this.#session.run([{ text, params }]), mode));
  }

  transaction<T>(run: (connection: TransactionConnection) => Promise<T>): Promise<T> {
    this.#hasChanged = true;
    return this.#alone(() => inEmbeddedTransaction(this.#session, run));
  }

  migrate(run: Parameters<Driver["migrate"]>[0]): Promise<void> {
    return this.#alone(async () => {
      try {
        await inEmbeddedTransaction(this.#session, (transaction) =>
          run((text) => transaction.script(text), transaction),
        );
      } finally {
        // A prepared `select *` fails for ever once its table has another column.
        await this.#session.forgetPrepared();
      }
    });
  }

  snapshot<T>(_tables: readonly string[], run: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#alone(() => inEmbeddedTransaction(this.#session, run));
  }

  refuseWrites(isRefusing: boolean): Promise<boolean> {
    return this.#alone(async () => {
      const didRefuse = this.#refusesWrites;
      this.#refusesWrites = isRefusing;
      await this.#setReadOnly();
      return didRefuse;
    });
  }

  freeBytes(): number {
    return this.#disk?.freeBytes ?? Number.POSITIVE_INFINITY;
  }

  dump(): Promise<Blob> {
    return this.#alone(() => this.#session.dump());
  }

  async maintain(work: "analyze" | "vacuum" = "vacuum"): Promise<void> {
    this.#mayNeedCare = false;
    for (const needs of await this.#alone(() => tablesInNeed(this.#session))) {
      const vacuum = needs.vacuum && work === "vacuum" && this.#queue.waitingMs === 0;
      if (vacuum || needs.analyze) await this.#alone(() => care(this.#session, { ...needs, vacuum }));
      if (vacuum !== needs.vacuum) this.#mayNeedCare = true;
    }
  }

  /** The one session is asked where it is free. Where it is not, it answers others: it works in this process, or has failed. */
  async ping(): Promise<void> {
    this.#disk?.mustBeThere();
    if (this.#queue.isIdle || this.#closed) await this.query("select 1", [], "array");
    else this.#session.mustBeWhole();
  }

  /** There is no other process. */
  async asOnlyProcess(_name: string, run: () => Promise<void>): Promise<boolean> {
    await run();
    return true;
  }

  waitingMs(): number {
    return this.#queue.waitingMs;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    clearInterval(this.#checkpoints);
    clearInterval(this.#maintenance);
    try {
      await this.#queue.add(() => this.#session.close());
    } finally {
      await this.#release();
    }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(connectionError("CONNECTION_ENDED", "The database is closed"));
    return this.#queue.add(async () => {
      await this.#setReadOnly();
      return work().catch((error: unknown) => {
        const isOfDisk = this.#disk !== null && !this.#refusesWrites && isReadOnly(error);
        throw isOfDisk ? new LowDiskError(this.#disk.dataDir, error) : error;
      });
    });
  }

  /** Lets the session write, unless `refuseWrites` or a nearly full disk forbids it. @throws a connection error if the directory is gone */
  async #setReadOnly(): Promise<void> {
    const isLow = this.#disk?.mustBeThere() === "low";
    const isReadOnly = this.#refusesWrites || isLow;
    if (isReadOnly === this.#isReadOnly) return;
    await this.#session.script(`set default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
    this.#isReadOnly = isReadOnly;
    // A checkpoint lets PostgreSQL remove the log before it.
    if (isLow) await this.#checkpoint();
  }

  /** Makes a checkpoint, unless the disk is too full for one. */
  async #checkpoint(): Promise<void> {
    if (this.freeBytes() >= LOG_FILE_BYTES) await this.#session.checkpoint();
  }

  #checkpointAlone(): void {
    // If it fails, the next statement fails for the same reason and reports it.
    this.#alone(() => this.#checkpoint()).catch(() => {});
  }

  #maintainAfterChanges(): void {
    const isQuiet = !this.#hasChanged;
    if (this.#isReadOnly || (isQuiet && !this.#mayNeedCare)) return;
    this.#hasChanged = false;
    this.#busyIntervals = isQuiet ? 0 : this.#busyIntervals + 1;
    const isDue = isQuiet || this.#busyIntervals % BUSY_INTERVALS_MAX === 0;
    this.maintain(isDue ? "vacuum" : "analyze").catch(() => {});
  }
}
