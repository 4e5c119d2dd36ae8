// The file of a backup: lines of JSON, compressed with gzip. The first line is the header; each table follows as a line that names it,
// a line per row, and a line with its count and hash; the last line is the footer, with the SHA-256 of everything before it. A file
// that was cut short or changed has no valid footer. Other kinds of parts, such as files, may come between the tables and the footer;
// `FORMAT` counts up when they do.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Chunk, Contents, Copy } from "../db/copy/reading.js";
import { type Row, RowCounter } from "../db/copy/tallies.js";
import { BackupFileError, cutShort, type Line, linesOf } from "./compressedLines.js";

/** Counts up with changes after which older versions cannot read the file. */
const FORMAT = 1;
/** Rows are handed on in chunks of about this size. */
const CHUNK_CHARACTERS = 1 << 20;
const CHUNK_ROWS = 2000;

const Count = z.number().int().nonnegative();
const Header = z.object({
  workBoardBackup: z.literal(FORMAT),
  madeAt: z.iso.datetime(),
  contents: z.object({
    migrations: z.array(z.string()),
    sequences: z.array(z.object({ name: z.string(), lastValue: z.string(), isCalled: z.boolean() })),
    tables: z.array(
      z.object({
        name: z.string(),
        columns: z.array(z.object({ name: z.string(), type: z.string() })),
        key: z.array(z.string()),
        rows: Count,
      }),
    ),
  }),
});
const AnyHeader = z.object({ workBoardBackup: z.number() });
const Beginning = z.strictObject({ table: z.string() });
const End = z.strictObject({ tally: z.strictObject({ rows: Count, hash: z.string() }) });
const Footer = z.strictObject({ sha256: z.string() });

/** The header of a backup. */
export interface BackupHeader {
  /** The time of the backup, which holds every change that was committed before. */
  madeAt: string;
  contents: Contents;
}

/** The text of a backup, before it is compressed, in pieces of bounded size. */
export async function* backupText(copy: Copy, madeAt: Date): AsyncGenerator<string> {
  const hash = createHash("sha256");
  const hashed = (text: string) => {
    hash.update(text);
    return text;
  };
  const line = (value: unknown) => `${JSON.stringify(value)}\n`;
  const { contents } = copy;
  yield hashed(line({ workBoardBackup: FORMAT, madeAt: madeAt.toISOString(), contents }));
  const tables = contents.tables.values();
  let current: { name: string; counter: RowCounter } | undefined;
  for await (const { table, rows } of copy.chunks()) {
    while (current?.name !== table) yield hashed(next());
    const { counter } = current;
    yield hashed(rows.map((row) => `${counter.add(row)}\n`).join(""));
  }
  // Tables without rows have no chunk.
  do yield hashed(next());
  while (current !== undefined);
  yield line({ sha256: hash.digest("hex") });

  /** Ends the current table, and begins the next one. */
  function next(): string {
    const end = current === undefined ? "" : line({ tally: current.counter.tally });
    const { value: table } = tables.next();
    current = table && { name: table.name, counter: new RowCounter() };
    return end + (table === undefined ? "" : line({ table: table.name }));
  }
}

/** The header of a backup. @throws BackupFileError */
export async function backupHeaderOf(path: string): Promise<BackupHeader> {
  for await (const line of linesOf(path)) return readHeader(path, line.text);
  throw new BackupFileError(`${path} is empty`);
}

/** Reads a backup from its beginning to its end, and so knows that it is whole. @throws BackupFileError when it is not. */
export async function verifyBackup(path: string): Promise<BackupHeader> {
  const header = await backupHeaderOf(path);
  for await (const _ of chunksIn(path, header));
  return header;
}

/** A backup as what is copied. Reading it to the end throws BackupFileError when it is not whole. */
export const copyIn = (path: string, header: BackupHeader): Copy => ({
  contents: header.contents,
  chunks: () => chunksIn(path, header),
});

function readHeader(path: string, text: string): BackupHeader {
  const value = parse(text);
  const header = Header.safeParse(value);
  if (header.success) return header.data;
  const isOther = AnyHeader.safeParse(value).success;
  throw new BackupFileError(
    isOther
      ? `${path} was made by another version of work-board, which this one cannot read`
      : `${path} is not a backup`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The rows of a backup in chunks, up to its footer, with every count and hash compared. */
async function* chunksIn(path: string, header: BackupHeader): AsyncGenerator<Chunk> {
  const reading = new Reading(path, header);
  for await (const line of linesOf(path)) {
    const chunk = reading.take(line);
    if (chunk !== null) yield chunk;
  }
  reading.end();
}

const isRow = (value: unknown): value is Row =>
  Array.isArray(value) && value.every((part) => part === null || typeof part === "string");

/** Takes the lines of a backup in order, and hands on the rows of a table once there are enough of them. */
class Reading {
  readonly #path: string;
  readonly #header: BackupHeader;
  readonly #tables: Iterator<Contents["tables"][number], undefined>;
  #place: "header" | "between" | "table" | "end" = "header";
  #table: { name: string; rows: number; counter: RowCounter } = { name: "", rows: 0, counter: new RowCounter() };
  #rows: Row[] = [];
  #characters = 0;

  constructor(path: string, header: BackupHeader) {
    this.#path = path;
    this.#header = header;
    this.#tables = header.contents.tables.values();
  }

  /** @throws BackupFileError for a line that no backup has there. */
  take({ text, sha256Before }: Line): Chunk | null {
    switch (this.#place) {
      case "header":
        this.#mustHold(JSON.stringify(readHeader(this.#path, text)) === JSON.stringify(this.#header));
        this.#place = "between";
        return null;
      case "between":
        this.#begin(parse(text), sha256Before);
        return null;
      case "table":
        return this.#takeInTable(text);
      case "end":
        return this.#mustHold(false);
    }
  }

  end(): void {
    this.#mustHold(this.#place === "end");
  }

  #begin(value: unknown, sha256Before: () => string): void {
    const { value: table } = this.#tables.next();
    if (table === undefined) {
      const footer = Footer.safeParse(value);
      this.#mustHold(footer.success && footer.data.sha256 === sha256Before());
      this.#place = "end";
    } else {
      const beginning = Beginning.safeParse(value);
      this.#mustHold(beginning.success && beginning.data.table === table.name);
      this.#table = { name: table.name, rows: table.rows, counter: new RowCounter() };
      this.#place = "table";
    }
  }

  #takeInTable(text: string): Chunk | null {
    const value = parse(text);
    if (isRow(value)) {
      this.#table.counter.add(value);
      this.#rows.push(value);
      this.#characters += text.length;
      return this.#rows.length < CHUNK_ROWS && this.#characters < CHUNK_CHARACTERS ? null : this.#chunk();
    }
    const { tally } = this.#table.counter;
    const end = End.safeParse(value);
    this.#mustHold(end.success && end.data.tally.rows === tally.rows && end.data.tally.hash === tally.hash);
    this.#mustHold(tally.rows === this.#table.rows);
    this.#place = "between";
    return this.#rows.length === 0 ? null : this.#chunk();
  }

  #chunk(): Chunk {
    const chunk = { table: this.#table.name, rows: this.#rows };
    this.#rows = [];
    this.#characters = 0;
    return chunk;
  }

  #mustHold(isAsExpected: boolean): null {
    if (isAsExpected) return null;
    throw cutShort(this.#path);
  }
}
