// Operations on single cards: create, read, edit, move, archive, delete.

import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { type ListAccess, listFor, mustBeOpen, targetListFor } from "../access/guards.js";
import type { Asking } from "../access/lookups.js";
import type { Permission } from "../access/permissions.js";
import { change, type Guard, type Tx } from "../api/change.js";
import type { Signed } from "../api/context.js";
import { badRequest } from "../api/errors.js";
import { CardTitle, Index, LabelId, ListId, MemberId, Ok, ok } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { list } from "../db/schema/index.js";
import { notifyOfText } from "../notification/mentions.js";
import { deleteCards } from "./bulk.js";
import { NewCard, ofCard, UPDATED_FIELDS, UpdatedCard } from "./callShapes.js";
import { archivedChange, type CardUpdate, editedChange } from "./cardEdits.js";
import { moveCard, unarchivedChange } from "./cardMoves.js";
import { mustMatch, sendTag } from "./ifMatch.js";
import { editShape, fieldsOf, newCardShape } from "./model/cardFields.js";
import { type CardAccess, cardFor } from "./model/cardGuards.js";
import { Card } from "./model/cardShapes.js";
import { writeCards } from "./model/cardWrites.js";
import { readCard } from "./model/wholeCard.js";
import { copyCard, createCard } from "./newCards.js";

const tags = ["Cards"];

export const cards = {
  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/cards",
        tags,
        summary: "Create a card",
        description:
          "Adds a card to a list, at the end unless `index` is given. Labels must belong to the board. Assignees must be active members who can see the board. People mentioned in the description are notified. Requires `card:create`.",
        successDescription: "The card was created.",
      },
    })
    .input(
      z.strictObject({
        ...newCardShape(),
        listPublicId: ListId,
        index: Index.optional(),
        labelPublicIds: z.array(LabelId).max(100).default([]),
        memberPublicIds: z.array(MemberId).max(100).default([]),
      }),
    )
    .output(NewCard)
    .mutation(({ ctx, input }) =>
      change(ctx, input.listPublicId, listFor, "card:create", (tx, list) => createCard(tx, list, input)),
    ),

  get: protectedProcedure
    .meta({
      etag: true,
      answerHeaders: ["Event-Id"],
      openapi: {
        method: "GET",
        path: "/cards/{cardPublicId}",
        tags,
        summary: "Get a card",
        description: "Returns the card with its labels, assignees and checklists. Requires `card:view`.",
        successDescription: "The card.",
      },
    })
    .input(z.strictObject(ofCard))
    .output(Card)
    .query(async ({ ctx, input }) => {
      const card = await readCard(ctx, input.cardPublicId);
      ctx.requestOptions.setHeader("event-id", String(card.eventId));
      return card;
    }),

  update: protectedProcedure
    .meta({
      ifMatch: true,
      openapi: {
        method: "PUT",
        path: "/cards/{cardPublicId}",
        tags,
        summary: "Update a card",
        description:
          "Changes the given fields. `index` moves the card within its list, `listPublicId` moves it to the end of a list, and both together move it to a position in that list. `index` is zero-based; an index beyond the end means the end. If the card moves to another board of the workspace, labels are matched by name and created if missing, and assignees without access are removed. People newly mentioned in the description are notified. `completed` sets or clears `completedAt`. An archived card can be edited but not moved. With `If-Match`, the response has the new `ETag`. Requires `card:edit`.",
        successDescription: "The card after the update.",
      },
    })
    .input(
      z.strictObject({
        ...ofCard,
        ...editShape("edited"),
        index: Index.optional(),
        listPublicId: ListId.optional(),
        completed: z.boolean().optional(),
      }),
    )
    .output(UpdatedCard)
    .mutation(({ ctx, input }) =>
      change(ctx, input.cardPublicId, withTarget(input.listPublicId), "card:edit", (tx, [card, target]) =>
        updateCard(tx, card, target, input),
      ),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/cards/{cardPublicId}",
        tags,
        summary: "Delete a card",
        description: "Permanently deletes the card with its checklists and comments. Requires `card:delete`.",
        successDescription: "The card was deleted.",
      },
    })
    .input(z.strictObject(ofCard))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, input.cardPublicId, cardFor, "card:delete", async (tx, card) => {
        await deleteCards(tx, [card]);
        return ok;
      }),
    ),

  archive: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/cards/{cardPublicId}/archive",
        tags,
        summary: "Archive a card",
        description:
          "Archives the card: removes it from its list and keeps it. Archiving it again changes nothing. Requires `card:edit`.",
        successDescription: "The card is archived.",
      },
    })
    .input(z.strictObject(ofCard))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, input.cardPublicId, cardFor, "card:edit", async (tx, card) => {
        mustBeOpen(card);
        const archived = archivedChange(card, tx.now);
        if (archived !== null) writeCards(tx, [archived]);
        return ok;
      }),
    ),

  unarchive: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/cards/{cardPublicId}/unarchive",
        tags,
        summary: "Unarchive a card",
        description:
          "Puts an archived card at the end of its list, or of the first list of the board if its own list was deleted. An active card stays unchanged. BAD_REQUEST if the board has no list. Requires `card:edit`.",
        successDescription: "The card is active.",
      },
    })
    .input(z.strictObject(ofCard))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, input.cardPublicId, cardFor, "card:edit", async (tx, card) => {
        mustBeOpen(card);
        if (card.archivedAt === null) return ok;
        const home = await homeOf(tx, card, "card:edit");
        writeCards(tx, [await unarchivedChange(tx, card, home)], home);
        return ok;
      }),
    ),

  duplicate: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/cards/{cardPublicId}/duplicate",
        tags,
        summary: "Duplicate a card",
        description:
          "Copies the card with its fields, labels, checklists and assignees to the end of its list, or of another list of the workspace. Comments are not copied. Requires `card:create` on both boards.",
        successDescription: "The copy was created.",
      },
    })
    .input(z.strictObject({ ...ofCard, listPublicId: ListId.optional(), title: CardTitle.optional() }))
    .output(NewCard)
    .mutation(({ ctx, input: { cardPublicId, listPublicId, title } }) =>
      change(ctx, cardPublicId, cardFor, "card:create", async (tx, card) => {
        const target =
          listPublicId === undefined
            ? await homeOf(tx, card, "card:create")
            : await targetListFor(tx, listPublicId, "card:create");
        mustBeOpen(target);
        return copyCard(tx, card, target, title ?? card.title);
      }),
    ),
};

