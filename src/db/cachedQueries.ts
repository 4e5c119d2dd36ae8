// Queries of Drizzle's builder whose text is built once, because building a query takes as long as the rest of a small call.

import { Column, fillPlaceholders, is, type SQLWrapper } from "drizzle-orm";
import { QueryBuilder } from "drizzle-orm/pg-core";
import type { Param } from "./driver.js";
import { dialect, paramsOf } from "./statements.js";

/** A query of the builder, at any step. */
interface Select extends SQLWrapper {
  readonly _: { readonly selectedFields: Record<string, unknown>; readonly result: unknown[] };
}

/** The rows of a query by their fields' names. */
type RowOf<Query extends Select> = Query["_"]["result"][number];

/** A query of the builder, built on first use. */
export interface CachedQuery<Row> {
  /** The text, and the parameters in order. Throws if a placeholder has no value. */
  bind(values: Record<string, Param>): { text: string; params: Param[] };
  /** A row by field names, from the values in column order. */
  decode(values: readonly unknown[]): Row;
}

type Decode = (value: unknown) => unknown;

/** Columns decode the values of the driver; computed values are used as they are. */
const decoderOf = (field: unknown): Decode =>
  is(field, Column) ? (value) => (value === null ? null : field.mapFromDriverValue(value)) : (value) => value;

function built<Row>(query: Select): CachedQuery<Row> {
  const { sql: text, params } = dialect.sqlToQuery(query.getSQL());
  const fields = Object.entries(query._.selectedFields).map(([name, field]) => ({ name, decode: decoderOf(field) }));
  return {
    bind: (values) => ({ text, params: paramsOf(fillPlaceholders(params, values)) }),
    decode: (values) => Object.fromEntries(fields.map(({ name, decode }, n) => [name, decode(values[n])])) as Row,
  };
}

/**
 * A query with a flat selection. `sql.placeholder(name)` marks the values that differ between runs; `db.cached(query, values)` runs
 * it.
 */
export function cachedQuery<Query extends Select>(build: (builder: QueryBuilder) => Query): CachedQuery<RowOf<Query>> {
  let known: CachedQuery<RowOf<Query>> | undefined;
  const query = () => {
    known ??= built<RowOf<Query>>(build(new QueryBuilder(dialect)));
    return known;
  };
  return { bind: (values) => query().bind(values), decode: (values) => query().decode(values) };
}
