// Who a board is visible to, and what follows when that changes; and each person's own mark on it.

import { sql } from "drizzle-orm";
import type { BoardAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import type { Transaction } from "../db/client.js";
import { cardEvent, type NewEvent } from "../events/log.js";

/** A board as updating it answers. */
export interface Current {
  publicId: string;
  name: string;
  slug: string;
  visibility: "workspace" | "private" | "public";
  isFavourite: boolean;
}

/** Sets or clears the caller's mark on a board, where it is given, and answers the board as it stands. */
export async function setFavourite(
  tx: Signed<Transaction>,
  board: BoardAccess,
  isFavourite: boolean | undefined,
): Promise<Current> {
  const mark = sql`(${board.workspaceId}::bigint, ${board.boardId}::bigint, ${tx.user.accountId}::bigint)`;
  if (isFavourite === true) {
    await tx.db.rows(sql`
      insert into board_favourite (workspace_id, board_id, account_id) values ${mark} on conflict do nothing`);
  }
  if (isFavourite === false) {
    await tx.db.rows(sql`delete from board_favourite where (workspace_id, board_id, account_id) = ${mark}`);
  }
  const [current] = await tx.db.rows<Current>(sql`
    select public_id as "publicId", name, slug, visibility, exists (
      select from board_favourite where (workspace_id, board_id, account_id) = ${mark}
    ) as "isFavourite"
    from board where workspace_id = ${board.workspaceId}::bigint and id = ${board.boardId}::bigint`);
  if (current === undefined) throw notFound();
  return current;
}

/** Locks whoever is on a card of a board: their roles stay what the next statement reads. */
export const lockAssignees = (tx: Signed<Transaction>, { workspaceId, boardId }: BoardAccess) =>
  tx.db.rows(sql`
    select m.id from member m
    where m.workspace_id = ${workspaceId}::bigint and m.id in (
      select cm.member_id from card_member cm join card c on c.workspace_id = cm.workspace_id and c.id = cm.card_id
      where c.workspace_id = ${workspaceId}::bigint and c.board_id = ${boardId}::bigint)
    order by m.id for key share of m`);

/** Takes assignees who do not see a board off its cards, and gives the events that tell of it. */
export async function dropBlindAssignees(tx: Signed<Transaction>, board: BoardAccess): Promise<NewEvent[]> {
  await lockAssignees(tx, board);
  const dropped = await tx.db.rows<{ cardPublicId: string; memberPublicId: string }>(sql`
    delete from card_member cm using card c, member m
    where c.workspace_id = ${board.workspaceId}::bigint and c.board_id = ${board.boardId}::bigint
      and cm.workspace_id = c.workspace_id and cm.card_id = c.id
      and m.workspace_id = cm.workspace_id and m.id = cm.member_id and m.role <> 'admin'
      and (m.role = 'guest' or ${board.visibility}::text = 'private')
      and not exists (
        select from board_member bm
        where bm.workspace_id = m.workspace_id and bm.board_id = c.board_id and bm.member_id = m.id)
    returning c.public_id as "cardPublicId", m.public_id as "memberPublicId"`);
  return dropped.map(({ cardPublicId, memberPublicId }) =>
    cardEvent({ ...board, cardPublicId }, "card.member.removed", { memberPublicId }),
  );
}
