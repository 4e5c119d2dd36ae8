// Reads one card with everything on it except comments.

import { sql } from "drizzle-orm";
import type { z } from "zod";
import { type BoardAccess, boardFields, guardOnBoard, type Named, namedFields } from "../../access/guards.js";
import { PLACES } from "../../access/lookups.js";
import type { Signed } from "../../api/context.js";
import { byName } from "../../api/shapes.js";
import { account, aliases, card, cardLabel, cardMember, label, list, member } from "../../db/schema/index.js";
import { jsonArray, orNull, type RowOf, selection } from "../../db/selections.js";
import { lastEventIn } from "../../events/logBounds.js";
import { cardBoard } from "./cardGuards.js";
import type { Card } from "./cardShapes.js";
import { attachedKeys, type ShownPersonRow, summaryFields, summaryOf } from "./cardSummaries.js";
import { partColumns, partsIn } from "./ownParts.js";

type CardAnswer = z.output<typeof Card>;

const { siblingCard } = aliases;

const ofWorkspace = sql`${PLACES.workspaceId}::bigint`;

const personOnCard = { id: member.id, publicId: member.publicId, image: account.image };

/** A card with its list, board and workspace, and as JSON its labels, assignees and parts. */
const cardFields = {
  ...boardFields,
  ...summaryFields,
  archivedAt: card.archivedAt,
  createdAt: card.createdAt,
  updatedAt: card.updatedAt,
  ...orNull({ listPublicId: list.publicId, listName: list.name }),
  index: sql<number | null>`case when ${card.position} is not null then (
    select count(*) from ${card} ${siblingCard}
    where ${siblingCard.workspaceId} = ${ofWorkspace} and ${siblingCard.listId} = ${card.listId}
      and ${siblingCard.position} < ${card.position}) end`,
  labels: sql<Named[] | null>`(
    select ${jsonArray(namedFields(label))}
    from ${cardLabel} join ${label} on ${label.workspaceId} = ${cardLabel.workspaceId} and ${label.id} = ${cardLabel.labelId}
    where ${cardLabel.workspaceId} = ${ofWorkspace} and ${cardLabel.cardId} = ${card.id})`,
  people: sql<ShownPersonRow[] | null>`(
    select ${jsonArray({ ...personOnCard, ...orNull({ name: account.name }) }, member.id)}
    from ${cardMember}
    join ${member} on ${member.workspaceId} = ${cardMember.workspaceId} and ${member.id} = ${cardMember.memberId}
    left join ${account} on ${account.id} = ${member.accountId}
    where ${cardMember.workspaceId} = ${ofWorkspace} and ${cardMember.cardId} = ${card.id})`,
  ...partColumns(PLACES.workspaceId),
  eventId: lastEventIn(PLACES.workspaceId),
};
const wholeCardFor = guardOnBoard<BoardAccess & RowOf<typeof cardFields>>({
  rows: selection(cardFields),
  besides: attachedKeys(PLACES.workspaceId),
  from: sql`${card} ${cardBoard(PLACES.workspaceId)}`,
  named: card,
});

/** A card as the caller may see it. */
export async function readCard(ctx: Signed, publicId: string): Promise<CardAnswer> {
  const row = await wholeCardFor(ctx, publicId, "card:view");
  const { archivedAt, createdAt, updatedAt, listPublicId, listName } = row;
  return {
    ...summaryOf(row, (row.labels ?? []).sort(byName), row.people ?? []),
    archivedAt,
    createdAt,
    updatedAt,
    list: listPublicId === null || listName === null ? null : { publicId: listPublicId, name: listName },
    board: { publicId: row.boardPublicId, name: row.boardName },
    workspace: { publicId: row.workspacePublicId, cardPrefix: row.cardPrefix },
    ...partsIn(row),
    eventId: row.eventId,
  };
}
