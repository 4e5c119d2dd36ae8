// Reads one card with everything on it except comments.

import { sql } from "drizzle-orm";
import type { z } from "zod";
import { type BoardAccess, boardFields, guardOnBoard } from "../../access/guards.js";
import { PLACES } from "../../access/lookups.js";
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

const ofWorkspace = sql`${PLACES.workspaceId}::bigint`;

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
  labels: labelsOfCard(PLACES.workspaceId),
  people: peopleOfCard(PLACES.workspaceId),
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
