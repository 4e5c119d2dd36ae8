// Rows in the process: grouped by a key, or joined with tables in a statement.

import { type SQL, sql } from "drizzle-orm";
import { json } from "./client.js";

/** Rows by a key that several of them may share, in order. */
export function groupedBy<Row>(rows: readonly Row[], keyOf: (row: Row) => number): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

/** Groups rows by workspace, because each statement is about one workspace. */
export const byWorkspace = <Row extends { workspaceId: number }>(rows: readonly Row[]): Map<number, Row[]> =>
  groupedBy(rows, ({ workspaceId }) => workspaceId);

/** The values of a column; values that are not scalar belong into a `jsonb` column. */
type Columns<Row> = { readonly [K in keyof Row & string]: "bigint" | "int" | "text" | "timestamptz" | "jsonb" };

const typedValue = (value: unknown, type: string) =>
  type === "jsonb" ? json(value) : sql`${value ?? null}::${sql.raw(type)}`;

/** Up to this many rows are written as values, each count in a statement of its own. */
const FEW = 2;

/**
 * Rows as an item of FROM with a name, columns and types. A few are written as values: the planner counts them and joins by key.
 * For a document it would expect a hundred rows and rather scan a whole workspace.
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
