// Reads the labels, the assignees and the own parts of cards, for moves and copies.

import { sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { namedFields } from "../../access/guards.js";
import type { Tx } from "../../api/change.js";
import { byName } from "../../api/shapes.js";
import { bigints } from "../../db/client.js";
import { card, cardLabel, cardMember, label, member } from "../../db/schema/index.js";
import { type RowOf, type Selection, selection } from "../../db/selections.js";
import { PART_FIELDS, partColumns, partsIn, type ShownParts } from "./ownParts.js";

const labelFields = { ...namedFields(label), nameKey: label.nameKey };
const memberFields = { id: member.id, publicId: member.publicId, role: member.role };
const labelPairs = selection({ cardId: cardLabel.cardId, labelId: cardLabel.labelId });
const memberPairs = selection({ cardId: cardMember.cardId, memberId: cardMember.memberId });
const labelRow = selection(labelFields);
const memberRow = selection(memberFields);
const ownRow = selection({ cardId: card.id, ...PART_FIELDS });

/** A label on a card. */
export type LabelPart = RowOf<typeof labelFields>;

/** An assignee of a card. */
export type MemberPart = RowOf<typeof memberFields>;

/** The parts of one card: labels by name, members in the order in which they joined. */
export interface CardParts {
  labels: LabelPart[];
  members: MemberPart[];
  /** As events show it. */
  own: ShownParts;
}

/** Reads the parts of some cards, in a fixed number of statements. */
export async function partsOf(tx: Tx, cardIds: readonly number[]): Promise<(cardId: number) => CardParts> {
  const [labels, members, own] = await Promise.all([
    labelsOf(tx, cardIds),
    membersOf(tx, cardIds),
    ownPartsOf(tx, cardIds),
  ]);
  return (cardId) => ({
    labels: labels(cardId),
    members: members(cardId),
    own: own(cardId),
  });
}

/**
 * The rows of a table whose `key` is one of many. Each key is looked up by itself: the barrier keeps a planner without statistics
 * from comparing all keys with every row of the workspace.
 */
async function rowsAt<Row>(
  tx: Tx,
  table: PgTable & { workspaceId: PgColumn },
  key: PgColumn,
  keys: readonly number[],
  row: Selection<Row>,
  besides = sql``,
): Promise<Row[]> {
  if (keys.length === 0) return [];
  return tx.db.read(
    row,
    sql`
      select found.* from unnest(${bigints([...new Set(keys)])}) as wanted(id)
      cross join lateral (
        select ${row}${besides} from ${table}
        where ${table.workspaceId} = ${tx.workspaceId}::bigint and ${key} = wanted.id offset 0
      ) found`,
  );
}

/** Rows by a key that several of them may share, in order. */
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
  const pairs = grouped(await rowsAt(tx, cardLabel, cardLabel.cardId, cardIds, labelPairs), (row) => row.cardId);
  const ids = cardIds.flatMap((id) => pairs(id).map((row) => row.labelId));
  const labels = await rowsAt(tx, label, label.id, ids, labelRow);
  const byId = new Map(labels.map((one) => [one.id, one]));
  return (cardId) =>
    pairs(cardId)
      .flatMap((row) => byId.get(row.labelId) ?? [])
      .sort(byName);
}

async function membersOf(tx: Tx, cardIds: readonly number[]): Promise<(cardId: number) => MemberPart[]> {
  const pairs = grouped(await rowsAt(tx, cardMember, cardMember.cardId, cardIds, memberPairs), (row) => row.cardId);
  const ids = cardIds.flatMap((id) => pairs(id).map((row) => row.memberId));
  const members = await rowsAt(tx, member, member.id, ids, memberRow);
  const byId = new Map(members.map((one) => [one.id, one]));
  return (cardId) =>
    pairs(cardId)
      .flatMap((row) => byId.get(row.memberId) ?? [])
      .sort((a, b) => a.id - b.id);
}

async function ownPartsOf(tx: Tx, cardIds: readonly number[]): Promise<(cardId: number) => ShownParts> {
  const columns = Object.entries(partColumns(tx.workspaceId)).map(
    ([name, part]) => sql`, ${part} as ${sql.identifier(name)}`,
  );
  const rows = await rowsAt(tx, card, card.id, cardIds, ownRow, sql.join(columns));
  const byId = new Map(rows.map((row) => [row.cardId, partsIn(row)]));
  return (cardId) => {
    const parts = byId.get(cardId);
    if (parts === undefined) throw new Error("A card whose parts were read is gone");
    return parts;
  };
}