const answerOf = (card: CardAccess) => ({ publicId: card.cardPublicId, ...fieldsOf(card, UPDATED_FIELDS) });

/** The guard of a card together with that of the list that it is to move to. The error of the card has precedence. */
function withTarget(
  listPublicId: string | undefined,
): Guard<string, Permission, readonly [CardAccess, ListAccess | null]> {
  const guard = async (ctx: Signed, cardPublicId: string, permission: Permission) => {
    const reads = [
      cardFor(ctx, cardPublicId, permission),
      listPublicId === undefined ? null : targetListFor(ctx, listPublicId, permission),
    ] as const;
    await Promise.allSettled(reads);
    return Promise.all(reads);
  };
  guard.early = (ctx: Asking, cardPublicId: string) => [
    ...cardFor.early(ctx, cardPublicId),
    ...(listPublicId === undefined ? [] : listFor.early(ctx, listPublicId)),
  ];
  return guard;
}

/** Edits a card, moves it, or both. */
async function updateCard(
  tx: Tx,
  card: CardAccess,
  target: ListAccess | null,
  { cardPublicId, listPublicId, index, ...fields }: CardUpdate,
) {
  await mustMatch(tx, cardPublicId);
  const edit = editedChange(card, fields, tx.now);
  const isMove = listPublicId !== undefined || index !== undefined;
  // The card arrives on the other board in its edited state.
  const move = isMove ? await moveCard(tx, { ...card, ...edit?.to }, target, index ?? "end") : null;
  const events = [...(edit?.events ?? []), ...(move?.events ?? [])];
  if (events.length > 0) {
    mustBeOpen(card);
    writeCards(
      tx,
      [{ card, to: { ...edit?.to, ...move?.to }, events }],
      move === null ? undefined : (target ?? undefined),
    );
    const { description: text } = edit?.to ?? {};
    if (text !== undefined)
      await notifyOfText(
        tx,
        { ...(target ?? card), cardId: card.cardId },
        { text, commentId: null, before: card.description },
      );
  }
  await sendTag(tx, cardPublicId);
  return answerOf({ ...card, ...edit?.to });
}

/** The list that an unarchived card returns to: its own, or else the first one of its board. @throws BAD_REQUEST if the board has none. */
async function homeOf(tx: Tx, card: CardAccess, permission: "card:edit" | "card:create"): Promise<ListAccess> {
  if (card.listPublicId !== null) return listFor(tx, card.listPublicId, permission);
  const [first] = await tx.db
    .select({ publicId: list.publicId })
    .from(list)
    .where(and(eq(list.workspaceId, tx.workspaceId), eq(list.boardId, card.boardId)))
    .orderBy(list.position)
    .limit(1);
  if (first === undefined) throw badRequest("The board has no list to put the card on");
  return listFor(tx, first.publicId, permission);
}
