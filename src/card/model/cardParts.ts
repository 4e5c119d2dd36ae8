// Reads the labels, the assignees and the own parts of cards, for moves and copies.

import { sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { namedFields } from "../../access/guards.js";
import type { Tx } from "../../api/change.js";
import { byName } from "../../api/shapes.js";
import { bigints } from "../../db/client.js";
import { card, label, member } from "../../db/schema/index.js";
import { type RowOf, type Selection, selection } from "../../db/selections.js";
import { attachedKeys, keysIn, summaryFields } from "./cardSummaries.js";
import { PART_FIELDS, partColumns, partsIn, type ShownParts } from "./ownParts.js";

const labelFields = { ...namedFields(label), nameKey: label.nameKey };
const memberFields = { id: member.id, publicId: member.publicId, role: member.role };
const labelRow = selection(labelFields);
const memberRow = selection(memberFields);
const ownRow = selection({
  cardId: card.id,
  labelIds: summaryFields.labelIds,
  memberIds: summaryFields.memberIds,
  ...PART_FIELDS,
});

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

/** Reads the parts of some cards, in at most three statements. */
export async function partsOf(tx: Tx, cardIds: readonly number[]): Promise<(cardId: number) => CardParts> {
  const rows = await ownRowsOf(tx, cardIds);
  const labelIds = rows.flatMap((row) => keysIn(row.labelIds));
  const memberIds = rows.flatMap((row) => keysIn(row.memberIds));
  const [labels, members] = await Promise.all([
    rowsAt(tx, label, labelIds, labelRow),
    rowsAt(tx, member, memberIds, memberRow),
  ]);
  const labelById = new Map(labels.map((one) => [one.id, one]));
  const memberById = new Map(members.map((one) => [one.id, one]));
  const byId = new Map(rows.map((row) => [row.cardId, row]));
  return (cardId) => {
    const row = byId.get(cardId);
    if (row === undefined) throw new Error("A card whose parts were read is gone");
    return {
      labels: keysIn(row.labelIds)
        .flatMap((id) => labelById.get(id) ?? [])
        .sort(byName),
      members: keysIn(row.memberIds)
        .sort((a, b) => a - b)
        .flatMap((id) => memberById.get(id) ?? []),
      own: partsIn(row),
    };
  };
}

/** The keys of the labels and members of some cards, and the cards' own parts. */
function ownRowsOf(tx: Tx, cardIds: readonly number[]) {
  const columns = Object.entries(partColumns(tx.workspaceId)).map(
    ([name, part]) => sql`, ${part} as ${sql.identifier(name)}`,
  );
  return rowsAt(tx, card, cardIds, ownRow, sql`, ${attachedKeys(tx.workspaceId)}${sql.join(columns)}`);
}

/**
 * The rows of a table with some keys. Each key is looked up by itself: the barrier keeps a planner without statistics from comparing all
 * keys with every row of the workspace.
 */
async function rowsAt<Row>(
  tx: Tx,
  table: PgTable & { workspaceId: PgColumn; id: PgColumn },
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
        where ${table.workspaceId} = ${tx.workspaceId}::bigint and ${table.id} = wanted.id offset 0
      ) found`,
  );
}
