// Reads one card with everything on it except comments.

import { sql } from "drizzle-orm";
import type { z } from "zod";
import { type BoardAccess, boardFields, guardOnBoard } from "../../access/guards.js";
import { PLACEHOLDERS } from "../../access/lookups.js";
import type { Signed } from "../../api/context.js";
import { aliases, card, list } from "../../db/schema/index.js";
import { orNull, type RowOf, selection } from "../../db/selections.js";
import { lastEventIn } from "../../events/logBounds.js";
import { cardBoard } from "./cardGuards.js";
import type { Card } from "./cardShapes.js";
import { attachedKeys, labelsOfCard, peopleOfCard, summaryFields, wholeSummaryOf } from "./cardSummaries.js";
import { partColumns, partsIn } from "./ownParts.js";

type CardAnswer = z.output<typeof Card>;

const { siblingCard } = aliases;

const ofWorkspace = sql`${PLACEHOLDERS.workspaceId}::bigint`;

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
  labels: labelsOfCard(PLACEHOLDERS.workspaceId),
  people: peopleOfCard(PLACEHOLDERS.workspaceId),
  ...partColumns(PLACEHOLDERS.workspaceId),
  eventId: lastEventIn(PLACEHOLDERS.workspaceId),
};
const wholeCardFor = guardOnBoard<BoardAccess & RowOf<typeof cardFields>>({
  rows: selection(cardFields),
  besides: attachedKeys(PLACEHOLDERS.workspaceId),
  from: sql`${card} ${cardBoard(PLACEHOLDERS.workspaceId)}`,
  named: card,
});

/** A card as the caller may see it. */
export async function readCard(ctx: Signed, publicId: string): Promise<CardAnswer> {
  const row = await wholeCardFor(ctx, publicId, "card:view");
  const { archivedAt, createdAt, updatedAt, listPublicId, listName } = row;
  return {
    ...wholeSummaryOf(row),
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
