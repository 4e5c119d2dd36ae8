// Rows of ours: told apart by their workspaces, and joined with tables by a statement.

import { type SQL, sql } from "drizzle-orm";
import { json } from "./client.js";

/** Rows of several workspaces by their workspaces: each statement is about one. */
export function byWorkspace<Row extends { workspaceId: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.workspaceId);
    if (group === undefined) groups.set(row.workspaceId, [row]);
    else group.push(row);
  }
  return groups;
}

/** What a column of a row may hold; whatever is no scalar goes into a `jsonb` column. */
export type Columns<Row> = { readonly [K in keyof Row & string]: "bigint" | "int" | "text" | "timestamptz" | "jsonb" };

const typedValue = (value: unknown, type: string) =>
  type === "jsonb" ? json(value) : sql`${value ?? null}::${sql.raw(type)}`;

/** Up to so many rows are written out one by one, each number of them in a statement of its own. */
const FEW = 2;

/**
 * Rows as an item of FROM under a name, with the columns and types given. A few are written as values: the planner then counts
 * them, and looks up by key what is joined with them. Of a document it expects a hundred rows, for which it would rather read
 * all that a workspace has.
 */
export function records<Row extends object>(name: string, columns: Columns<Row>, rows: readonly Row[]): SQL {
  const typed = Object.entries<string>(columns);
  const named = (list: readonly string[]) => sql.raw(`${name}(${list.join(", ")})`);
  if (rows.length === 0 || rows.length > FEW) {
    return sql`jsonb_to_recordset(${json(rows)}) as ${named(typed.map(([column, type]) => `"${column}" ${type}`))}`;
  }
  const written = rows.map((row) => {
    const values = typed.map(([column, type]) => typedValue(Reflect.get(row, column), type));
    return sql`(${sql.join(values, sql`, `)})`;
  });
  return sql`(values ${sql.join(written, sql`, `)}) as ${named(typed.map(([column]) => `"${column}"`))}`;
}
