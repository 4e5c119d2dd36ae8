// Boards: made, read, changed, copied, deleted.

import { sql } from "drizzle-orm";
import { z } from "zod";
import { type BoardAccess, boardFor, mustBeOpen, workspaceFor } from "../access/guards.js";
import { may } from "../access/permissions.js";
import { change, type Signed } from "../api/context.js";
import { forbidden } from "../api/errors.js";
import { orRendered } from "../api/rendered.js";
import {
  BoardName,
  Colour,
  LabelName,
  ListName,
  Ok,
  ok,
  Priority,
  PublicId,
  Slug,
  Text,
  Visibility,
} from "../api/shapes.js";
import { protectedProcedure, publicProcedure } from "../api/trpc.js";
import type { Transaction } from "../db/client.js";
import { nameKey } from "../db/nameKey.js";
import { boardEvent, changesTo, record } from "../events/log.js";
import { copyBoard } from "./copying.js";
import { createBoard } from "./creating.js";
import { readBoard, readBoards, readPublicBoard } from "./reading.js";
import { Board, BoardSummary, NewBoard, ofBoard, PublicBoard } from "./shapes.js";
import { isReservedSlug, takingSlugs, usableSlug } from "./slugs.js";
import { type Current, dropBlindAssignees, setFavourite } from "./visibility.js";

const tags = ["Boards"];

const NewLabels = z
  .array(z.strictObject({ name: LabelName, colourCode: Colour }))
  .max(50)
  .refine((labels) => new Set(labels.map(({ name }) => nameKey(name))).size === labels.length, "Names must differ");

