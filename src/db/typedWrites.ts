// Turns rows into INSERT, UPDATE and DELETE statements with the types of their tables. The text of a statement depends only on its
// table and columns, so that it is built and planned once.

import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Param } from "./driver.js";
import { arrayLiteral, paramsOf } from "./statements.js";

/** The columns of an inserted row. */
export type Inserted<T extends PgTable> = T["$inferInsert"];
/** Some columns of a row. */
export type Some<T extends PgTable> = { [K in keyof Inserted<T>]?: Inserted<T>[K] };
/** The columns that rows are found by, each with a value or several. */
export type Where<T extends PgTable> = { [K in keyof Inserted<T>]?: Inserted<T>[K] | readonly Inserted<T>[K][] };

/** The text of a statement, written once, and a number of its own. */
interface Statement {
  readonly text: string;
  readonly number: number;
}

/** A statement that changes rows of one table and has not been sent yet. */
export interface Write {
  table: PgTable;
  kind: "insert" | "update" | "delete";
  /** The row that an UPDATE by key changes; null where it is not one row by its key. */
  key: string | null;
  /** The rows that an INSERT of a few inserts, or the values that an UPDATE by key sets; null for others. */
  values: readonly object[] | null;
  statement: Statement;
  params: Param[];
  /** The number of rows it must change, as an expression of its parameters: an UPDATE by key that finds fewer is a defect. Else null. */
  expectedRows: string | null;
}

/** Up to this many rows are written as values, each count in a statement of its own; more rows are sent as one document. */
const FEW = 4;
/** Limits of one statement: the embedded database blocks the process while one runs. */
const MAX_ROWS = 1000;
export const MAX_LENGTH = 1_000_000;

const statements = new Map<string, Statement>();

/** The statement of a shape, which names everything that its text depends on. */
function statementOf(shape: string, write: () => string): Statement {
  const known = statements.get(shape);
  if (known !== undefined) return known;
  const statement = { text: write(), number: statements.size };
  statements.set(shape, statement);
  return statement;
}

function columnOf(table: PgTable, field: string): PgColumn {
  const column = getTableColumns(table)[field];
  if (column === undefined) throw new TypeError(`${getTableName(table)} has no column ${field}`);
  return column;
}

const quoted = (name: string) => `"${name}"`;
const named = (table: PgTable, fields: readonly string[]) =>
  fields.map((field) => quoted(columnOf(table, field).name)).join(", ");

/** A value as its column stores it. */
const stored = (table: PgTable, field: string, value: unknown) =>
  value === undefined || value === null ? null : columnOf(table, field).mapToDriverValue(value);

/** The fields that are given; a row never leaves out what another one of the same statement has. */
const fieldsOf = (row: object) => Object.keys(row).filter((field) => Reflect.get(row, field) !== undefined);

/** Some rows as one document. */
interface JsonChunk {
  text: string;
  count: number;
}

/** Splits rows into documents with limits on rows and characters. */
function* jsonChunks(rows: readonly object[]): Generator<JsonChunk> {
  let part: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (part.length === MAX_ROWS || (part.length > 0 && length + text.length > MAX_LENGTH)) {
      yield { text: `[${part.join()}]`, count: part.length };
      part = [];
      length = 0;
    }
    part.push(text);
    length += text.length;
  }
  if (part.length > 0) yield { text: `[${part.join()}]`, count: part.length };
}

/** `jsonb_to_recordset` of a parameter, with the names and types of columns. */
const recordset = (table: PgTable, fields: readonly string[], place: number) =>
  `jsonb_to_recordset($${place}::text::jsonb) as r(${fields
    .map((field) => `${quoted(field)} ${columnOf(table, field).getSQLType()}`)
    .join(", ")})`;

/** INSERTs of rows with the same columns, and the values of `all` for each: one statement for a few, else one per thousand. */
export function* inserts<T extends PgTable>(table: T, rows: readonly object[], all: Some<T> = {}): Generator<Write> {
  const [first] = rows;
  if (first === undefined) return;
  const own = fieldsOf(first);
  const shared = fieldsOf(all).filter((field) => !own.includes(field));
  const fields = [...own, ...shared];
  const sharedParams = shared.map((field) => stored(table, field, Reflect.get(all, field)));
  const into = () => `insert into ${quoted(getTableName(table))} (${named(table, fields)})`;
  const write = (statement: Statement, params: unknown[], values: Write["values"]): Write => ({
    table,
    kind: "insert",
    key: null,
    values,
    statement,
    params: paramsOf(params),
    expectedRows: null,
  });
  if (rows.length <= FEW) {
    const statement = statementOf(`insert ${getTableName(table)} ${fields} ${rows.length}`, () => {
      const places = rows.map(
        (_, row) => `(${fields.map((_field, place) => `$${row * fields.length + place + 1}`).join(", ")})`,
      );
      return `${into()} values ${places.join(", ")}`;
    });
    const params: unknown[] = [];
    for (const row of rows) {
      for (const field of own) params.push(stored(table, field, Reflect.get(row, field)));
      params.push(...sharedParams);
    }
    yield write(statement, params, rows);
    return;
  }
  const statement = statementOf(`insert ${getTableName(table)} ${fields} of ${own.length} many`, () => {
    const values = [
      ...own.map((field) => `r.${quoted(field)}`),
      ...shared.map((field, place) => `$${place + 2}::${columnOf(table, field).getSQLType()}`),
    ];
    return `${into()} select ${values.join(", ")} from ${recordset(table, own, 1)}`;
  });
  for (const { text } of jsonChunks(rows)) yield write(statement, [text, ...sharedParams], null);
}

