// Queries of Drizzle's builder whose text is built once. Building a query anew each time costs as much as the rest of a small call.

import { Column, fillPlaceholders, is, type SQLWrapper } from "drizzle-orm";
import { QueryBuilder } from "drizzle-orm/pg-core";
import type { Param } from "./driver.js";
import { dialect, paramsOf } from "./statements.js";

/** A query of the builder, at whatever of its steps. */
interface Select extends SQLWrapper {
  readonly _: { readonly selectedFields: Record<string, unknown>; readonly result: unknown[] };
}

/** The rows of a query by their fields' names. */
type RowOf<Query extends Select> = Query["_"]["result"][number];

/** A query of the builder, built when it is first run. */
export interface CachedQuery<Row> {
  /** The text, and the parameters in their order. Throws where a placeholder has no value. */
  bind(values: Record<string, Param>): { text: string; params: Param[] };
  /** A row by its fields' names, of the values in column order. */
  decode(values: readonly unknown[]): Row;
}

type Decode = (value: unknown) => unknown;

/** Columns decode what the driver gives; computed values are taken as they come. */
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
 * A query with a flat selection. `sql.placeholder(name)` stands for what differs from run to run; `db.cached(query, values)` runs it.
 */
export function cachedQuery<Query extends Select>(build: (builder: QueryBuilder) => Query): CachedQuery<RowOf<Query>> {
  let known: CachedQuery<RowOf<Query>> | undefined;
  const query = () => {
    known ??= built<RowOf<Query>>(build(new QueryBuilder(dialect)));
    return known;
  };
  return { bind: (values) => query().bind(values), decode: (values) => query().decode(values) };
}
