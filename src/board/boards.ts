// Operations on boards: create, read, update, copy, delete.

import { z } from "zod";
import { type BoardAccess, boardFor, mustBeOpen, workspaceFor } from "../access/guards.js";
import { may } from "../access/permissions.js";
import { change, type Tx } from "../api/change.js";
import type { Context } from "../api/context.js";
import { definedOf } from "../api/defined.js";
import { forbidden } from "../api/errors.js";
import { runOnce } from "../api/idempotency.js";
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
import { filterShape } from "../card/model/cardFields.js";
import { dropUnseeingAssignees } from "../card/model/lostAssignments.js";
import { nameKey } from "../db/nameKey.js";
import { board } from "../db/schema/index.js";
import { boardEvent, changesTo } from "../events/log.js";
import { redactEvents } from "../events/redaction.js";
import { ofWorkspace, SlugCheck } from "../workspace/workspaceShapes.js";
import { createBoard } from "./boardAdditions.js";
import { Board, BoardSummary, NewBoard, ofBoard, PublicBoard, UpdatedBoard } from "./boardShapes.js";
import { isWhole } from "./cardFilters.js";
import { copyBoard } from "./copying.js";
import { favouriteMark, markFavourite, markOpened, updatableOf } from "./favourites.js";
import { readBoards } from "./listedBoards.js";
import { isReservedBoardSlug, usableSlug } from "./slugs.js";
import { readBoard, readPublicBoard } from "./wholeBoards.js";

const tags = ["Boards"];

/** Rendering a board blocks the main thread for long. A cached board is only sent, or copied in part for a filter. */
const RENDERED_WEIGHT = 16;
const FILTERED_WEIGHT = 8;
const PUBLIC_WEIGHT = 4;
/** Sending blocks the main thread too: the weight of a cached board grows by 1 for each of this many bytes in memory. */
const BYTES_PER_WEIGHT = 2 * 1024 * 1024;

/** The weight of a read of a board that is cached under a key; `small`: that of a board of few bytes. */
function weightOf({ boards }: Pick<Context, "boards">, key: string, small: number): number {
  const cached = boards.of(key);
  if (cached === undefined) return RENDERED_WEIGHT;
  return Math.min(RENDERED_WEIGHT, small + Math.floor(cached.bytes / BYTES_PER_WEIGHT));
}

/** The weight of a read of a board. */
export function weightOfRead(input: unknown, ctx: Pick<Context, "boards">): number {
  const { boardPublicId, ...filter } = Object(input);
  return weightOf(ctx, String(boardPublicId), isWhole(filter) ? 1 : FILTERED_WEIGHT);
}

const weightOfPublicRead = (input: unknown, ctx: Pick<Context, "boards">): number =>
  weightOf(ctx, `public ${Object(input).boardPublicId}`, PUBLIC_WEIGHT);

const NewLabels = z
  .array(z.strictObject({ name: LabelName, colourCode: Colour }))
  .max(50)
  .refine(
    (labels) => new Set(labels.map(({ name }) => nameKey(name))).size === labels.length,
    "Names must be unique, regardless of case",
  );

