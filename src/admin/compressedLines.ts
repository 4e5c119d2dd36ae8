// Text in lines, compressed in a file: written whole or not at all, and read without holding more than a line.

import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { CopyError } from "../db/copy/copyError.js";
import { codes, reasonOf } from "../db/failures.js";

/** A file is not a backup, not a whole one, or cannot be read or written. The message is one line that names the file. */
export class BackupFileError extends CopyError {
  override readonly name = "BackupFileError";
}

/** A line without its end. */
export interface Line {
  text: string;
  /** The SHA-256 of everything before the line. */
  sha256Before: () => string;
}

/** No row is as long: a request is at most 64 MiB. */
const MAX_LINE_BYTES = 256 * 2 ** 20;
const LINE_END = 10;
const OWNER_ALONE = 0o600;

/** The options for writing a file. */
interface WriteOptions<T> {
  /** Is given the finished file under its temporary name; throws where it is not to be kept. */
  verify: (path: string) => Promise<T>;
  signal?: AbortSignal;
}

/**
 * Writes text to a file that only its owner can read, compressed, and gives what `verify` does: the file is whole and on the disk when
 * this resolves, and as it was before where it throws, or where `signal` is aborted.
 * @throws BackupFileError when the file cannot be written, and what `text` and `verify` throw.
 */
export async function writeCompressed<T>(
  path: string,
  text: AsyncIterable<string | Buffer>,
  { verify, signal }: WriteOptions<T>,
): Promise<T> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}.part`;
  const file = await open(temporary, "wx", OWNER_ALONE).catch((error) => refuse(path, error));
  try {
    const stream = file.createWriteStream({ flush: true });
    await pipeline(Readable.from(text), createGzip(), stream, { ...(signal && { signal }) });
    const verified = await verify(temporary);
    await mustNotBeDirectory(path);
    await rename(temporary, path);
    await sync(dirname(path));
    return verified;
  } catch (error) {
    await rm(temporary, { force: true });
    signal?.throwIfAborted();
    throw isOfSystem(error) ? refuse(path, error) : error;
  } finally {
    await file.close().catch(() => {});
  }
}

const isOfSystem = (error: unknown) => error instanceof Error && "syscall" in error;

/** @throws BackupFileError */
function refuse(path: string, error: unknown): never {
  const reason = error instanceof Error ? reasonOf(error) : String(error);
  throw new BackupFileError(`${path} cannot be written: ${reason}`, { cause: error });
}

async function mustNotBeDirectory(path: string): Promise<void> {
  const stats = await stat(path).catch(() => null);
  if (stats?.isDirectory()) throw new BackupFileError(`${path} is a directory`);
}

async function sync(directory: string): Promise<void> {
  const handle: FileHandle = await open(directory, "r");
  // Not every system can sync a directory.
  await handle.sync().catch(() => {});
  await handle.close();
}

/** The lines of a compressed file. @throws BackupFileError when it cannot be read, or ends in the middle. */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  const hash = createHash("sha256");
  let parts: Buffer[] = [];
  let length = 0;
  for await (const piece of bytesOf(path)) {
    let from = 0;
    for (let end = piece.indexOf(LINE_END); end >= 0; end = piece.indexOf(LINE_END, from)) {
      const line = Buffer.concat([...parts, piece.subarray(from, end + 1)]);
      yield { text: line.toString("utf8", 0, line.length - 1), sha256Before: () => hash.copy().digest("hex") };
      hash.update(line);
      from = end + 1;
      [parts, length] = [[], 0];
    }
    parts.push(piece.subarray(from));
    length += piece.length - from;
    if (length > MAX_LINE_BYTES) throw new BackupFileError(`${path} is not a backup: a line is too long`);
  }
  if (length > 0) throw cutShort(path);
}

/** The bytes of a compressed file. */
async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const source = createReadStream(path);
  source.on("error", (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  try {
    yield* gunzip;
  } catch (error) {
    throw readingFailure(path, error);
  } finally {
    source.destroy();
  }
  // zlib does not read the bytes after the compressed text.
  const { size } = await stat(path);
  if (gunzip.bytesWritten !== size) throw cutShort(path);
}

export const cutShort = (path: string) =>
  new BackupFileError(`${path} is cut short or was changed: use another backup`);

function readingFailure(path: string, error: unknown): unknown {
  const [code = ""] = codes(error);
  if (code === "Z_BUF_ERROR") return cutShort(path);
  if (code === "Z_DATA_ERROR") {
    const isOther = error instanceof Error && error.message.includes("header");
    return isOther ? new BackupFileError(`${path} is not a backup`, { cause: error }) : cutShort(path);
  }
  if (!(error instanceof Error) || !isOfSystem(error)) return error;
  return new BackupFileError(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
}
