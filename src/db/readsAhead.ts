// Statements that are sent before the turn of their change. The changes of a batch begin with a guard each, and would otherwise wait
// for the database one behind the other.

import type { Param } from "./driver.js";
import type { Compiled, Statement } from "./statements.js";
import type { Write } from "./typedWrites.js";

/** A statement that gives one row at the most, and what becomes of that row when changes before this one write. */
export interface ReadAhead {
  statement: Statement;
  /** The row as it stands after a write; null where only the database can tell. */
  after(row: object, write: Write): object | null;
}

interface Sent {
  text: string;
  rows: Promise<unknown[]>;
  after: ReadAhead["after"];
  /** What was written since; null stands for a statement of which nothing is known. */
  written: (Write | null)[];
  /** How many changes still ask for it. */
  askers: number;
}

/** Statements are told apart by their parameters first, because texts are long. */
const keyOf = (params: readonly Param[]) => params.join(" ");

/** What was sent before its turn in a transaction, until it is asked for. */
export class ReadsAhead {
  readonly #sent = new Map<string, Sent>();

  /** Sends a statement, unless the same one was sent for an earlier change that has not asked for it yet. */
  add({ text, params }: Compiled, { after }: ReadAhead, send: () => Promise<unknown[]>): void {
    const key = keyOf(params);
    const known = this.#sent.get(key);
    if (known === undefined) this.#sent.set(key, { text, rows: send(), after, written: [], askers: 1 });
    else if (known.text === text) known.askers += 1;
  }

  /** Tells of a write of the transaction. */
  noteWrite(write: Write | null): void {
    for (const { written } of this.#sent.values()) written.push(write);
  }

  /** The rows of a statement that was sent, as they stand now, or null if the database has to be asked; undefined if it was not sent. */
  take(text: string, params: readonly Param[]): Promise<unknown[] | null> | undefined {
    if (this.#sent.size === 0) return undefined;
    const key = keyOf(params);
    const sent = this.#sent.get(key);
    if (sent?.text !== text) return undefined;
    sent.askers -= 1;
    if (sent.askers === 0) this.#sent.delete(key);
    return standing(sent);
  }
}

async function standing({ rows: asked, after, written }: Sent): Promise<unknown[] | null> {
  const rows = await asked;
  if (written.length === 0) return rows;
  const [row, ...others] = rows;
  if (others.length > 0) return null;
  let standing: object | null = typeof row === "object" ? row : null;
  for (const write of written) standing = standing && write && after(standing, write);
  return standing && [standing];
}
