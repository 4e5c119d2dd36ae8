// Cards one at a time: made, read, edited, moved, archived, deleted.

import { sql } from "drizzle-orm";
import { z } from "zod";
import {
  assigneesOn,
  type CardAccess,
  cardFor,
  mustBeAssignable,
  type PlacedCards,
  placedCardsFor,
} from "../access/cardGuards.js";
import { type BoardAccess, labelsOn, listFor, mustBeOpen } from "../access/guards.js";
import { change, type Signed } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { CardTitle, Index, Ok, ok, PublicId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import type { Transaction } from "../db/client.js";
import { RacedError } from "../db/failures.js";
import { positionAt } from "../db/positions.js";
import { tellingOfText } from "../notification/mentions.js";
import { createAtOnce, updateAtOnce } from "./atOnce.js";
import { deleteCards } from "./bulk.js";
import { type CardChange, recordCards } from "./changing.js";
import { mustMatch, tellTag } from "./conditions.js";
import { copyCard } from "./copying.js";
import { createCard } from "./creating.js";
import { archivedChange, type CardUpdate, editedChange, unarchivedChange } from "./edits.js";
import { cardsIn, moveToIndex, moveWithinList } from "./moving.js";
import { readCard } from "./reading.js";
import { Card, cardFields, NewCard, ofCard, UpdatedCard } from "./shapes.js";

const tags = ["Cards"];

/** The one card of a call that names one. */
function single({ cards }: PlacedCards): CardAccess {
  const [card] = cards;
  if (card === undefined) throw notFound();
  return card;
}

export const cards = {
  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/cards",
        tags,
        summary: "Create a card",
        description:
          "Adds a card to a list, at its end unless `index` (zero-based) is given. Labels must be of the board, and members active people who see it. Members whom the description mentions are told. Needs `card:create`.",
      },
    })
    .input(
      z.strictObject({
        ...cardFields,
        listPublicId: PublicId,
        index: Index.optional(),
        labelPublicIds: z.array(PublicId).max(100).default([]),
        memberPublicIds: z.array(PublicId).max(100).default([]),
      }),
    )
    .output(NewCard)
    .mutation(
      async ({ ctx, input }) =>
        (await createAtOnce(ctx, input)) ??
        change(ctx, async (tx) => {
          const list = await listFor(tx, input.listPublicId, "card:create");
          const [labels, members] = await Promise.all([
            labelsOn(tx, list, input.labelPublicIds),
            assigneesOn(tx, [list], input.memberPublicIds),
          ]);
          mustBeAssignable(members, "memberPublicIds");
          mustBeOpen(list);
          return createCard(tx, list, { ...input, labels, members });
        }),
    ),

  get: protectedProcedure
    .meta({
      etag: true,
      openapi: {
        method: "GET",
        path: "/cards/{cardPublicId}",
        tags,
        summary: "Get a card",
        description:
          "The card with its labels, members and checklists. `index` is its place in its list, null while archived; `list` is null once the list of an archived card is deleted. Whoever sees the board.",
      },
    })
    .input(z.object(ofCard))
    .output(Card)
    .query(({ ctx, input }) => readCard(ctx, input.cardPublicId)),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/cards/{cardPublicId}",
        tags,
        summary: "Update a card",
        description:
          "Changes what is given. `index` (zero-based, one beyond the end means the end) moves the card within its list, `listPublicId` to the end of a list, both together to a place in it. On another board of the workspace labels go by name (missing ones are made) and assignees who do not see it are taken off. Members whom the description newly mentions are told. `completed` sets or clears `completedAt`. An archived card can be edited, not moved. With `If-Match` the answer has the new `ETag`. Needs `card:edit`.",
      },
    })
    .input(
      z.strictObject({
        ...ofCard,
        ...cardFields,
        title: CardTitle.optional(),
        index: Index.optional(),
        listPublicId: PublicId.optional(),
        completed: z.boolean().optional(),
      }),
    )
    .output(UpdatedCard)
    .mutation(async ({ ctx, input }) => (await updateAtOnce(ctx, input)) ?? change(ctx, (tx) => updateCard(tx, input))),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/cards/{cardPublicId}",
        tags,
        summary: "Delete a card",
        description: "Deletes the card with its checklists and comments, for good. Needs `card:delete`.",
      },
    })
    .input(z.strictObject(ofCard))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const placed = await placedCardsFor(tx, [input.cardPublicId], "card:delete");
        await deleteCards(tx, placed.cards);
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
        description: "Takes the card off its list and keeps it. Archiving it again changes nothing. Needs `card:edit`.",
      },
    })
    .input(z.strictObject(ofCard))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const card = single(await placedCardsFor(tx, [input.cardPublicId], "card:edit"));
        mustBeOpen(card);
        const archived = archivedChange(card);
        if (archived !== null) await recordCards(tx, card, [archived]);
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
          "Puts an archived card at the end of its list, or of the board's first list when its own was deleted. An active card stays as it is; with no list left on the board: BAD_REQUEST. Needs `card:edit`.",
      },
    })
    .input(z.strictObject(ofCard))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const placed = await placedCardsFor(
          tx,
          [input.cardPublicId],
          "card:edit",
          await homeOf(tx, input.cardPublicId),
        );
        const card = single(placed);
        mustBeOpen(card);
        if (card.archivedAt === null) return ok;
        if (placed.target === null) throw badRequest("The board has no list left to put the card on");
        if (placed.target.boardId !== card.boardId) throw new RacedError();
        const position = await positionAt(tx.db, cardsIn(placed.target), "end");
        await recordCards(tx, card, [unarchivedChange(card, placed.target, position)]);
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
          "Copies title, description, dates, priority, labels, checklists and assignees to the end of the card's own list or of another one of the workspace; not comments. Needs `card:create`, on both boards.",
      },
    })
    .input(z.strictObject({ ...ofCard, listPublicId: PublicId.optional(), title: CardTitle.optional() }))
    .output(NewCard)
    .mutation(({ ctx, input: { cardPublicId, listPublicId, title } }) =>
      change(ctx, async (tx) => {
        const home = listPublicId ?? (await homeOf(tx, cardPublicId));
        const placed = await placedCardsFor(tx, [cardPublicId], "card:create", home);
        const card = single(placed);
        if (placed.target === null) throw badRequest("The board has no list left to put the card on");
        mustBeOpen(placed.target);
        return copyCard(tx, card, placed.target, title ?? card.title);
      }),
    ),
};

