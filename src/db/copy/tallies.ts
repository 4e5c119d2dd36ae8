// The values by which two copies of a table are compared: its number of rows, and a hash of them that ignores their order, because
// databases order texts differently.

import { createHash } from "node:crypto";

/** The values of a row in the order of the table's columns, as PostgreSQL writes them; they restore exactly. */
export type Row = readonly (string | null)[];

/** The count and the hash of a table, 64 hexadecimal digits. */
interface Tally {
  rows: number;
  hash: string;
}

const BITS = 256;

/** Adds up the rows of one table: the hash is the sum of the SHA-256 of each row, modulo 2^256. */
export class RowCounter {
  #rows = 0;
  #sum = 0n;

  /** Adds a row; the text that it is written as. */
  add(row: Row): string {
    const text = JSON.stringify(row);
    this.#rows += 1;
    this.#sum += BigInt(`0x${createHash("sha256").update(text).digest("hex")}`);
    return text;
  }

  get tally(): Tally {
    return {
      rows: this.#rows,
      hash: BigInt.asUintN(BITS, this.#sum)
        .toString(16)
        .padStart(BITS / 4, "0"),
    };
  }
}

/** A counter for each of some tables. */
export class TableCounters {
  readonly #counters: Map<string, RowCounter>;

  constructor(tables: readonly { name: string }[]) {
    this.#counters = new Map(tables.map(({ name }) => [name, new RowCounter()]));
  }

  /** Adds rows of a table. */
  add(table: string, rows: readonly Row[]): void {
    const counter = this.#counters.get(table);
    if (counter === undefined) throw new Error(`Rows of a table that is not copied: ${table}`);
    for (const row of rows) counter.add(row);
  }

  /** Reports the number of rows that were added to a table. */
  rowsOf(table: string): number {
    return this.#counters.get(table)?.tally.rows ?? 0;
  }

  /** The first table whose count or hash differs from that of another copy; null where none does. */
  firstDifference(other: TableCounters): { table: string; own: Tally; other: Tally } | null {
    for (const [table, counter] of this.#counters) {
      const own = counter.tally;
      const others = other.#counters.get(table)?.tally ?? { rows: 0, hash: "" };
      if (own.rows !== others.rows || own.hash !== others.hash) return { table, own, other: others };
    }
    return null;
  }
}
