// Reads one card with everything on it.

import { sql } from "drizzle-orm";
import type { z } from "zod";
import type { Card } from "../access/cardShapes.js";
import {
  authoriseOnBoard,
  type BoardAccess,
  boardColumns,
  boardJoins,
  keyed,
  type Unchecked,
  workspaceIdOf,
} from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { byName } from "../api/shapes.js";
import {
  type NamedRow,
  namedJson,
  type ShownPersonRow,
  type SummaryRow,
  summaryColumns,
  summaryOf,
} from "../board/cardSummaries.js";

type CardAnswer = z.output<typeof Card>;

/** A card with what is around it and, as JSON, what is on it. */
interface CardRow extends SummaryRow {
  archivedAt: string | null;
  createdAt: string;
  updatedAt: string;
  listPublicId: string | null;
  listName: string;
  boardName: string;
  cardPrefix: string;
  labels: NamedRow[] | null;
  people: ShownPersonRow[] | null;
  checklists: CardAnswer["checklists"] | null;
}

/** The checklists of the card `c` in the order in which they were made, items in order. */
const checklistsJson = sql.raw(`(
  select json_agg(json_build_object('publicId', k.public_id, 'name', k.name, 'items', (
    select coalesce(json_agg(json_build_object('publicId', i.public_id, 'title', i.title, 'completed', i.completed) order by i.position), '[]')
    from checklist_item i where i.workspace_id = k.workspace_id and i.checklist_id = k.id
  )) order by k.id)
  from checklist k where k.workspace_id = c.workspace_id and k.card_id = c.id)`);

/** A card as the caller may see it. */
export async function readCard(ctx: Signed, publicId: string): Promise<CardAnswer> {
  const [row] = await ctx.db.rows<Unchecked<BoardAccess & CardRow>>(sql`
    select ${boardColumns}, ${summaryColumns}, c.archived_at as "archivedAt", c.created_at as "createdAt",
      c.updated_at as "updatedAt", l.public_id as "listPublicId", l.name as "listName", b.name as "boardName",
      w.card_prefix as "cardPrefix",
      case when c.position is not null then (
        select count(*) from card s
        where s.workspace_id = c.workspace_id and s.list_id = c.list_id and s.position < c.position
      ) end as index,
      (select json_agg(${namedJson("t")})
        from card_label x join label t on t.workspace_id = x.workspace_id and t.id = x.label_id
        where x.workspace_id = c.workspace_id and x.card_id = c.id) as labels,
      (select json_agg(json_build_object('id', p.id, 'publicId', p.public_id, 'name', a.name, 'image', a.image) order by p.id)
        from card_member x
        join member p on p.workspace_id = x.workspace_id and p.id = x.member_id
        left join account a on a.id = p.account_id
        where x.workspace_id = c.workspace_id and x.card_id = c.id) as people,
      ${checklistsJson} as checklists
    from card c
    cross join ${keyed("board", "b", "c.workspace_id", "c.board_id")}
    left join ${keyed("list", "l", "c.workspace_id", "c.list_id")} on true ${boardJoins(ctx)}
    where c.workspace_id = ${workspaceIdOf(ctx, publicId)}::bigint and c.public_id = ${publicId}::text`);
  const card = authoriseOnBoard<BoardAccess & CardRow>(ctx, row, "card:view");
  const { archivedAt, createdAt, updatedAt, listPublicId, listName } = card;
  return {
    ...summaryOf(card, (card.labels ?? []).sort(byName), card.people ?? []),
    archivedAt,
    createdAt,
    updatedAt,
    list: listPublicId === null ? null : { publicId: listPublicId, name: listName },
    board: { publicId: card.boardPublicId, name: card.boardName },
    workspace: { publicId: card.workspacePublicId, cardPrefix: card.cardPrefix },
    checklists: card.checklists ?? [],
  };
}