const answerOf = ({ cardPublicId, title, description, dueDate, priority }: CardAccess) => ({
  publicId: cardPublicId,
  title,
  description,
  dueDate,
  priority,
});

/** Edits a card, moves it, or both. */
async function updateCard(tx: Signed<Transaction>, { cardPublicId, index, listPublicId, ...fields }: CardUpdate) {
  const isMove = index !== undefined || listPublicId !== undefined;
  const placed = isMove ? await placedCardsFor(tx, [cardPublicId], "card:edit", listPublicId) : null;
  const card = placed === null ? await cardFor(tx, cardPublicId, "card:edit") : single(placed);
  await mustMatch(tx, cardPublicId);
  const edit = editedChange(card, fields);
  const move = placed === null ? null : await moved(tx, card, placed, index ?? "end");
  const [moving] = move?.changes ?? [];
  const answer = answerOf({ ...card, ...edit?.to });
  const events = [...(edit?.events ?? []), ...(moving?.events ?? [])];
  if (events.length > 0) {
    mustBeOpen(card);
    const also = await tellingOfEdit(tx, card, edit, placed?.target ?? card);
    await recordCards(tx, card, [{ card, to: { ...edit?.to, ...moving?.to }, events }], { ...move, also });
  }
  await tellTag(tx, cardPublicId);
  return answer;
}

/** The move that an index, a list or both ask for. */
const moved = (tx: Signed<Transaction>, card: CardAccess, { target }: PlacedCards, index: number | "end") =>
  target === null ? moveWithinList(tx, card, index) : moveToIndex(tx, card, target, index);

/** Tells whom an edited description newly mentions, as far as they see the board on which the card then lies. */
const tellingOfEdit = (tx: Signed<Transaction>, card: CardAccess, edit: CardChange | null, board: BoardAccess) =>
  tellingOfText(tx, board, { text: edit?.to?.description ?? "", before: card.description });

/** The list that an archived card goes back to: its own, else the first of its board; undefined where none is left. */
async function homeOf(tx: Signed<Transaction>, cardPublicId: string): Promise<string | undefined> {
  // Lists come, go and change places under their board's lock: while it is held, the one read next stays what it is. Who lost a
  // race takes every board of the workspace alone, as `placedCardsFor` will the card's: then the card goes nowhere meanwhile, and
  // two who share a board do not wait for each other.
  const boards = tx.db.isRepeated
    ? sql`c.workspace_id = b.workspace_id where c.public_id = ${cardPublicId}::text order by b.id for no key update of b`
    : sql`c.workspace_id = b.workspace_id and c.board_id = b.id where c.public_id = ${cardPublicId}::text for share of b`;
  const held = await tx.db.rows<{ id: number }>(sql`select b.id from board b join card c on ${boards}`);
  const [home] = await tx.db.rows<{ boardId: number; publicId: string | null }>(sql`
    select c.board_id as "boardId", l.public_id as "publicId" from card c
    left join list l on l.workspace_id = c.workspace_id and l.board_id = c.board_id
    where c.public_id = ${cardPublicId}::text
    order by l.id = c.list_id desc nulls last, l.position limit 1`);
  if (home !== undefined && held.every(({ id }) => id !== home.boardId)) throw new RacedError();
  return home?.publicId ?? undefined;
}
