// The files of an embedded database on disk: fsync reaches the disk, and a new database is either complete or absent.

import fs from "node:fs";
import { open, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

type Options = Parameters<NodeFS["init"]>[1];
type PostgresModule = PGlite["Module"];
type Init = ReturnType<NodeFS["init"]>;

/** The part of Emscripten's NODEFS that its types leave out. */
interface NodeFiles {
  stream_ops: { fsync?: (stream: NodeStream) => number };
}

interface NodeStream {
  nfd: number;
}

/** Emscripten's NODEFS, of the release that PGlite 0.5 is built with: streams hold the descriptor as `nfd`. */
function nodeFilesOf(module: PostgresModule): PostgresModule["NODEFS"] & NodeFiles {
  return module.NODEFS as PostgresModule["NODEFS"] & NodeFiles;
}

/**
 * Makes the call fail in which PostgreSQL has ended itself. PGlite would catch that, and run the rest of the message again and again. It
 * calls these functions after an exception, in this order.
 */
function stopCalls(module: PostgresModule, failure: Error): void {
  const fail = () => {
    throw failure;
  };
  Object.assign(module, { stackRestore: fail, _PostgresSendReadyForQueryIfNecessary: fail });
}

const EINVAL = 28;
const EIO = 29;
const SYNCS_AT_ONCE = 16;
const FATAL_OUTPUT = /\b(?:FATAL|PANIC): +(.+)/;

/** `postgres/` of a data directory, built as `postgres.new/` where there is none yet. */
export class DurableFiles extends NodeFS {
  /** Whether there was no database. */
  readonly isNew: boolean;
  /** The first fsync that failed, or the end of PostgreSQL: from then on, what is on disk is not known. */
  failure: unknown;
  /** PostgreSQL's reason for giving up, according to its log. */
  fatalOutput: string | undefined;
  readonly #dataDir: string;
  /** Emscripten looks paths up from here each time, so the directory can be renamed under an open database. */
  readonly #mounted: { root: string };

  constructor(dataDir: string) {
    const isNew = !fs.existsSync(join(dataDir, "postgres", "PG_VERSION"));
    const root = join(dataDir, isNew ? "postgres.new" : "postgres");
    if (isNew) fs.rmSync(root, { recursive: true, force: true });
    super(root);
    closeToOthers(root);
    this.isNew = isNew;
    this.#dataDir = dataDir;
    this.#mounted = { root };
  }

  override async init(pg: PGlite, options: Options): Init {
    this.pg = pg;
    let stop = (_failure: Error) => {};
    const mount = (module: PostgresModule) => {
      stop = (failure) => stopCalls(module, failure);
      const files = nodeFilesOf(module);
      files.stream_ops.fsync = (stream: NodeStream) => this.#fsync(module, stream);
      module.FS.mkdirTree(PGlite.paths.PGDATA);
      module.FS.mount(files, this.#mounted, PGlite.paths.PGDATA);
    };
    const hear = (line: string) => {
      this.fatalOutput = FATAL_OUTPUT.exec(line)?.[1] ?? this.fatalOutput;
    };
    const onAbort = () => {
      const ended = new Error(this.fatalOutput ?? "PostgreSQL ended itself");
      this.failure ??= ended;
      stop(ended);
    };
    const preRun = [...(options.preRun ?? []), mount];
    return { emscriptenOpts: { ...options, printErr: hear, onAbort, preRun } };
  }

  /** PGlite calls this when the files of a new database are there, before it is ready; and never again with this driver. */
  override async syncToFs(): Promise<void> {
    const root = join(this.#dataDir, "postgres");
    if (this.#mounted.root === root) return;
    await syncTree(this.#mounted.root);
    await rename(this.#mounted.root, root);
    this.#mounted.root = root;
    await sync(this.#dataDir);
  }

  #fsync(module: PostgresModule, { nfd }: NodeStream): number {
    try {
      fs.fsyncSync(nfd);
      return 0;
    } catch (error) {
      // Not every system can sync a directory; PostgreSQL takes EINVAL there for an answer.
      if (fs.fstatSync(nfd).isDirectory()) throw new module.FS.ErrnoError(EINVAL);
      this.failure ??= error;
      throw new module.FS.ErrnoError(EIO);
    }
  }
}

/** Lets only its owner enter a directory: PostgreSQL here makes files that everybody may read and write. */
function closeToOthers(directory: string): void {
  try {
    fs.chmodSync(directory, 0o700);
  } catch {
    // Some file systems have no modes, and some directories belong to somebody else who let this process in.
  }
}

async function syncTree(root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = [root, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  const next = paths.values();
  const work = async () => {
    for (const path of next) await sync(path);
  };
  await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, work));
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync().catch(async (error: unknown) => {
      if (!(await file.stat()).isDirectory()) throw error;
    });
  } finally {
    await file.close();
  }
}
