// Copies of the whole database for an operator: a backup as text, a restored backup, and the move from the embedded database to a
// server (capabilities section 4). Each leaves an entry in the audit log.

import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CopyError } from "../db/copy/copyError.js";
import { copiedTables, copyFrom, mustBeOfThisVersion } from "../db/copy/reading.js";
import { type Written, writeCopy } from "../db/copy/writing.js";
import type { Connection, Driver } from "../db/driver.js";
import { writtenIfPossible } from "../db/failures.js";
import { openQueries, type Queries } from "../db/queries.js";
import { type AuditType, logAct } from "../user/auditLog.js";
import { type BackupHeader, backupText, copyIn } from "./backupFile.js";

/** Nobody is signed in to a command. */
const audit = (db: Queries, type: AuditType) => logAct(db, null, { type, actorId: null });

const auditOn = (type: AuditType) => async (connection: Connection) =>
  void (await audit(openQueries(connection), type));

/** Reading in one transaction spans many servers, which have no snapshot in common. */
function mustBeOnOneServer(driver: Driver): void {
  if (!driver.isDistributed) return;
  throw new CopyError("The tables of the database are distributed: back up each server with PostgreSQL's own programs");
}

/**
 * The text of a backup of a database that may be in use: everything that was committed before the first piece, and nothing that is
 * committed later. The embedded database does nothing else until the text is read to its end, or given up.
 * @throws CopyError when the database is distributed, or not of this version.
 */
export async function* makeBackup(driver: Driver): AsyncGenerator<string> {
  mustBeOnOneServer(driver);
  await mustBeOfThisVersion(driver);
  const text = new PassThrough({ objectMode: true, highWaterMark: 1 });
  const read = driver.snapshot(copiedTables(), async (connection) => {
    const madeAt = new Date();
    await pipeline(Readable.from(backupText(await copyFrom(connection), madeAt)), text);
  });
  read.catch((error) => text.destroy(error));
  try {
    for await (const piece of text) yield String(piece);
    await read;
  } finally {
    text.destroy();
    await read.catch(() => {});
  }
  // A database that was moved takes no writes, and may be backed up all the same.
  await writtenIfPossible(audit(openQueries(driver), "backup.made"));
}

/** Fills an empty database, which nothing uses, with a backup: all or nothing. @throws CopyError */
export const restoreBackup = (driver: Driver, path: string, header: BackupHeader): Promise<Written> =>
  writeCopy(driver, copyIn(path, header), { beforeCommit: auditOn("backup.restored") });

/** The databases that are being moved. */
const moving = new WeakSet<Driver>();

/**
 * Copies the embedded database `from` to the empty database `to`, and compares them. From then on `from` takes no writes, while reads
 * go on, until its process ends. Where the move failed, writes go on, unless an earlier one succeeded.
 * @throws CopyError; what `signal` was aborted with.
 */
export async function moveDatabase(from: Driver, to: Driver, signal?: AbortSignal): Promise<Written> {
  if (from.refuseWrites === undefined) throw new CopyError("Only an embedded database can be moved");
  if (moving.has(from)) throw new CopyError("The database is being moved already");
  moving.add(from);
  try {
    await mustBeOfThisVersion(from);
    const didRefuse = await from.refuseWrites(true);
    try {
      // Nothing is written: what is read piece by piece, between the calls of others, is one state of the database.
      const copy = await copyFrom(from);
      return await writeCopy(to, copy, { beforeCommit: auditOn("database.moved"), ...(signal && { signal }) });
    } catch (error) {
      await from.refuseWrites(didRefuse);
      throw error;
    }
  } finally {
    moving.delete(from);
  }
}
