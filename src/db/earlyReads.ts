// Guards' statements that are sent before the turn of their change. The changes of a batch begin with a guard each, and would
// otherwise wait for the database one behind the other. At its turn a guard gets the row that was read, updated by the rules of its
// statement. If changes before it wrote to its tables and no rule covers the write, the row is read again.

import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Param } from "./driver.js";
import { type Fields, fieldOf } from "./selections.js";
import type { Compiled } from "./statements.js";
import type { Write } from "./typedWrites.js";

/** The row after a write to one table; null if it must be read again. */
export type Rule<Row = object> = (row: Row, write: Write) => Row | null;

/** The rule of one table. After a write to a table that the statement names and has no rule for, the row is read again. */
export type TableRule<Row = object> = readonly [table: PgTable, rule: Rule<Row>];

/** The rows of a statement have the shape that its rules are written for. */
const forItsRows = <Row extends object>(rules: readonly TableRule<Row>[]) => rules as unknown as readonly TableRule[];

/** The effect of later writes on the row of a statement. */
export class Invalidation {
  readonly #text: string;
  readonly #rules: Map<PgTable, Rule>;
  readonly #isRead = new Map<PgTable, boolean>();

  private constructor(text: string, rules: readonly TableRule[]) {
    this.#text = text;
    this.#rules = new Map(rules);
  }

  static of<Row extends object>(text: string, rules: readonly TableRule<Row>[]): Invalidation {
    return new Invalidation(text, forItsRows(rules));
  }

  after(row: object, write: Write): object | null {
    const rule = this.#rules.get(write.table);
    if (rule !== undefined) return rule(row, write);
    return this.#reads(write.table) ? null : row;
  }

  /** Whether the statement names a table. */
  #reads(table: PgTable): boolean {
    const known = this.#isRead.get(table);
    if (known !== undefined) return known;
    const isRead = this.#text.includes(`"${getTableName(table)}"`);
    this.#isRead.set(table, isRead);
    return isRead;
  }
}

/** A statement that may be sent before the turn of its change, and returns at most one row. */
export interface EarlyRead extends Compiled {
  readonly invalidation: Invalidation;
}

const columnsOf = (row: object) => row as Record<string, unknown>;

/**
 * The rule of a table of which a statement reads one row, by a key that is one of its fields: `by`, the table's own `id` by default.
 * Writes to other rows of the table are harmless. Of an UPDATE of that row it follows the columns of `displayed`, which the statement
 * displays and uses for nothing else.
 */
export function oneRow<T extends PgTable & { id: PgColumn }>(
  fields: Fields & { workspaceId: PgColumn },
  table: T,
  { by = table.id, displayed = [] }: { by?: PgColumn; displayed?: readonly PgColumn[] } = {},
): readonly [PgTable, <Row extends object>(row: Row, write: Write) => Row | null] {
  const id = fieldOf(fields, by);
  const followed = new Map(
    Object.entries(getTableColumns(table))
      .filter(([, column]) => displayed.includes(column))
      .map(([name, column]) => [name, fieldOf(fields, column)]),
  );
  const rule = <Row extends object>(row: Row, { kind, key, values }: Write): Row | null => {
    if (kind === "insert") return row;
    if (key === null || values === null) return null;
    const columns = columnsOf(row);
    if (key !== `${columns.workspaceId},${columns[id]}`) return row;
    const now = { ...row };
    for (const written of values) {
      for (const [column, value] of Object.entries(written)) {
        const field = followed.get(column);
        if (field === undefined) return null;
        columnsOf(now)[field] = value;
      }
    }
    return now;
  };
  return [table, rule];
}

interface Sent {
  read: EarlyRead;
  rows: Promise<unknown[]>;
  /** The writes since; null stands for a statement of which nothing is known. */
  writes: (Write | null)[];
  /** The number of changes that have not asked for the row yet. */
  waiters: number;
}

/** Statements are distinguished by their parameters first, because texts are long. */
const keyOf = (params: readonly Param[]) => params.join(" ");

/** The statements that were sent before their turn in a transaction, until their changes ask for the rows. */
export class EarlyReads {
  readonly #sent = new Map<string, Sent>();

  /** Sends a statement, unless it was sent for another change that has not asked for the row yet. */
  add(read: EarlyRead, send: () => Promise<unknown[]>): void {
    const key = keyOf(read.params);
    const known = this.#sent.get(key);
    if (known === undefined) this.#sent.set(key, { read, rows: send(), writes: [], waiters: 1 });
    else if (known.read.text === read.text) known.waiters += 1;
  }

  /** Notes a write of the transaction. */
  noteWrite(write: Write | null): void {
    for (const { writes } of this.#sent.values()) writes.push(write);
  }

  /** The current rows of a statement that was sent, or null if it must be sent again; undefined if it was not sent. */
  take(text: string, params: readonly Param[]): Promise<unknown[] | null> | undefined {
    if (this.#sent.size === 0) return undefined;
    const key = keyOf(params);
    const sent = this.#sent.get(key);
    if (sent?.read.text !== text) return undefined;
    sent.waiters -= 1;
    if (sent.waiters === 0) this.#sent.delete(key);
    return currentRows(sent);
  }
}

async function currentRows({ read, rows: asked, writes }: Sent): Promise<unknown[] | null> {
  const rows = await asked;
  if (writes.length === 0) return rows;
  const [row, ...others] = rows;
  if (others.length > 0) return null;
  let current: object | null = typeof row === "object" ? row : null;
  for (const write of writes) current = current && write && read.invalidation.after(current, write);
  return current && [current];
}
