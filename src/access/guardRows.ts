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
    const standing = { ...row };
    for (const value of values) {
      for (const [column, now] of Object.entries(value)) {
        const name = shown[column];
        if (name === undefined) return null;
        Reflect.set(standing, name, now);
      }
    }
    return standing;
  };

/** Where a card stands: on which list, and where there; nowhere while it is archived. */
export type Standing = Partial<Pick<typeof card.$inferInsert, "listId" | "position">>;

/** Where a card stands after a write of some of its columns, as far as these and what they held before tell. */
export function standingAfter(value: object, was: object | null): Standing {
  const [now, before]: [Standing, Standing] = [value, was ?? {}];
  return {
    listId: "listId" in now ? now.listId : before.listId,
    position: "position" in now ? now.position : before.position,
  };
}

/**
 * The rule of cards for a guard that reads where those of its list end. A card that leaves the list may leave its end behind: a
 * position beyond all cards is as good.
 */
export const endOfList: Rule = (row, { kind, values, was }) => {
  if (kind === "delete" || values === null) return null;
  const known: unknown = Reflect.get(row, "lastPosition");
  let last = known;
  for (const value of values) {
    if (!("position" in value || "listId" in value)) continue;
    const { position, listId } = standingAfter(value, was);
    if (position == null) continue;
    if (listId === undefined) return null;
    if (listId === Reflect.get(row, "listId")) last = Math.max(position, typeof last === "number" ? last : position);
  }
  return last === known ? row : { ...row, lastPosition: last };
};

/** How a row stands after a write, by the rules of the tables that it is read from. */
export function following(...rules: readonly (readonly [PgTable, Rule])[]): Rule {
  const byTable = new Map(rules);
  return (row, write) => (UNREAD.has(write.table) ? row : (byTable.get(write.table)?.(row, write) ?? null));
}