export const boards = {
  list: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/boards",
        tags,
        summary: "List boards",
        description:
          "Lists the boards of the workspace that the caller can see, sorted by name. Archived boards are left out; `archived=true` lists only those. A guest sees the boards that it is a member of. Requires `workspace:view`.",
        successDescription: "The boards.",
      },
    })
    .input(
      z.strictObject({
        ...ofWorkspace,
        archived: z.boolean().default(false).meta({ description: "If true, returns only archived boards." }),
        tagPublicId: TagId.meta({ description: "Only boards with this tag." }).optional(),
        favourite: z
          .boolean()
          .meta({ description: "If true, returns only favourites of the caller; if false, only the other boards." })
          .optional(),
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
          "Creates a board with the given lists and labels, or without any. The creator becomes a member of the board. If `slug` is left out, it is derived from the name. Requires `board:create`; only an admin can create a public board.",
        successDescription: "The board was created.",
      },
    })
    .input(
      z.strictObject({
        ...ofWorkspace,
        name: BoardName,
        slug: Slug.optional(),
        visibility: Visibility.default("workspace"),
        lists: z.array(ListName).max(50).default([]).meta({ description: "The names of the lists, in order." }),
        labels: NewLabels.default([]).meta({ description: "The labels. Their names must differ." }),
      }),
    )
    .output(NewBoard)
    .mutation(({ ctx, input }) =>
      change(ctx, input.workspacePublicId, workspaceFor, "board:create", async (tx, workspace) => {
        if (input.visibility === "public" && workspace.role !== "admin") throw forbidden();
        return createBoard(tx, workspace, input);
      }),
    ),

  get: protectedProcedure
    .meta({
      etag: true,
      answerHeaders: ["Event-Id"],
      weight: weightOfRead,
      openapi: {
        method: "GET",
        path: "/boards/{boardPublicId}",
        tags,
        summary: "Get a board",
        description:
          "Returns the whole board: its lists with their open cards, in order, and its labels, members and tags. Filters leave out cards but no lists, and `index` remains the position among all open cards of the list. `due` counts days in the time zone of the caller's account, which is UTC unless it was set: `overdue` (past and not completed; a day is past when it has ended), `today`, `week` (starts on the `weekStartDay` of the workspace), `none` (no due date). A card that is due on a day, without a time, belongs to that date in every time zone. Requires `board:view`.",
        successDescription: "The board.",
      },
    })
    .input(
      z.strictObject({
        ...ofBoard,
        memberPublicId: MemberId.meta({ description: "Only cards that are assigned to this member." }).optional(),
        labelPublicId: LabelId.meta({ description: "Only cards with this label." }).optional(),
        ...filterShape(),
        due: z
          .enum(["overdue", "today", "week", "none"])
          .meta({ description: "Only cards that are overdue, due today or this week, or without a due date." })
          .optional(),
        search: Text(1, 200)
          .meta({ description: "Only cards whose title or description contains this text, in any case." })
          .optional(),
      }),
    )
    .output(orRendered(Board))
    .query(({ ctx, input: { boardPublicId, ...filter } }) => readBoard(ctx, boardPublicId, filter)),

  getPublic: publicProcedure
    .meta({
      weight: weightOfPublicRead,
      openapi: {
        method: "GET",
        path: "/public/boards/{boardPublicId}",
        protect: false,
        tags,
        summary: "Get a public board",
        description:
          "Returns a public board. It shows no members, `commentCount` is 0, and the workspace is only a name. A board that is unknown, archived or not public is NOT_FOUND. Requires no token.",
        successDescription: "The board.",
      },
    })
    .input(z.strictObject(ofBoard))
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
          "Changes the given fields. `isFavourite` is a personal mark of the caller: on its own it requires `board:view` and writes no event. All other fields require `board:edit`, and only an admin can make a board public. If a board becomes private, assignees who can no longer see it are removed from its cards.",
        successDescription: "The board after the update.",
      },
    })
    .input(
      z.strictObject({
        ...ofBoard,
        name: BoardName.optional(),
        slug: Slug.optional(),
        visibility: Visibility.optional(),
        isFavourite: z.boolean().meta({ description: "Whether the board is a favourite of the caller." }).optional(),
      }),
    )
    .output(UpdatedBoard)
    .mutation(({ ctx, input: { boardPublicId, isFavourite, ...wanted } }) => {
      const fields = definedOf(wanted);
      if (isFavourite !== undefined && Object.keys(fields).length === 0) {
        return runOnce(ctx, boardPublicId, async () => {
          const access = await boardFor(ctx, boardPublicId, "board:view");
          await markFavourite(ctx, access, isFavourite);
          return updatableOf(ctx, access);
        });
      }
      return change(ctx, boardPublicId, boardFor, "board:edit", async (tx, access) => {
        if (fields.visibility === "public" && access.visibility !== "public" && access.role !== "admin") {
          throw forbidden();
        }
        const current = await updatableOf(tx, access);
        const changed = await changeBoard(tx, access, current, fields);
        if (isFavourite === undefined) return { ...current, ...changed };
        await tx.write(favouriteMark(tx, access, isFavourite));
        return { ...current, ...changed, isFavourite };
      });
    }),

  opened: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/boards/{boardPublicId}/opened",
        tags,
        summary: "Mark a board as opened",
        description:
          "Stores that the caller opened the board now, to the minute, so that it is among the caller's recent boards. Writes no event. Requires `board:view`.",
        successDescription: "The board is marked.",
      },
    })
    .input(z.strictObject(ofBoard))
    .output(Ok)
    .mutation(({ ctx, input: { boardPublicId } }) =>
      runOnce(ctx, boardPublicId, async () => {
        await markOpened(ctx, await boardFor(ctx, boardPublicId, "board:view"));
        return ok;
      }),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/boards/{boardPublicId}",
        tags,
        summary: "Delete a board",
        description:
          "Permanently deletes the board with its lists, cards and labels. Earlier events of the board keep their identifiers and lose all names and texts. Requires `board:delete`.",
        successDescription: "The board was deleted.",
      },
    })
    .input(z.strictObject(ofBoard))
    .output(Ok)
    .mutation(({ ctx, input: { boardPublicId } }) =>
      change(ctx, boardPublicId, boardFor, "board:delete", deleteBoard, { alone: true }),
    ),

  duplicate: protectedProcedure
    .meta({
      weight: "heavy",
      openapi: {
        method: "POST",
        path: "/boards/{boardPublicId}/duplicate",
        tags,
        summary: "Duplicate a board",
        description:
          "Copies the board with its lists, labels and tags. Unless `withCards` is false, it also copies the open cards with their labels, dates and checklists, and the assignees who can see the copy; comments are not copied. Unless `name` is given, the copy is named `<name> (copy)`. The copy of a public board has the visibility `workspace`. The caller becomes a member of the copy. An archived board is BAD_REQUEST. Requires `board:view` and `board:create`.",
        successDescription: "The copy was created.",
      },
    })
    .input(
      z.strictObject({
        ...ofBoard,
        name: BoardName.optional(),
        withCards: z.boolean().default(true).meta({ description: "Whether to copy the open cards." }),
      }),
    )
    .output(NewBoard)
    .mutation(({ ctx, input }) =>
      change(
        ctx,
        input.boardPublicId,
        boardFor,
        "board:view",
        async (tx, source) => {
          if (!may(source.role, "board:create")) throw forbidden();
          mustBeOpen(source);
          return copyBoard(tx, source, input);
        },
        { alone: true, isLarge: true },
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
          "Checks whether the board can take a slug. `isReserved` is true if another board of the workspace has the slug, in any case of letters, or if the service reserves it. The board's own slug is usable. Requires `board:edit`.",
        successDescription: "Whether the slug can be used.",
      },
    })
    .input(z.strictObject({ ...ofBoard, boardSlug: Slug }))
    .output(SlugCheck)
    .query(async ({ ctx, input }) => {
      const board = await boardFor(ctx, input.boardPublicId, "board:edit");
      return { isReserved: await isReservedBoardSlug(ctx.db, board.workspaceId, input.boardSlug, board.boardId) };
    }),
};

async function deleteBoard(tx: Tx, access: BoardAccess) {
  await redactEvents(tx, { boardPublicId: access.boardPublicId });
  tx.log(boardEvent(access, "board.deleted", { name: access.boardName }));
  tx.remove(board, { id: access.boardId });
  return ok;
}

interface BoardFields {
  name?: string;
  slug?: string;
  visibility?: BoardAccess["visibility"];
}

/** Updates a board if anything differs, and returns its fields as they are stored. */
async function changeBoard(
  tx: Tx,
  access: BoardAccess,
  current: Required<BoardFields>,
  fields: BoardFields,
): Promise<BoardFields> {
  const { slug, ...others } = fields;
  const wanted: BoardFields =
    slug === undefined ? others : { ...others, slug: await usableSlug(tx.db, tx.workspaceId, slug, access.boardId) };
  const changes = changesTo<BoardFields>(current, wanted);
  if (changes === null) return wanted;
  mustBeOpen(access);
  tx.set(board, { id: access.boardId }, wanted);
  tx.log(boardEvent(access, "board.updated", { changes }));
  if (changes.visibility?.to === "private") await dropUnseeingAssignees(tx, { ...access, visibility: "private" });
  return wanted;
}
