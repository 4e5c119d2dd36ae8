// Selections of statements written by hand: columns of the schema and computed values, from which both the select list and the type
// of its rows come. A column that is renamed fails the compiler.

import { Column, type GetColumnData, is, Placeholder, SQL, type SQLChunk, StringChunk, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { dialect } from "./statements.js";

/** A column, or a computed value, that may be null whatever the schema says: an outer join gave it. */
class OrNull<Inner> {
  declare readonly nullable: true;
  constructor(readonly inner: Inner) {}
}

/** A value that a statement selects by itself, beside the list of its selection. */
class Computed<T> {
  declare readonly value: T;
}

/** A computed value that the statement selects by itself under the field's name: one that holds parameters, or comes from inside. */
export const computed = <T>(): Computed<T> => new Computed<T>();

type Field = PgColumn | SQL | Computed<unknown> | OrNull<PgColumn | SQL | Computed<unknown>>;

/** Columns and computed values by the names that they have in rows. */
export type Fields = { readonly [name: string]: Field };

type Value<F> =
  F extends OrNull<infer Inner>
    ? Value<Inner> | null
    : F extends Computed<infer T>
      ? T
      : F extends PgColumn
        ? GetColumnData<F>
        : F extends SQL<infer T>
          ? T
          : never;

/** The rows that fields give. */
export type RowOf<F extends Fields> = { -readonly [Name in keyof F]: Value<F[Name]> };

type Nullable<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends OrNull<unknown> ? F[Name] : OrNull<F[Name]>;
};

/** The same fields, each null where an outer join finds no row. */
export const orNull = <F extends Fields>(fields: F): Nullable<F> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field instanceof OrNull ? field : new OrNull(field)]),
  ) as Nullable<F>;

/** The expression that a field selects; null for a column that is selected beside the list. */
function selected(field: Field): PgColumn | SQL | null {
  const inner = field instanceof OrNull ? field.inner : field;
  return inner instanceof Computed ? null : inner;
}

/** The name under which fields show a column. Throws a TypeError where none does. */
export function fieldOf(fields: Fields, column: PgColumn): string {
  const entry = Object.entries(fields).find(([, field]) => selected(field) === column);
  if (entry === undefined) throw new TypeError(`No field shows the column ${column.name}`);
  return entry[0];
}

/** Whether a row must have a value. What is computed says so by its type alone. */
const isRequired = (field: Field) => is(field, Column) && field.notNull;

/** A select list with its text written once, unless it holds places of values. Throws a TypeError where it holds a value. */
function written(list: SQL): SQLChunk[] {
  const { sql: text, params } = dialect.sqlToQuery(list);
  if (!params.every((param) => param instanceof Placeholder)) throw new TypeError(`A selection holds a value: ${text}`);
  return params.length === 0 ? [new StringChunk(text)] : list.queryChunks;
}

/** The select list of a statement, `"card"."id" as "cardId", …`, which knows the rows that come of it. */
export class Selection<Row> extends SQL {
  readonly #required: readonly string[];
  readonly #computed: readonly string[];

  constructor(fields: Fields) {
    const entries = Object.entries(fields);
    const list = entries.flatMap(([name, field]) => {
      const part = selected(field);
      return part === null ? [] : [sql`${part} as ${sql.identifier(name)}`];
    });
    super(written(sql.join(list, sql`, `)));
    this.#required = entries.filter(([, field]) => isRequired(field)).map(([name]) => name);
    this.#computed = entries.filter(([, field]) => !isRequired(field)).map(([name]) => name);
  }

  /** The rows of a statement that selects this. Throws a TypeError where one lacks a value that it must have. */
  decode(rows: readonly unknown[]): Row[] {
    for (const row of rows) {
      const values = row as Record<string, unknown>;
      for (const name of this.#required) {
        if (values[name] === undefined || values[name] === null) throw new TypeError(`A statement gave no ${name}`);
      }
      for (const name of this.#computed) {
        if (values[name] === undefined) throw new TypeError(`A statement does not select ${name}`);
      }
    }
    return rows as Row[];
  }
}

/** The select list of some fields, with its text written once: what holds a parameter stands beside it. */
export const selection = <F extends Fields>(fields: F): Selection<RowOf<F>> => new Selection(fields);

/** The bare name of a column, as SET and the column list of INSERT take it. */
export const columnName = (column: PgColumn) => sql.identifier(column.name);

const pairs = (fields: Fields) =>
  sql.join(
    Object.entries(fields).map(([name, field]) => sql`${sql.raw(`'${name}'`)}, ${selected(field)}`),
    sql`, `,
  );

/** A row as a JSON object. Instants in it are written as PostgreSQL writes them in JSON. */
const jsonObject = <F extends Fields>(fields: F): SQL<RowOf<F>> => sql`json_build_object(${pairs(fields)})`;

/** Rows as a JSON array, in an order; null where there are none. */
export const jsonArray = <F extends Fields>(fields: F, order?: PgColumn | SQL): SQL<RowOf<F>[] | null> =>
  sql`json_agg(${jsonObject(fields)}${order === undefined ? sql`` : sql` order by ${order}`})`;
