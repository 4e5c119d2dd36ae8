// Guards' statements that are sent before the turn of their change. The changes of a batch begin with a guard each, and would
// otherwise wait for the database one behind the other. At its turn a guard gets the row that was read, unless changes before it
// wrote to what the row shows in a way that only the database can tell: then it is read again.

import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Param } from "./driver.js";
import { type Fields, fieldOf } from "./selections.js";
import type { Write } from "./typedWrites.js";

/** A row as it stands after a write to one table; null where only the database can tell. */
export type Rule<Row = object> = (row: Row, write: Write) => Row | null;

/** The rule of one table. A table without a rule has the statement sent again, if it is read there. */
export type TableRule<Row = object> = readonly [table: PgTable, rule: Rule<Row>];

/** A statement that may be sent before its turn, and returns at most one row. */
class Aging {
  readonly #text: string;
  readonly #rules: Map<PgTable, Rule>;
  readonly #isRead = new Map<PgTable, boolean>();

  constructor(text: string, rules: readonly TableRule[]) {
    this.#text = text;
    this.#rules = new Map(rules);
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

const agings = new Map<string, Aging>();

/** The rows of a statement have the shape that its rules are written for. */
const forItsRows = <Row extends object>(rules: readonly TableRule<Row>[]) => rules as unknown as readonly TableRule[];

/** Lets a statement, which gives one row at the most, be sent before the turn of its change. */
export function mayBeReadAhead<Row extends object>(text: string, rules: readonly TableRule<Row>[]): void {
  agings.set(text, new Aging(text, forItsRows(rules)));
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
  text: string;
  rows: Promise<unknown[]>;
  aging: Aging;
  /** The writes since; null stands for a statement of which nothing is known. */
  written: (Write | null)[];
  /** The number of changes that still ask for it. */
  askers: number;
}

/** Statements are distinguished by their parameters first, because texts are long. */
const keyOf = (params: readonly Param[]) => params.join(" ");

/** The statements that were sent before their turn in a transaction, until they are asked for. */
export class ReadsAhead {
  readonly #sent = new Map<string, Sent>();

  /** Sends a statement that may be sent early, unless the same one was sent for a change that has not asked for it yet. */
  add(text: string, params: readonly Param[], send: () => Promise<unknown[]>): void {
    const aging = agings.get(text);
    if (aging === undefined) return;
    const key = keyOf(params);
    const known = this.#sent.get(key);
    if (known === undefined) this.#sent.set(key, { text, rows: send(), aging, written: [], askers: 1 });
    else if (known.text === text) known.askers += 1;
  }

  /** Notes a write of the transaction. */
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

async function standing({ rows: asked, aging, written }: Sent): Promise<unknown[] | null> {
  const rows = await asked;
  if (written.length === 0) return rows;
  const [row, ...others] = rows;
  if (others.length > 0) return null;
  let standing: object | null = typeof row === "object" ? row : null;
  for (const write of written) standing = standing && write && aging.after(standing, write);
  return standing && [standing];
}
