// Reads the labels, the assignees and the own parts of cards, for moves and copies.

import { sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { namedFields } from "../../access/guards.js";
import type { Tx } from "../../api/change.js";
import { byName } from "../../api/shapes.js";
import { bigints } from "../../db/client.js";
import { groupedBy } from "../../db/records.js";
import { card, cardLabel, cardMember, label, member } from "../../db/schema/index.js";
import { type RowOf, type Selection, selection } from "../../db/selections.js";
import { PART_FIELDS, partColumns, partsIn, type ShownParts } from "./ownParts.js";

const labelFields = { ...namedFields(label), nameKey: label.nameKey };
const memberFields = { id: member.id, publicId: member.publicId, role: member.role };
const LABELS = {
  on: cardLabel,
  pair: selection({ cardId: cardLabel.cardId, otherId: cardLabel.labelId }),
  of: label,
  row: selection(labelFields),
};
const MEMBERS = {
  on: cardMember,
  pair: selection({ cardId: cardMember.cardId, otherId: cardMember.memberId }),
  of: member,
  row: selection(memberFields),
};
const ownRow = selection({ cardId: card.id, ...PART_FIELDS });

/** A label on a card. */
export type LabelPart = RowOf<typeof labelFields>;

/** An assignee of a card. */
export type MemberPart = RowOf<typeof memberFields>;

/** A kind of what cards refer to: the table of pairs, and the table of the others. */
interface Attachment<Row> {
  on: PgTable & { workspaceId: PgColumn; cardId: PgColumn };
  pair: Selection<{ cardId: number; otherId: number }>;
  of: PgTable & { workspaceId: PgColumn; id: PgColumn };
  row: Selection<Row>;
}

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
    attachedTo(tx, cardIds, LABELS),
    attachedTo(tx, cardIds, MEMBERS),
    ownPartsOf(tx, cardIds),
  ]);
  return (cardId) => ({
    labels: labels(cardId).sort(byName),
    members: members(cardId).sort((a, b) => a.id - b.id),
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

/** The labels or members of cards, by a table of pairs, in no particular order. */
async function attachedTo<Row extends { id: number }>(
  tx: Tx,
  cardIds: readonly number[],
  { on, pair, of, row }: Attachment<Row>,
): Promise<(cardId: number) => Row[]> {
  const pairs = groupedBy(await rowsAt(tx, on, on.cardId, cardIds, pair), (one) => one.cardId);
  const ids = cardIds.flatMap((id) => (pairs.get(id) ?? []).map((one) => one.otherId));
  const others = new Map((await rowsAt(tx, of, of.id, ids, row)).map((one) => [one.id, one]));
  return (id) => (pairs.get(id) ?? []).flatMap((one) => others.get(one.otherId) ?? []);
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
