// Lists: the columns of a board, in order.

import { sql } from "drizzle-orm";
import { z } from "zod";
import { type BoardAccess, boardFor, lastPositionIn, listFields, listFor, mustBeOpen } from "../access/guards.js";
import { change, type Tx } from "../api/change.js";
import { BoardId, Index, ListId, ListName, Ok, ok } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { archiveCardsOf } from "../card/model/cardWrites.js";
import type { Queries } from "../db/client.js";
import { GAP, placeIn, type Siblings } from "../db/positions.js";
import { list } from "../db/schema/index.js";
import { type RowOf, selection } from "../db/selections.js";
import { addRows } from "../db/unitOfWork.js";
import { boardEvent, changesTo } from "../events/log.js";
import { NamedList } from "./boardShapes.js";

const tags = ["Lists"];

/** The lists of a board. */
function listsOn({ workspaceId, boardId }: { workspaceId: number; boardId: number }): Siblings {
  const of = sql`${list.workspaceId} = ${workspaceId}::bigint and ${list.boardId} = ${boardId}::bigint`;
  return { table: list, of, size: sql`select count(*) from ${list} where ${of}` };
}

const { position: _, ...endFields } = listFields;
const listEnd = selection(endFields);

/** A list, and the position after its last card. */
export type ListEnd = RowOf<typeof endFields>;

/** The lists of a board, in order. */
export const listEndsIn = (db: Queries, board: BoardAccess): Promise<ListEnd[]> =>
  db.read(
    listEnd,
    sql`select ${listEnd}, ${lastPositionIn(board.workspaceId)} from ${list} where ${listsOn(board).of} order by ${list.position}`,
  );

/** Adds lists at the end of a board, each with its event. */
export async function addLists(tx: Tx, board: BoardAccess, names: readonly string[]): Promise<ListEnd[]> {
  if (names.length === 0) return [];
  const { position, to } = await placeIn(tx, listsOn(board), "end");
  const made = names.map((name) => ({ id: tx.newRowId(), publicId: tx.newPublicId(), name }));
  const rows = made.map((one, n) => ({ ...one, boardId: board.boardId, position: position + n * GAP }));
  addRows(tx, list, rows);
  return made.map(({ id: listId, publicId: listPublicId, name: listName }, n) => {
    const entry = { publicId: listPublicId, name: listName, index: to + n };
    tx.log(boardEvent(board, "list.created", { listPublicId, list: entry }));
    return { listId, listPublicId, listName, openCards: 0, lastPosition: null };
  });
}

export const lists = {
  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/lists",
        tags,
        summary: "Create a list",
        description:
          "Adds a list at the end of the board. Several lists can have the same name. Requires `list:create`.",
        successDescription: "The list was created.",
      },
    })
    .input(z.strictObject({ name: ListName, boardPublicId: BoardId }))
    .output(NamedList)
    .mutation(({ ctx, input: { name, boardPublicId } }) =>
      change(ctx, boardPublicId, boardFor, "list:create", async (tx, board) => {
        mustBeOpen(board);
        const [made] = await addLists(tx, board, [name]);
        if (made === undefined) throw new Error("A list was not made");
        return { publicId: made.listPublicId, name };
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
          "Renames the list or moves it on its board. `index` is the zero-based position among the lists of the board; an index beyond the end means the end. Requires `list:edit`.",
        successDescription: "The list after the update.",
      },
    })
    .input(z.strictObject({ listPublicId: ListId, name: ListName.optional(), index: Index.optional() }))
    .output(NamedList)
    .mutation(({ ctx, input: { listPublicId, name: wanted, index } }) =>
      change(ctx, listPublicId, listFor, "list:edit", async (tx, access) => {
        const { listId, listName, position } = access;
        const name = wanted ?? listName;
        const changes = changesTo({ name: listName }, { name });
        const place = index === undefined ? null : await placeIn(tx, listsOn(access), index, position);
        const isMoved = place !== null && place.from !== place.to;
        if (changes === null && !isMoved) return { publicId: listPublicId, name };
        mustBeOpen(access);
        tx.set(list, { id: listId }, { name, position: isMoved ? place.position : position });
        if (changes !== null) tx.log(boardEvent(access, "list.updated", { listPublicId, changes }));
        if (isMoved) {
          const [from, to] = [{ index: place.from }, { index: place.to }];
          tx.log(boardEvent(access, "list.moved", { listPublicId, from, to }));
        }
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
          "Deletes the list and archives its cards. When they are unarchived, they go to the first list of the board. Requires `list:delete`.",
        successDescription: "The list was deleted.",
      },
    })
    .input(z.strictObject({ listPublicId: ListId }))
    .output(Ok)
    .mutation(({ ctx, input: { listPublicId } }) =>
      change(ctx, listPublicId, listFor, "list:delete", async (tx, access) => {
        mustBeOpen(access);
        const logDeletion = () => tx.log(boardEvent(access, "list.deleted", { listPublicId, name: access.listName }));
        await archiveCardsOf(tx, access, logDeletion);
        tx.remove(list, { id: access.listId });
        return ok;
      }),
    ),
};