export const boards = {
  list: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/boards",
        tags,
        summary: "List boards",
        description:
          "The boards of a workspace that the caller sees, by name. Archived ones are left out; `archived=true` lists only those. Anyone of the workspace; a guest sees the boards it is a member of.",
      },
    })
    .input(
      z.object({
        workspacePublicId: PublicId,
        archived: z.boolean().default(false),
        tagPublicId: PublicId.optional(),
        favourite: z.boolean().optional(),
      }),
    )
    .output(z.array(BoardSummary))
    .query(({ ctx, input: { workspacePublicId, ...filter } }) => readBoards(ctx, workspacePublicId, filter)),

  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/workspaces/{workspacePublicId}/boards",
        tags,
        summary: "Create a board",
        description:
          "Makes a board with the given lists and labels, none otherwise; the creator becomes its member. Without `slug` one is made from the name. Needs `board:create`; `public` visibility an admin.",
      },
    })
    .input(
      z.strictObject({
        workspacePublicId: PublicId,
        name: BoardName,
        slug: Slug.optional(),
        visibility: Visibility.default("workspace"),
        lists: z.array(ListName).max(50).default([]),
        labels: NewLabels.default([]),
      }),
    )
    .output(NewBoard)
    .mutation(({ ctx, input }) =>
      takingSlugs(() =>
        change(ctx, async (tx) => {
          const workspace = await workspaceFor(tx, input.workspacePublicId, "board:create");
          if (input.visibility === "public" && workspace.role !== "admin") throw forbidden();
          return createBoard(tx, workspace, input);
        }),
      ),
    ),

  get: protectedProcedure
    .meta({
      etag: true,
      openapi: {
        method: "GET",
        path: "/boards/{boardPublicId}",
        tags,
        summary: "Get a board",
        description:
          "The whole board: lists in order, their open cards in order, labels, members and tags. Filters leave out cards, never lists, and `index` stays the place among all open cards. `due` counts in UTC days: `overdue` (past and not completed), `today`, `week` (of the workspace's `weekStartDay`), `none` (no due date). `search` looks for text in title and description, in any case. Whoever sees the board.",
      },
    })
    .input(
      z.object({
        ...ofBoard,
        memberPublicId: PublicId.optional(),
        labelPublicId: PublicId.optional(),
        priority: Priority.optional(),
        due: z.enum(["overdue", "today", "week", "none"]).optional(),
        search: Text(1, 200).optional(),
      }),
    )
    .output(orRendered(Board))
    .query(({ ctx, input: { boardPublicId, ...filter } }) => readBoard(ctx, boardPublicId, filter)),

  getPublic: publicProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/public/boards/{boardPublicId}",
        protect: false,
        tags,
        summary: "Get a public board",
        description:
          "A board whose visibility is `public`, without a token: no members, `commentCount` 0, of the workspace only the name. A board that is not public, archived or unknown is NOT_FOUND alike.",
      },
    })
    .input(z.object(ofBoard))
    .output(PublicBoard)
    .query(({ ctx, input }) => readPublicBoard(ctx.db, input.boardPublicId)),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/boards/{boardPublicId}",
        tags,
        summary: "Update a board",
        description:
          "Changes what is given. `isFavourite` is the caller's own mark and needs only sight of the board; the rest needs `board:edit`, and `public` visibility an admin. A board made private loses the assignees who no longer see it.",
      },
    })
    .input(
      z.strictObject({
        ...ofBoard,
        name: BoardName.optional(),
        slug: Slug.optional(),
        visibility: Visibility.optional(),
        isFavourite: z.boolean().optional(),
      }),
    )
    .output(NewBoard.extend({ visibility: Visibility, isFavourite: z.boolean() }))
    .mutation(({ ctx, input: { boardPublicId, isFavourite, ...fields } }) =>
      takingSlugs(() =>
        change(ctx, async (tx) => {
          const editsBoard = isFavourite === undefined || Object.values(fields).some((value) => value !== undefined);
          const board = await boardFor(tx, boardPublicId, editsBoard ? "board:edit" : "board:view");
          if (fields.visibility === "public" && board.visibility !== "public" && board.role !== "admin")
            throw forbidden();
          return updateBoard(tx, board, await setFavourite(tx, board, isFavourite), fields);
        }),
      ),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/boards/{boardPublicId}",
        tags,
        summary: "Delete a board",
        description: "Deletes the board with its lists, cards and labels, for good. Needs `board:delete`.",
      },
    })
    .input(z.strictObject(ofBoard))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const board = await boardFor(tx, input.boardPublicId, "board:delete");
        const [named] = await tx.db.rows<{ name: string }>(sql`
          select name from board where workspace_id = ${board.workspaceId}::bigint and id = ${board.boardId}::bigint`);
        await record(tx, board, {
          events: [boardEvent(board, "board.deleted", { name: named?.name })],
          write: (next) => sql`
            delete from board using next
            where board.workspace_id = ${board.workspaceId}::bigint and board.id = ${board.boardId}::bigint
            returning ${next.seq()} as seq`,
        });
        return ok;
      }),
    ),

  duplicate: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/boards/{boardPublicId}/duplicate",
        tags,
        summary: "Duplicate a board",
        description:
          "Copies lists, labels and tags, and unless `withCards` is false the open cards with labels, dates, checklists and those assignees who see the copy; not comments. The copy is named `<name> (copy)` unless told otherwise, is `workspace` visible where the original is public, and has the caller as its member. An archived board is BAD_REQUEST. Needs sight of the board and `board:create`.",
      },
    })
    .input(z.strictObject({ ...ofBoard, name: BoardName.optional(), withCards: z.boolean().default(true) }))
    .output(NewBoard)
    .mutation(({ ctx, input }) =>
      takingSlugs(() =>
        change(ctx, async (tx) => {
          const source = await boardFor(tx, input.boardPublicId, "board:view");
          if (!may(source.role, "board:create")) throw forbidden();
          mustBeOpen(source);
          return copyBoard(tx, source, input);
        }),
      ),
    ),

  checkSlug: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/boards/{boardPublicId}/check-slug-availability",
        tags,
        summary: "Check if a board slug is available",
        description:
          "`isReserved: true` means not usable: another board of the workspace has it, in any case, or it is reserved. The board's own slug is usable. Needs `board:edit`.",
      },
    })
    .input(z.object({ ...ofBoard, boardSlug: Slug }))
    .output(z.object({ isReserved: z.boolean() }))
    .query(async ({ ctx, input }) => {
      const board = await boardFor(ctx, input.boardPublicId, "board:edit");
      return { isReserved: await isReservedSlug(ctx.db, board.workspaceId, input.boardSlug, board.boardId) };
    }),
};

interface BoardFields {
  name?: string | undefined;
  slug?: string | undefined;
  visibility?: Current["visibility"] | undefined;
}

/** Changes a board to what is given, if anything differs, and answers it as it stands then. */
async function updateBoard(
  tx: Signed<Transaction>,
  board: BoardAccess,
  current: Current,
  { slug: wanted, ...fields }: BoardFields,
): Promise<Current> {
  const slug = wanted === undefined ? undefined : await usableSlug(tx.db, board.workspaceId, wanted, board.boardId);
  const changes = changesTo(
    { name: current.name, slug: current.slug, visibility: current.visibility },
    { ...fields, slug },
  );
  if (changes === null) return current;
  mustBeOpen(board);
  const updated: Current = {
    ...current,
    name: fields.name ?? current.name,
    slug: slug ?? current.slug,
    visibility: fields.visibility ?? current.visibility,
  };
  const dropped = await dropBlindAssignees(tx, { ...board, visibility: updated.visibility });
  await record(tx, board, {
    events: [boardEvent(board, "board.updated", { changes }), ...dropped],
    write: (next) => sql`
      update board set name = ${updated.name}::text, slug = ${updated.slug}::text, visibility = ${updated.visibility}::text
      from next where board.workspace_id = ${board.workspaceId}::bigint and board.id = ${board.boardId}::bigint
      returning ${next.seq()} as seq`,
  });
  return updated;
}
