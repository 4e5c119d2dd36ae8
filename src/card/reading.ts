// Reads one card with everything on it.

import { sql } from "drizzle-orm";
import type { z } from "zod";
import { cardFor } from "../access/cardGuards.js";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import { readSummaries, summaryColumns, summaryJoins } from "../board/cardSummaries.js";
import type { Queries } from "../db/client.js";
import type { Card } from "./shapes.js";

type CardAnswer = z.output<typeof Card>;

interface ChecklistRow {
  publicId: string;
  name: string;
  itemPublicId: string | null;
  title: string;
  completed: boolean;
}

/** The checklists of a card in the order in which they were made, items in order. */
async function checklistsOf(
  db: Queries,
  card: { workspaceId: number; cardId: number },
): Promise<CardAnswer["checklists"]> {
  const rows = await db.rows<ChecklistRow>(sql`
    select k.public_id as "publicId", k.name, i.public_id as "itemPublicId", i.title, i.completed
    from checklist k
    left join checklist_item i on i.workspace_id = k.workspace_id and i.checklist_id = k.id
    where k.workspace_id = ${card.workspaceId}::bigint and k.card_id = ${card.cardId}::bigint
    order by k.id, i.position`);
  const checklists: CardAnswer["checklists"] = [];
  for (const { publicId, name, itemPublicId, title, completed } of rows) {
    let checklist = checklists.at(-1);
    if (checklist?.publicId !== publicId) {
      checklist = { publicId, name, items: [] };
      checklists.push(checklist);
    }
    if (itemPublicId !== null) checklist.items.push({ publicId: itemPublicId, title, completed });
  }
  return checklists;
}

interface Around {
  archivedAt: string | null;
  createdAt: string;
  updatedAt: string;
  listPublicId: string | null;
  listName: string;
  boardPublicId: string;
  boardName: string;
  workspacePublicId: string;
  cardPrefix: string;
}

/** A card as the caller may see it. */
export async function readCard(ctx: Signed, publicId: string): Promise<CardAnswer> {
  const card = await cardFor(ctx, publicId, "card:view");
  const isCard = sql`c.workspace_id = ${card.workspaceId}::bigint and c.id = ${card.cardId}::bigint`;
  const [[found], [around], checklists] = await Promise.all([
    readSummaries(
      ctx.db,
      card,
      sql`select ${summaryColumns}, case when c.position is not null then (
          select count(*) from card s
          where s.workspace_id = c.workspace_id and s.list_id = c.list_id and s.position < c.position
        ) end as index
        from card c ${summaryJoins} where ${isCard}`,
    ),
    ctx.db.rows<Around>(sql`
      select c.archived_at as "archivedAt", c.created_at as "createdAt", c.updated_at as "updatedAt",
        l.public_id as "listPublicId", l.name as "listName", b.public_id as "boardPublicId", b.name as "boardName",
        w.public_id as "workspacePublicId", w.card_prefix as "cardPrefix"
      from card c
      join board b on b.workspace_id = c.workspace_id and b.id = c.board_id
      join workspace w on w.id = c.workspace_id
      left join list l on l.workspace_id = c.workspace_id and l.id = c.list_id
      where ${isCard}`),
    checklistsOf(ctx.db, card),
  ]);
  if (found === undefined || around === undefined) throw notFound();
  const { archivedAt, createdAt, updatedAt } = around;
  return {
    ...found.summary,
    archivedAt,
    createdAt,
    updatedAt,
    list: around.listPublicId === null ? null : { publicId: around.listPublicId, name: around.listName },
    board: { publicId: around.boardPublicId, name: around.boardName },
    workspace: { publicId: around.workspacePublicId, cardPrefix: around.cardPrefix },
    checklists,
  };
}
