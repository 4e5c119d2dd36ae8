// Boards: made, read, changed, copied, deleted.

import { z } from "zod";
import { filterShape } from "../access/cardFields.js";
import { type BoardAccess, boardFor, mustBeOpen, workspaceFor } from "../access/guards.js";
import { may } from "../access/permissions.js";
import { change, runOnce, type Tx } from "../api/change.js";
import { definedOf } from "../api/defined.js";
import { forbidden } from "../api/errors.js";
import { orRendered } from "../api/rendered.js";
import {
  BoardName,
  Colour,
  LabelId,
  LabelName,
  ListName,
  MemberId,
  Ok,
  ok,
  Slug,
  TagId,
  Text,
  Visibility,
} from "../api/shapes.js";
import { protectedProcedure, publicProcedure } from "../api/trpc.js";
import { nameKey } from "../db/nameKey.js";
import { board } from "../db/schema/index.js";
import { boardEvent, changesTo } from "../events/log.js";
import { redactEvents } from "../events/redaction.js";
import { ofWorkspace, SlugCheck } from "../workspace/shapes.js";
import { copyBoard } from "./copying.js";
import { createBoard } from "./creating.js";
import { favouriteMark, markFavourite, updatableOf } from "./favourites.js";
import { dropUnseeingAssignees } from "./lostAssignments.js";
import { readBoard, readBoards, readPublicBoard } from "./reading.js";
import { Board, BoardSummary, NewBoard, ofBoard, PublicBoard, UpdatedBoard } from "./shapes.js";
import { isReservedSlug, usableSlug } from "./slugs.js";

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
        ...ofWorkspace,
        archived: z.boolean().default(false),
        tagPublicId: TagId.optional(),
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
        ...ofWorkspace,
        name: BoardName,
        slug: Slug.optional(),
        visibility: Visibility.default("workspace"),
        lists: z.array(ListName).max(50).default([]),
        labels: NewLabels.default([]),
      }),
    )
    .output(NewBoard)
    .mutation(({ ctx, input }) =>
      change(ctx, input.workspacePublicId, async (tx) => {
        const workspace = await workspaceFor(tx, input.workspacePublicId, "board:create");
        if (input.visibility === "public" && workspace.role !== "admin") throw forbidden();
        return createBoard(tx, workspace, input);
      }),
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
        memberPublicId: MemberId.optional(),
        labelPublicId: LabelId.optional(),
        ...filterShape(),
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
    .output(orRendered(PublicBoard))
    .query(({ ctx, input }) => readPublicBoard(ctx, input.boardPublicId)),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/boards/{boardPublicId}",
        tags,
        summary: "Update a board",
        description:
          "Changes the fields that are given. `isFavourite` is the caller's own mark: on its own it requires `board:view` and writes no event. All other fields require `board:edit`, and only an admin can make a board public. A board made private loses the assignees who no longer see it.",
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
    .output(UpdatedBoard)
    .mutation(({ ctx, input: { boardPublicId, isFavourite, ...given } }) => {
      const fields = definedOf(given);
      if (isFavourite !== undefined && Object.keys(fields).length === 0) {
        return runOnce(ctx, async () => {
          const found = await boardFor(ctx, boardPublicId, "board:view");
          await markFavourite(ctx, found, isFavourite);
          return updatableOf(ctx, found);
        });
      }
      return change(ctx, boardPublicId, async (tx) => {
        const found = await boardFor(tx, boardPublicId, "board:edit");
        if (fields.visibility === "public" && found.visibility !== "public" && found.role !== "admin") {
          throw forbidden();
        }
        const current = await updatableOf(tx, found);
        const changed = await changeBoard(tx, found, current, fields);
        if (isFavourite === undefined) return { ...current, ...changed };
        await tx.write(favouriteMark(tx, found, isFavourite));
        return { ...current, ...changed, isFavourite };
      });
    }),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/boards/{boardPublicId}",
        tags,
        summary: "Delete a board",
        description:
          "Deletes the board with its lists, cards and labels, for good. Earlier events of the board keep their identifiers and lose all names and texts. Requires `board:delete`.",
      },
    })
    .input(z.strictObject(ofBoard))
    .output(Ok)
    .mutation(({ ctx, input: { boardPublicId } }) =>
      change(
        ctx,
        boardPublicId,
        async (tx) => {
          const found = await boardFor(tx, boardPublicId, "board:delete");
          await redactEvents(tx, { boardPublicId });
          tx.log(boardEvent(found, "board.deleted", { name: found.boardName }));
          tx.remove(board, { id: found.boardId });
          return ok;
        },
        { alone: true },
      ),
    ),

  duplicate: protectedProcedure
    .meta({
      heavy: true,
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
      change(
        ctx,
        input.boardPublicId,
        async (tx) => {
          const source = await boardFor(tx, input.boardPublicId, "board:view");
          if (!may(source.role, "board:create")) throw forbidden();
          mustBeOpen(source);
          return copyBoard(tx, source, input);
        },
        { alone: true },
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
    .output(SlugCheck)
    .query(async ({ ctx, input }) => {
      const board = await boardFor(ctx, input.boardPublicId, "board:edit");
      return { isReserved: await isReservedSlug(ctx.db, board.workspaceId, input.boardSlug, board.boardId) };
    }),
};

interface BoardFields {
  name?: string;
  slug?: string;
  visibility?: BoardAccess["visibility"];
}

/** Changes a board to what is given, if anything differs, and gives the fields as they are stored. */
async function changeBoard(
  tx: Tx,
  found: BoardAccess,
  current: Required<BoardFields>,
  fields: BoardFields,
): Promise<BoardFields> {
  const { slug, ...others } = fields;
  const wanted: BoardFields =
    slug === undefined ? others : { ...others, slug: await usableSlug(tx.db, tx.workspaceId, slug, found.boardId) };
  const changes = changesTo<BoardFields>(current, wanted);
  if (changes === null) return wanted;
  mustBeOpen(found);
  tx.set(board, { id: found.boardId }, wanted);
  tx.log(boardEvent(found, "board.updated", { changes }));
  if (changes.visibility?.to === "private") await dropUnseeingAssignees(tx, { ...found, visibility: "private" });
  return wanted;
}
