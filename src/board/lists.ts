// Lists: the columns of a board, in order.

import { sql } from "drizzle-orm";
import { z } from "zod";
import { boardFor, type ListAccess, listFor, mustBeOpen } from "../access/guards.js";
import { change, type Signed } from "../api/context.js";
import { Index, ListName, Ok, ok, PublicId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { bigints, type Transaction } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { positionAt, type Siblings, stepTo } from "../db/positions.js";
import { boardEvent, cardEvent, changesTo, type NewEvent, record } from "../events/log.js";

const tags = ["Lists"];

/** What creating or updating a list answers (specification 4.8, 4.9). */
const List = z.object({ publicId: z.string(), name: z.string() });

const siblings = (board: { workspaceId: number; boardId: number }): Siblings => ({
  table: sql`list`,
  of: sql`workspace_id = ${board.workspaceId}::bigint and board_id = ${board.boardId}::bigint`,
});

/** The step that takes a list to `index`; null when it stands there already. */
const moveTo = (tx: Signed<Transaction>, list: ListAccess, index: number) =>
  stepTo(tx.db, siblings(list), { id: list.listId, position: list.position }, index);

/** The cards of a list, locked by key: those on the board, and those archived from it. */
async function lockedCards(tx: Signed<Transaction>, list: ListAccess) {
  const cards = await tx.db.rows<{ id: number; cardPublicId: string; isActive: boolean }>(sql`
    select id, public_id as "cardPublicId", position is not null as "isActive" from card
    where workspace_id = ${list.workspaceId}::bigint and list_id = ${list.listId}::bigint
    order by id for no key update`);
  return { active: cards.filter(({ isActive }) => isActive), archived: cards.filter(({ isActive }) => !isActive) };
}

export const lists = {
  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/lists",
        tags,
        summary: "Create a list",
        description: "Adds a list at the end of a board. Names may repeat. Needs `list:create`.",
      },
    })
    .input(z.strictObject({ name: ListName, boardPublicId: PublicId }))
    .output(List)
    .mutation(({ ctx, input: { name, boardPublicId } }) =>
      change(ctx, async (tx) => {
        const board = await boardFor(tx, boardPublicId, "list:create");
        mustBeOpen(board);
        const position = await positionAt(tx.db, siblings(board), "end");
        const publicId = newPublicId();
        await record(tx, board, {
          events: [boardEvent(board, "list.created", { listPublicId: publicId, name })],
          write: () => sql`
            insert into list (workspace_id, public_id, board_id, name, position)
            select ${board.workspaceId}::bigint, ${publicId}::text, ${board.boardId}::bigint, ${name}::text, ${position}::bigint
            from next returning id`,
        });
        return { publicId, name };
      }),
    ),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/lists/{listPublicId}",
        tags,
        summary: "Update a list",
        description:
          "Renames a list or moves it on its board: `index` is zero-based among the board's lists, and one beyond the end means the end. Needs `list:edit`.",
      },
    })
    .input(z.strictObject({ listPublicId: PublicId, name: ListName.optional(), index: Index.optional() }))
    .output(List)
    .mutation(({ ctx, input: { listPublicId, name: wanted, index } }) =>
      change(ctx, async (tx) => {
        const list = await listFor(tx, listPublicId, "list:edit", "alone");
        const changes = changesTo({ name: list.listName }, { name: wanted });
        const move = index === undefined ? null : await moveTo(tx, list, index);
        const name = wanted ?? list.listName;
        const events: NewEvent[] = [];
        if (changes !== null) events.push(boardEvent(list, "list.updated", { listPublicId, changes }));
        if (move !== null) {
          const { from, to } = move;
          events.push(boardEvent(list, "list.moved", { listPublicId, from: { index: from }, to: { index: to } }));
        }
        if (events.length === 0) return { publicId: listPublicId, name };
        mustBeOpen(list);
        await record(tx, list, {
          events,
          write: () => sql`
            update list set name = ${name}::text, position = coalesce(${move?.position ?? null}::bigint, list.position)
            from next where list.workspace_id = ${list.workspaceId}::bigint and list.id = ${list.listId}::bigint
            returning list.id`,
        });
        return { publicId: listPublicId, name };
      }),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/lists/{listPublicId}",
        tags,
        summary: "Delete a list",
        description:
          "Deletes a list and archives its cards; unarchived, they come back on the board's first list. Needs `list:delete`.",
      },
    })
    .input(z.strictObject({ listPublicId: PublicId }))
    .output(Ok)
    .mutation(({ ctx, input: { listPublicId } }) =>
      change(ctx, async (tx) => {
        const list = await listFor(tx, listPublicId, "list:delete", "alone");
        mustBeOpen(list);
        const { active, archived } = await lockedCards(tx, list);
        await record(tx, list, {
          events: [
            ...active.map(({ cardPublicId }) =>
              cardEvent({ ...list, cardPublicId }, "card.archived", { from: { listPublicId } }),
            ),
            boardEvent(list, "list.deleted", { listPublicId, name: list.listName }),
          ],
          write: (next) => sql`
            delete from list using next
            where list.workspace_id = ${list.workspaceId}::bigint and list.id = ${list.listId}::bigint
            returning ${next.seq()} as seq`,
          also: [
            sql`emptied as (
              update card set list_id = null, position = null, archived_at = coalesce(archived_at, now()), updated_at = now(),
                revision = next.seq + least(m.ordinal, ${active.length + 1}::bigint)
              from next, unnest(${bigints([...active, ...archived].map(({ id }) => id))}) with ordinality as m(id, ordinal)
              where card.workspace_id = ${list.workspaceId}::bigint and card.id = m.id)`,
          ],
        });
        return ok;
      }),
    ),
};
