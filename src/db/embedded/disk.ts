// The disk of an embedded database: how much of it is free, and whether the database's directory is still there.

import fs from "node:fs";
import { join } from "node:path";
import { connectionError, DIRECTORY_GONE } from "../failures.js";
import { DataDirError } from "./dataDir.js";

const MIB = 2 ** 20;
/** The size of a file of PostgreSQL's log. PostgreSQL ends itself where the next one has no room, or a checkpoint. */
export const LOG_FILE_BYTES = 16 * MIB;
/** Below this changes are refused. */
export const RESERVED_BYTES = 64 * MIB;
/** Below this imports and copies of boards are refused: an import of 64 MiB takes a multiple of that in tables, indexes and log. */
export const LARGE_CHANGE_BYTES = 512 * MIB;

/** `low`: changes are refused; `gone`: the database's directory is not there. */
export type DiskState = "enough" | "low" | "gone";

/** The bytes that this user can write in a directory; infinite where the system does not say. */
export function freeBytesAt(directory: string): number {
  const { bavail, bsize, blocks } = fs.statfsSync(directory);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

/** The disk of DATA_DIR is nearly full: a database cannot be opened there, or only to read. */
export class LowDiskError extends DataDirError {
  override readonly name = "LowDiskError";
  /** That of PostgreSQL where a write is refused because the session only reads. */
  readonly code = "25006";

  constructor(dataDir: string, cause: unknown) {
    const free = Math.floor(freeBytesAt(dataDir) / MIB);
    super(
      `The disk of DATA_DIR ${dataDir} has ${free} MiB free, and the database needs ${RESERVED_BYTES / MIB} MiB. Free some space and try again`,
      { cause },
    );
  }
}

/** The disk of an open database. */
export class Disk {
  readonly dataDir: string;
  readonly #onChange: ((state: DiskState) => void) | undefined;
  #state: DiskState = "enough";

  constructor(dataDir: string, onChange?: (state: DiskState) => void) {
    this.dataDir = dataDir;
    this.#onChange = onChange;
  }

  /** The free bytes; 0 where the directory is gone. */
  get freeBytes(): number {
    return fs.existsSync(this.dataDir) ? freeBytesAt(this.dataDir) : 0;
  }

  /** Looks at the disk, and reports a change of its state. */
  look(): DiskState {
    const isThere = fs.existsSync(join(this.dataDir, "postgres", "PG_VERSION"));
    const state = !isThere ? "gone" : freeBytesAt(this.dataDir) < RESERVED_BYTES ? "low" : "enough";
    if (state !== this.#state) this.#onChange?.(state);
    this.#state = state;
    return state;
  }

  /** Looks at the disk. @throws a connection error where the directory is gone: nothing that is written would be found again. */
  mustBeThere(): DiskState {
    const state = this.look();
    if (state === "gone") throw connectionError(DIRECTORY_GONE, "The directory of the database is gone");
    return state;
  }
}
