// Turns a statement that was written with `sql` into its text and parameters. Drizzle's own dialect does the same for whatever it
// knows, at ten times the cost; statements written by hand are made of text, columns, tables, values and each other.

import { Column, getTableName, Name, Placeholder, SQL, StringChunk, Table } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Param } from "./driver.js";

/** Drizzle's dialect of PostgreSQL. */
export const dialect = new PgDialect();

/** A statement as a driver takes it. */
export interface Compiled {
  text: string;
  params: Param[];
}

/** A value of a statement, or the place of one that comes with each use (`writtenOnce`). */
export type Value<T extends Param> = T | Placeholder;

/** A statement as `sql` makes it, or as a driver takes it. */
export type Statement = SQL | Compiled;

const isParam = (value: unknown): value is Param =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** Values as parameters; throws a TypeError where one is neither text, number, boolean nor null. */
export function paramsOf(values: readonly unknown[]): Param[] {
  if (values.every(isParam)) return [...values];
  throw new TypeError("A bind parameter is neither text, number, boolean nor null");
}

/** Values as an array of PostgreSQL. Between its quotes, only quotes and backslashes are escaped. */
export const arrayLiteral = (values: readonly (string | null)[]): string =>
  `{${values.map((value) => (value === null ? "NULL" : `"${value.replace(/["\\]/g, "\\$&")}"`)).join(",")}}`;

/** The text of each column, since a statement names many of them. */
const columnTexts = new WeakMap<Column, string>();

function textOfColumn(column: Column): string {
  const known = columnTexts.get(column);
  if (known !== undefined) return known;
  const text = `"${getTableName(column.table)}"."${column.name}"`;
  columnTexts.set(column, text);
  return text;
}

/** Adds a part of a statement; false where it is none that is known here. */
function add(compiled: Compiled, part: unknown): boolean {
  if (part instanceof StringChunk) compiled.text += part.value.length === 1 ? part.value[0] : part.value.join("");
  else if (part instanceof Column) compiled.text += textOfColumn(part);
  else if (part instanceof SQL) {
    for (const chunk of part.queryChunks) if (!add(compiled, chunk)) return false;
  } else if (isParam(part)) compiled.text += `$${compiled.params.push(part)}`;
  else if (part instanceof Table) compiled.text += `"${getTableName(part)}"`;
  else if (part instanceof Name) compiled.text += `"${part.value}"`;
  else return false;
  return true;
}

/** The text of a statement, the same for the same template, and its parameters. */
export function compile(statement: Statement): Compiled {
  if (!(statement instanceof SQL)) return statement;
  const compiled: Compiled = { text: "", params: [] };
  if (add(compiled, statement)) return compiled;
  const { sql: text, params } = dialect.sqlToQuery(statement);
  return { text, params: paramsOf(params) };
}

/** The values of a statement, by the names of their places. */
export type Values = Readonly<Record<string, Param>>;

/** A statement whose text was written once: gives it with the values for its places. */
interface WrittenOnce {
  (values: Values): Compiled;
  readonly text: string;
}

/** A statement whose text is written once, with `sql.placeholder(name)` for each value. Throws a TypeError if it holds one. */
export function writtenOnce(statement: SQL): WrittenOnce {
  const { sql: text, params } = dialect.sqlToQuery(statement);
  const names = params.map((param) => {
    if (param instanceof Placeholder) return param.name;
    throw new TypeError(`A statement that is written once holds a value: ${text}`);
  });
  const bind = (values: Values) => ({
    text,
    params: names.map((name) => {
      if (values[name] === undefined) throw new TypeError(`No value for ${name}: ${text}`);
      return values[name];
    }),
  });
  return Object.assign(bind, { text });
}