/** The number of characters of text in a statement. */
export const lengthOf = ({ params }: Write): number =>
  params.reduce<number>((length, param) => length + (typeof param === "string" ? param.length : 0), 0);

/** The conditions of a WHERE, its parameters from a place on. */
function conditions(table: PgTable, where: object, from: number): { text: string; params: unknown[]; shape: string } {
  const params: unknown[] = [];
  const shape: string[] = [];
  const parts = fieldsOf(where).map((field) => {
    const wanted: unknown = Reflect.get(where, field);
    // One value is compared by equality: for a list PostgreSQL expects many rows, and reads more than it needs.
    const value: unknown = Array.isArray(wanted) && wanted.length === 1 ? wanted[0] : wanted;
    const column = columnOf(table, field);
    const place = from + params.length;
    if (Array.isArray(value)) {
      params.push(arrayLiteral(value.map((one) => String(stored(table, field, one)))));
      shape.push(`${field}[]`);
      return `${quoted(column.name)} = any($${place}::text::${column.getSQLType()}[])`;
    }
    if (value === null) {
      shape.push(`${field} null`);
      return `${quoted(column.name)} is null`;
    }
    params.push(stored(table, field, value));
    shape.push(field);
    return `${quoted(column.name)} = $${place}`;
  });
  if (parts.length === 0) throw new TypeError(`A write to ${getTableName(table)} names no row`);
  return { text: parts.join(" and "), params, shape: shape.join() };
}

/** The UPDATE of the one row that has a key. */
export function update<T extends PgTable>(table: T, key: Some<T>, values: Some<T>): Write {
  const fields = fieldsOf(values);
  const where = conditions(table, key, fields.length + 1);
  const statement = statementOf(`update ${getTableName(table)} ${where.shape} ${fields}`, () => {
    const set = fields.map((field, place) => `${quoted(columnOf(table, field).name)} = $${place + 1}`);
    return `update ${quoted(getTableName(table))} set ${set.join(", ")} where ${where.text}`;
  });
  const params = [...fields.map((field) => stored(table, field, Reflect.get(values, field))), ...where.params];
  return {
    table,
    kind: "update",
    key: where.params.join(),
    values: [values],
    statement,
    params: paramsOf(params),
    expectedRows: "1",
  };
}

/** UPDATEs of many rows of a workspace by their keys, each with values of its own for the same columns. */
export function updates<T extends PgTable>(
  table: T,
  workspaceId: number,
  rows: readonly (Some<T> & { id: number })[],
): Write[] {
  const [first] = rows;
  if (first === undefined) return [];
  const fields = fieldsOf(first).filter((field) => field !== "id");
  const name = quoted(getTableName(table));
  const statement = statementOf(`update ${getTableName(table)} ${fields} many`, () => {
    const set = fields.map((field) => `${quoted(columnOf(table, field).name)} = r.${quoted(field)}`);
    return `update ${name} set ${set.join(", ")} from ${recordset(table, ["id", ...fields], 1)}
      where ${name}.workspace_id = $2 and ${name}.id = r."id"`;
  });
  return [...jsonChunks(rows)].map(({ text, count }) => ({
    table,
    kind: "update",
    key: null,
    values: null,
    statement,
    params: paramsOf([text, workspaceId, count]),
    expectedRows: "$3::bigint",
  }));
}

/** The DELETE of every row that has some values. */
export function deletion<T extends PgTable>(table: T, where: Where<T>): Write {
  const { text: conditionText, params, shape } = conditions(table, where, 1);
  const statement = statementOf(
    `delete ${getTableName(table)} ${shape}`,
    () => `delete from ${quoted(getTableName(table))} where ${conditionText}`,
  );
  return {
    table,
    kind: "delete",
    key: null,
    values: null,
    statement,
    params: paramsOf(params),
    expectedRows: null,
  };
}

const merged = new Map<string, string>();

const shifted = (text: string, offset: number) => text.replace(/\$(\d+)/g, (_, place) => `$${Number(place) + offset}`);

/** Merges writes of different rows into one statement. Divides by zero, and so fails, if an UPDATE by key misses a row. */
export function mergedStatement(writes: readonly Write[]): { text: string; params: Param[] } {
  const params: Param[] = [];
  for (const write of writes) params.push(...write.params);
  const shape = writes.map(({ statement }) => statement.number).join();
  const known = merged.get(shape);
  if (known !== undefined) return { text: known, params };
  let offset = 0;
  const checks: string[] = [];
  const parts = writes.map(({ statement, params: own, expectedRows }, index) => {
    const text = shifted(statement.text, offset);
    if (expectedRows !== null)
      checks.push(`1 / ((select count(*) from w${index}) = ${shifted(expectedRows, offset)})::int`);
    offset += own.length;
    return `w${index} as (${text}${expectedRows === null ? "" : " returning 1"})`;
  });
  const text = `with ${parts.join(", ")} select ${checks.length === 0 ? "1" : checks.join(", ")}`;
  if (merged.size >= REMEMBERED) merged.clear();
  merged.set(shape, text);
  return { text, params };
}

/** A write as a statement of its own; it fails as `mergedStatement` does. */
export const singleStatement = (write: Write): { text: string; params: Param[] } =>
  write.expectedRows === null ? { text: write.statement.text, params: write.params } : mergedStatement([write]);

/** The most merged statements in the cache; frequent ones are soon cached again. */
const REMEMBERED = 2000;
