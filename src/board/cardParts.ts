// What hangs on cards, read for moves and copies: labels, assignees, and what belongs to a card alone.

import { type GetColumnData, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Role } from "../access/permissions.js";
import type { Tx } from "../api/change.js";
import { byName } from "../api/shapes.js";
import { bigints } from "../db/client.js";
import { cardLabel, cardMember, checklist, checklistItem, label, member } from "../db/schema/index.js";
import type { LoggedParts } from "./loggedCards.js";

/** A label on a card. */
export interface LabelPart {
  id: number;
  publicId: string;
  name: string;
  nameKey: string;
  colourCode: string;
}

/** An assignee of a card. */
export interface MemberPart {
  id: number;
  publicId: string;
  role: Role;
}

/** What hangs on one card: labels by name, members in the order in which they joined. */
export interface CardParts {
  labels: LabelPart[];
  members: MemberPart[];
  /** As events hold it. */
  own: LoggedParts;
}

/** What hangs on some cards, in a few statements whatever their number. */
export async function partsOf(tx: Tx, cardIds: readonly number[]): Promise<(cardId: number) => CardParts> {
  const [labels, members, checklists] = await Promise.all([
    labelsOf(tx, cardIds),
    membersOf(tx, cardIds),
    checklistsOf(tx, cardIds),
  ]);
  return (cardId) => ({
    labels: labels(cardId),
    members: members(cardId),
    own: { checklists: checklists(cardId) },
  });
}

/**
 * Columns of the rows whose `key` is one of many. Each key is looked up by itself: the barrier keeps a planner without statistics
 * from comparing all keys with every row of the workspace.
 */
async function rowsAt<Columns extends Record<string, PgColumn>>(
  tx: Tx,
  key: PgColumn,
  keys: readonly number[],
  columns: Columns,
): Promise<{ [Name in keyof Columns]: GetColumnData<Columns[Name]> }[]> {
  if (keys.length === 0) return [];
  const selected = Object.entries(columns).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`);
  const workspaceId = sql`${key.table}.workspace_id`;
  return tx.db.rows(sql`
    select x.* from unnest(${bigints([...new Set(keys)])}) as k(id)
    cross join lateral (
      select ${sql.join(selected, sql`, `)} from ${key.table}
      where ${workspaceId} = ${tx.workspaceId}::bigint and ${key} = k.id offset 0
    ) x`);
}

/** Rows by a key that several of them may share, in their order. */
export function grouped<Row>(rows: readonly Row[], keyOf: (row: Row) => number): (key: number) => Row[] {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return (key) => groups.get(key) ?? [];
}

async function labelsOf(tx: Tx, cardIds: readonly number[]): Promise<(cardId: number) => LabelPart[]> {
  const { cardId, labelId } = cardLabel;
  const pairs = grouped(await rowsAt(tx, cardId, cardIds, { cardId, labelId }), (row) => row.cardId);
  const ids = cardIds.flatMap((id) => pairs(id).map((row) => row.labelId));
  const { id, publicId, name, nameKey, colourCode } = label;
  const labels = await rowsAt(tx, id, ids, { id, publicId, name, nameKey, colourCode });
  const byId = new Map(labels.map((one) => [one.id, one]));
  return (card) =>
    pairs(card)
      .flatMap((row) => byId.get(row.labelId) ?? [])
      .sort(byName);
}

async function membersOf(tx: Tx, cardIds: readonly number[]): Promise<(cardId: number) => MemberPart[]> {
  const { cardId, memberId } = cardMember;
  const pairs = grouped(await rowsAt(tx, cardId, cardIds, { cardId, memberId }), (row) => row.cardId);
  const ids = cardIds.flatMap((id) => pairs(id).map((row) => row.memberId));
  const { id, publicId, role } = member;
  const members = await rowsAt(tx, id, ids, { id, publicId, role });
  const byId = new Map(members.map((one) => [one.id, one]));
  return (card) =>
    pairs(card)
      .flatMap((row) => byId.get(row.memberId) ?? [])
      .sort((a, b) => a.id - b.id);
}

/** In the order in which they were made, their items in order. */
async function checklistsOf(
  tx: Tx,
  cardIds: readonly number[],
): Promise<(cardId: number) => LoggedParts["checklists"]> {
  const { id, publicId, cardId, name } = checklist;
  const checklists = await rowsAt(tx, cardId, cardIds, { id, publicId, cardId, name });
  const { checklistId, title, completed, position } = checklistItem;
  const items = await rowsAt(
    tx,
    checklistId,
    checklists.map((one) => one.id),
    { publicId: checklistItem.publicId, checklistId, title, completed, position },
  );
  checklists.sort((a, b) => a.id - b.id);
  items.sort((a, b) => a.position - b.position);
  const itemsOn = grouped(items, (item) => item.checklistId);
  const on = grouped(checklists, (one) => one.cardId);
  return (card) =>
    on(card).map((one) => ({
      publicId: one.publicId,
      name: one.name,
      items: itemsOn(one.id).map((item) => ({ publicId: item.publicId, title: item.title, completed: item.completed })),
    }));
}
