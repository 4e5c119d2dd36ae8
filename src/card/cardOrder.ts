// The order of the cards of a list: the place for a card that comes to it, and the plan of a move, which may be read before its turn.

import { type SQL, sql } from "drizzle-orm";
import { isNamed, PLACES, workspaceIdOf } from "../access/finding.js";
import { following, type Rule, type Standing, standingAfter } from "../access/guardRows.js";
import type { ListAccess } from "../access/guards.js";
import type { Asking, Early, Tx } from "../api/change.js";
import {
  type At,
  between,
  indexAt,
  orderAround,
  orderFields,
  type Place,
  placeIn,
  rankOf,
  type Siblings,
  type Slot,
  slotIn,
  slotOrEnd,
  withOne,
  without,
} from "../db/positions.js";
import { card, list } from "../db/schema/index.js";
import { beside, type RowOf, selection } from "../db/selections.js";
import { type Compiled, type Value, writtenOnce } from "../db/statements.js";

const inList = (workspaceId: Value<number>, listId: SQL) =>
  sql`${card.workspaceId} = ${workspaceId}::bigint and ${card.listId} = ${listId} and ${card.position} is not null`;

/** The open cards of a list. */
export function cardsIn({
  workspaceId,
  listId,
  openCards,
}: Pick<ListAccess, "workspaceId" | "listId" | "openCards">): Siblings {
  return { table: card, of: inList(workspaceId, sql`${listId}::bigint`), size: sql`${openCards}::int` };
}

/** The position for an index of a list, for a card that comes from elsewhere. */
export async function placeOn(
  tx: Tx,
  target: Pick<ListAccess, "workspaceId" | "listId" | "openCards" | "lastPosition">,
  at: At,
): Promise<Place> {
  const { openCards, lastPosition } = target;
  const position = between(lastPosition, null);
  if (position !== null && (at === "end" || at >= openCards)) return { from: null, to: openCards, position };
  return placeIn(tx, cardsIn(target), at);
}

/** A move of a card to an index of its list, or of another one. */
export interface Move {
  cardPublicId: string;
  listPublicId: string | undefined;
  at: At;
}

/** What is read of a move: where the card is, and the order of the cards of the list that it goes to. */
const planFields = {
  workspaceId: beside<number>(),
  cardId: beside<number>(),
  /** Where the card is; `position` is null while it is archived. */
  listId: beside<number | null>(),
  position: beside<number | null>(),
  /** Its index there. */
  from: beside<number>(),
  targetId: beside<number>(),
  ...orderFields,
};
type MovePlan = RowOf<typeof planFields>;

const planRow = selection(planFields);
const spotFields = { workspaceId: card.workspaceId, cardId: card.id, listId: card.listId, position: card.position };
const { workspaceId: WORKSPACE, publicId: CARD } = PLACES;
const LIST = sql.placeholder("listPublicId");

/** Finds both by their identifiers alone: nobody may use what it reads until the guards have let the caller through. */
function planning(isTarget: SQL) {
  const around = { table: card, of: inList(WORKSPACE, sql`moving."listId"`) };
  const there = { table: card, of: inList(WORKSPACE, sql`target.id`), size: sql`target.open_cards` };
  return writtenOnce(sql`
    select moving.*, target.id as "targetId", ${rankOf(around, sql`moving.position`)} as "from", near.*
    from (select ${selection(spotFields)} from ${card} where ${isNamed(card, { workspaceId: WORKSPACE, publicId: CARD })}) moving
    cross join lateral (select ${list.id} as id, ${list.openCards} as open_cards from ${list} where ${isTarget}) target
    cross join lateral (${orderAround(there, sql.placeholder("index"))}) near`);
}
const planWithinList = planning(sql`${list.workspaceId} = ${WORKSPACE}::bigint and ${list.id} = moving."listId"`);
const planToList = planning(isNamed(list, { workspaceId: WORKSPACE, publicId: LIST }));

function planned(ctx: Asking, { cardPublicId: publicId, listPublicId, at }: Move): Compiled {
  const values = { workspaceId: workspaceIdOf(ctx, publicId), publicId, index: indexAt(at) };
  return listPublicId === undefined ? planWithinList(values) : planToList({ listPublicId, ...values });
}

/** The position of the card among those of the list that it goes to; null where it is not one of them. */
const ownPosition = ({ listId, targetId, position }: MovePlan) => (listId === targetId ? position : null);

/** A plan after another card has left where it stood; null where only the database can tell. */
function afterLeaving(plan: MovePlan, { listId, position }: Standing): MovePlan | null {
  if (listId == null || position == null) return plan;
  const order = listId === plan.targetId ? without(plan, position) : plan;
  return order && { ...plan, ...order, from: plan.from - (isBefore(plan, listId, position) ? 1 : 0) };
}

/** A plan after another card has come to where it stands now; null where only the database can tell. */
function afterComing(plan: MovePlan, { listId, position }: Standing): MovePlan | null {
  if (listId == null || position == null) return plan;
  const order = listId === plan.targetId ? withOne(plan, position) : plan;
  return order && { ...plan, ...order, from: plan.from + (isBefore(plan, listId, position) ? 1 : 0) };
}

const isBefore = (plan: MovePlan, listId: number, position: number) =>
  listId === plan.listId && plan.position !== null && position < plan.position;

/** A row of `planned`, the only statement that is followed by these rules, as the driver decoded it. */
const planOf = (row: object) => row as MovePlan;

/** The plan of a move after a write of cards. A write to the card that moves makes the plan be read again. */
const afterCards =
  (at: At): Rule =>
  (row, { kind, key, values, was }) => {
    const plan = planOf(row);
    if (kind === "delete" || values === null || key === `${plan.workspaceId},${plan.cardId}`) return null;
    let standing: MovePlan | null = plan;
    for (const value of values) {
      if (!("position" in value || "listId" in value)) continue;
      const before: Standing = was ?? {};
      if (kind === "update" && (before.listId === undefined || before.position === undefined)) return null;
      standing = standing && afterLeaving(standing, before);
      standing = standing && afterComing(standing, standingAfter(value, was));
    }
    return standing && slotIn(standing, at, ownPosition(standing)) && standing;
  };

/** Only the counts of lists are read, which the writes of cards tell as well. */
const afterLists: Rule = (row, { kind }) => (kind === "delete" ? null : row);

/** The slot of a card or list that is not there: it is refused. */
const NOWHERE: Slot = { from: null, to: 0, before: null, after: null };

/** Plans the move of a card. */
export const movePlan = (move: Move): Early & { read(tx: Tx): Promise<Slot> } => ({
  ahead: (ctx) => ({
    statement: planned(ctx, move),
    after: following([card, afterCards(move.at)], [list, afterLists]),
  }),
  read: async (tx) => {
    const [plan] = await tx.db.read(planRow, planned(tx, move));
    if (plan === undefined) return NOWHERE;
    return { from: plan.from, ...slotOrEnd(plan, move.at, ownPosition(plan)) };
  },
});
