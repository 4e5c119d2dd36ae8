// `work-board backup` and `work-board move`: copies of the whole database.

import { stat } from "node:fs/promises";
import { z } from "zod";
import { postgresUrl } from "../../config.js";
import { openForWholeDatabase } from "../../db/postgres.js";
import { type BackupHeader, verifyBackup } from "../backupFile.js";
import { makeBackup, moveDatabase } from "../backups.js";
import { writeCompressed } from "../compressedLines.js";
import { plural } from "./columns.js";
import { CommandError, operatorCommand } from "./command.js";

const secondsSince = (start: number) => `${((performance.now() - start) / 1000).toFixed(1)} s`;

/** Describes the contents of a copy. */
export const described = ({ rows, tables }: { rows: number; tables: number }) =>
  `${plural(rows, "row")} of ${plural(tables, "table")}`;

/** Describes the size of a backup. */
const sizeOf = ({ contents: { tables } }: BackupHeader) => ({
  rows: tables.reduce((sum, { rows }) => sum + rows, 0),
  tables: tables.length,
});

/** Aborted by the signals that end a process, until `work` is done. */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const end = () => interrupted.abort(new CommandError("The backup was interrupted, and no file was written"));
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const name of signals) process.once(name, end);
  try {
    return await work(interrupted.signal);
  } finally {
    for (const name of signals) process.off(name, end);
  }
}

export const backup = operatorCommand({
  name: "backup",
  usage: "FILE",
  summary: "write a copy of everything to FILE; the service may run",
  input: z.strictObject({ file: z.string().min(1) }),
  positionals: ["file"],
  run: ({ driver }) => makeBackup(driver),
  async *receive(text, { file }, { config, isInService }) {
    let [begin, read] = [performance.now(), ""];
    async function* timed() {
      begin = performance.now();
      yield* text;
      read = secondsSince(begin);
    }
    const header = await untilInterrupted((signal) => writeCompressed(file, timed(), { verify: verifyBackup, signal }));
    const { size } = await stat(file);
    yield `${file}: ${described(sizeOf(header))}, ${size} bytes, read in ${read}`;
    if (isInService && config.databaseUrl === undefined) yield `Calls to the service waited for ${read}`;
  },
});

export const move = operatorCommand({
  name: "move",
  usage: "--to DATABASE_URL",
  summary: "copy the embedded database to an empty PostgreSQL server",
  input: z.strictObject({ to: postgresUrl }),
  options: { to: { type: "string" } },
  async *run({ driver, config, ending }, { to }) {
    if (config.databaseUrl !== undefined) {
      throw new CommandError("DATABASE_URL is set: only an embedded database can be moved");
    }
    const target = openForWholeDatabase(to);
    try {
      // Copying would wait for a server that is not there.
      await target.ping();
      yield "The service refuses writes from now on, and answers reads";
      const begin = performance.now();
      const written = await moveDatabase(driver, target, ending);
      yield `Copied and compared ${described(written)} in ${secondsSince(begin)}`;
      yield "Stop the service, set DATABASE_URL to the new server, and start it again. DATA_DIR was not changed";
    } finally {
      await target.close();
    }
  },
});
