// What becomes of a row that was read before the turn of its change, by a guard or for a move, when changes before it write. Unless a
// rule says otherwise, it is read again.

import type { PgTable } from "drizzle-orm/pg-core";
import type { ReadAhead } from "../db/readsAhead.js";
import {
  type card,
  cardLabel,
  cardMember,
  cardText,
  comment,
  event,
  idempotencyKey,
  notification,
  workspaceCounter,
} from "../db/schema/index.js";

/** How a row stands after a write to one table; null where only the database can tell. */
export type Rule = ReadAhead["after"];

/** Tables of which nothing is read before its turn. */
export const UNREAD: ReadonlySet<PgTable> = new Set([
  cardLabel,
  cardMember,
  cardText,
  comment,
  event,
  idempotencyKey,
  notification,
  workspaceCounter,
]);

/**
 * The rule of a table of which a guard reads one row, whose key is a field of its own row. Of an UPDATE of that one it can follow
 * the columns that `shown` names, with the field that shows each.
 */
export const oneRow =
  (field: string, shown: Readonly<Record<string, string>> = {}): Rule =>
  (row, { kind, key, values }) => {
    if (kind === "insert") return row;
    if (key === null || values === null) return null;
    if (key !== `${Reflect.get(row, "workspaceId")},${Reflect.get(row, field)}`) return row;
    const changed = values.flatMap((value) => Object.entries(value));
    if (!changed.every(([column]) => column in shown)) return null;
    return { ...row, ...Object.fromEntries(changed.map(([column, value]) => [shown[column], value])) };
  };

/**
 * The rule of cards for a guard that reads where those of its list end. A card that leaves the list may leave its end behind: a
 * position beyond all cards is as good.
 */
export const endOfList: Rule = (row, { kind, values, was }) => {
  if (kind === "delete" || values === null) return null;
  let last: unknown = Reflect.get(row, "lastPosition");
  for (const value of values) {
    const { position, listId }: Partial<typeof card.$inferInsert> = { ...was, ...value };
    if (!("position" in value || "listId" in value) || position == null) continue;
    if (listId === undefined) return null;
    if (listId === Reflect.get(row, "listId")) last = Math.max(position, typeof last === "number" ? last : position);
  }
  return { ...row, lastPosition: last };
};

/** How a row stands after a write, by the rules of the tables that it is read from. */
export function following(...rules: readonly (readonly [PgTable, Rule])[]): Rule {
  const byTable = new Map(rules);
  return (row, write) => (UNREAD.has(write.table) ? row : (byTable.get(write.table)?.(row, write) ?? null));
}
