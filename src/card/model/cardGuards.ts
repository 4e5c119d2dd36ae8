// Guards for cards and their parts.

import { sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { isOnBoard, seesBoard } from "../../access/boardVisibility.js";
import { authoriseOnBoard, type BoardAccess, boardFields, guardOnBoard } from "../../access/guards.js";
import { boardJoins, callerKey, PLACEHOLDERS, rowByKey } from "../../access/lookups.js";
import type { Permission } from "../../access/permissions.js";
import type { Signed } from "../../api/context.js";
import { badRequest, notFound } from "../../api/errors.js";
import { bigints, oneOf, texts } from "../../db/client.js";
import { oneRow } from "../../db/earlyReads.js";
import { board, boardMember, card, checklist, checklistItem, list, member } from "../../db/schema/index.js";
import { orNull, type RowOf, selection } from "../../db/selections.js";
import type { Value } from "../../db/statements.js";
import { CARD_FIELDS, fieldColumns } from "./cardFields.js";
import { countColumns } from "./ownParts.js";

const ownCardFields = {
  cardId: card.id,
  cardPublicId: card.publicId,
  cardNumber: card.cardNumber,
  /** Null once the list of an archived card is deleted. */
  listId: card.listId,
  ...orNull({ listPublicId: list.publicId }),
  /** Null while archived. */
  position: card.position,
  ...fieldColumns(CARD_FIELDS),
  archivedAt: card.archivedAt,
  createdAt: card.createdAt,
  ...countColumns,
  commentCount: card.commentCount,
  /** The number of open cards in its list; null if it has no list. */
  ...orNull({ listOpenCards: list.openCards }),
};

/** The fields of `CardAccess`, for guards of what is on a card. */
const cardFields = { ...boardFields, ...ownCardFields };

/** A card on a board the caller sees, with the fields that changes compare against. */
export interface CardAccess extends BoardAccess, RowOf<typeof ownCardFields> {}

/** The board and the list of a card. */
export const cardBoard = (workspaceId: Value<number>) => sql`
  cross join ${rowByKey(board, workspaceId, card.boardId)} left join ${rowByKey(list, workspaceId, card.listId)} on true`;

/** The card that a column names, with its board and list. */
const cardNamedBy = (cardId: PgColumn) => sql`
  cross join ${rowByKey(card, PLACEHOLDERS.workspaceId, cardId)} ${cardBoard(PLACEHOLDERS.workspaceId)}`;

const cardAccess = selection(cardFields);
const cardRules = [
  oneRow(cardFields, card),
  oneRow(cardFields, list, { by: card.listId, displayed: [list.openCards] }),
];

/** A card on a board that the caller sees. */
export const cardFor = guardOnBoard<CardAccess>({
  rows: cardAccess,
  from: sql`${card} ${cardBoard(PLACEHOLDERS.workspaceId)}`,
  named: card,
  rules: cardRules,
});

/** Cards on visible boards, each once, in the order of their names. @throws NOT_FOUND; FORBIDDEN for another workspace. */
export async function cardsFor(
  ctx: Signed & { workspaceId: number },
  publicIds: readonly string[],
  permission: Permission,
): Promise<CardAccess[]> {
  const wanted = [...new Set(publicIds)];
  const rows = await ctx.db.read(
    cardAccess,
    sql`
      select ${cardAccess} from unnest(${texts(wanted)}) with ordinality as wanted(public_id, ordinal)
      join ${card} on ${card.workspaceId} = ${ctx.workspaceId}::bigint and ${card.publicId} = wanted.public_id
      ${cardBoard(ctx.workspaceId)} ${boardJoins(callerKey(ctx), ctx.workspaceId)}
      order by wanted.ordinal`,
  );
  if (rows.length < wanted.length) throw notFound();
  return rows.map((row) => authoriseOnBoard<CardAccess>(ctx, row, permission));
}

const ownChecklistFields = {
  checklistId: checklist.id,
  checklistPublicId: checklist.publicId,
  checklistName: checklist.name,
};
const checklistFields = { ...cardFields, ...ownChecklistFields };

/** A checklist with its card. */
export interface ChecklistAccess extends CardAccess, RowOf<typeof ownChecklistFields> {}

const checklistRules = [...cardRules, oneRow(checklistFields, checklist)];

/** A checklist of a card that the caller sees. */
export const checklistFor = guardOnBoard<ChecklistAccess>({
  rows: selection(checklistFields),
  from: sql`${checklist} ${cardNamedBy(checklist.cardId)}`,
  named: checklist,
  rules: checklistRules,
});

const ownItemFields = {
  itemId: checklistItem.id,
  itemPublicId: checklistItem.publicId,
  itemTitle: checklistItem.title,
  itemCompleted: checklistItem.completed,
  itemPosition: checklistItem.position,
};

/** An item of a checklist with its card. */
export interface ItemAccess extends ChecklistAccess, RowOf<typeof ownItemFields> {}

const itemFields = { ...checklistFields, ...ownItemFields };

/** An item of a checklist of a card that the caller sees. */
export const itemFor = guardOnBoard<ItemAccess>({
  rows: selection(itemFields),
  from: sql`${checklistItem} cross join ${rowByKey(checklist, PLACEHOLDERS.workspaceId, checklistItem.checklistId)}
    ${cardNamedBy(checklist.cardId)}`,
  named: checklistItem,
  rules: [...checklistRules, oneRow(itemFields, checklistItem)],
});

/** A member of the workspace, and whether it sees the boards in question. */
interface Assignee {
  id: number;
  publicId: string;
  /** The member is active and sees all of the boards. */
  mayBeAssigned: boolean;
}

/** A member on each of some boards, whether it is one of the board's or not. */
const memberOnBoard = selection({
  id: member.id,
  publicId: member.publicId,
  role: member.role,
  isActive: sql<boolean>`${member.accountId} is not null`,
  boardId: sql<number>`on_board.id`,
  isBoardMember: isOnBoard,
});

/** Members by identifier; NOT_FOUND if one is unknown or belongs to another workspace. */
export async function assigneesOn(
  ctx: Signed,
  boards: readonly BoardAccess[],
  publicIds: readonly string[],
): Promise<Assignee[]> {
  if (publicIds.length === 0) return [];
  const wanted = [...new Set(publicIds)];
  const byId = new Map(boards.map((board) => [board.boardId, board]));
  const rows = await ctx.db.read(
    memberOnBoard,
    sql`
      select ${memberOnBoard} from ${member}
      cross join unnest(${bigints([...byId.keys()])}) as on_board(id)
      left join ${boardMember} on ${boardMember.workspaceId} = ${member.workspaceId} and ${boardMember.boardId} = on_board.id
        and ${boardMember.memberId} = ${member.id}
      where ${member.workspaceId} = ${boards[0]?.workspaceId ?? null}::bigint and ${oneOf(member.publicId, wanted)}
      order by ${member.id}`,
  );
  const assignees = new Map<number, Assignee>();
  for (const { id, publicId, role, isActive, boardId, isBoardMember } of rows) {
    const visibility = byId.get(boardId)?.visibility ?? "private";
    const sees = isActive && seesBoard(role, visibility, isBoardMember);
    assignees.set(id, { id, publicId, mayBeAssigned: sees && (assignees.get(id)?.mayBeAssigned ?? true) });
  }
  if (assignees.size < wanted.length) throw notFound();
  return [...assignees.values()];
}

/** Refuses people who cannot be assigned (contract section 2, Assignees), naming the field of the input. */
export function mustBeAssignable(assignees: readonly Assignee[], field: string): void {
  if (assignees.every(({ mayBeAssigned }) => mayBeAssigned)) return;
  throw badRequest("An assignee must be an active member who can see the board", field);
}
