// Changes to many cards at once: all or nothing, one workspace, each card counted once (specification 4.6, contract section 2).

import { sql } from "drizzle-orm";
import { z } from "zod";
import { assigneesOn, type CardAccess, mustBeAssignable, placedCardsFor } from "../access/cardGuards.js";
import { labelsOn, mustBeOpen, type Named } from "../access/guards.js";
import { change, type Signed } from "../api/context.js";
import { forbidden, notFound } from "../api/errors.js";
import { Count, Instant, Priority, PublicId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import type { Transaction } from "../db/client.js";
import { records } from "../db/records.js";
import { cardEvent, record } from "../events/log.js";
import { attached } from "./attaching.js";
import { type CardChange, countingOpenCards, openCardsOf, recordCards } from "./changing.js";
import { archivedChange, editedChange } from "./edits.js";
import { moveToEnd } from "./moving.js";
import { CardIds } from "./shapes.js";

const tags = ["Many cards"];
const Selection = { cardPublicIds: CardIds };
const Identifiers = z.array(PublicId).max(100).default([]);

/** Deletes locked cards, with their events. */
export async function deleteCards(tx: Signed<Transaction>, cards: readonly CardAccess[]): Promise<void> {
  const [first] = cards;
  if (first === undefined) throw notFound();
  for (const card of cards) mustBeOpen(card);
  await record(tx, first, {
    events: cards.map((card) => cardEvent(card, "card.deleted", { title: card.title, cardNumber: card.cardNumber })),
    write: (next) => sql`
      delete from card using next, ${records(
        "d",
        { id: "bigint" },
        cards.map(({ cardId }) => ({ id: cardId })),
      )}
      where card.workspace_id = ${first.workspaceId}::bigint and card.id = d.id
      returning ${next.seq()} as seq`,
    also: countingOpenCards(first.workspaceId, openCardsOf(cards.map((card) => ({ card, to: { position: null } })))),
  });
}

export const bulk = {
  move: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/cards/bulk/move",
        tags,
        summary: "Move many cards to a list",
        description:
          "Moves 1 to 1000 cards to the end of a list of the same workspace, in the given order; labels and assignees as when one card is moved. `count` is the number of distinct cards named. An unknown card or list is FORBIDDEN, an archived card BAD_REQUEST. Needs `card:edit`.",
      },
    })
    .input(z.strictObject({ ...Selection, listPublicId: PublicId }))
    .output(Count)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const { cards, target } = await placedCardsFor(tx, input.cardPublicIds, "card:edit", input.listPublicId);
        if (target === null) throw notFound();
        const move = await moveToEnd(tx, cards, target);
        if (move.changes.length > 0) await recordCards(tx, target, move.changes, move);
        return { count: cards.length };
      }),
    ),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/cards/bulk/update",
        tags,
        summary: "Update many cards",
        description:
          "Gives 1 to 1000 cards the same priority, due date or completion, and puts labels and members on them or takes them off. Labels must be of the cards' board, so that labels go with cards of one board. Archived cards are taken too. Needs `card:edit`.",
      },
    })
    .input(
      z.strictObject({
        ...Selection,
        priority: Priority.optional(),
        dueDate: Instant.nullable().optional(),
        completed: z.boolean().optional(),
        addLabelPublicIds: Identifiers,
        removeLabelPublicIds: Identifiers,
        addMemberPublicIds: Identifiers,
        removeMemberPublicIds: Identifiers,
      }),
    )
    .output(Count)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const { cards } = await placedCardsFor(tx, input.cardPublicIds, "card:edit");
        const labels = await boardLabels(tx, cards, [...input.addLabelPublicIds, ...input.removeLabelPublicIds]);
        const boards = [...new Map(cards.map((card) => [card.boardId, card])).values()];
        const added = await assigneesOn(tx, boards, input.addMemberPublicIds);
        const removed = await assigneesOn(tx, boards, input.removeMemberPublicIds);
        mustBeAssignable(added, "addMemberPublicIds");
        for (const board of boards) mustBeOpen(board);

        const named = (ids: readonly string[]) => labels.filter(({ publicId }) => ids.includes(publicId));
        const labelling = await attached(
          tx,
          "label",
          cards,
          named(input.addLabelPublicIds),
          named(input.removeLabelPublicIds),
        );
        const assigning = await attached(tx, "member", cards, added, removed);
        const changes = cards.flatMap((card): CardChange[] => {
          const edit = editedChange(card, input);
          const events = [...(edit?.events ?? []), ...labelling.eventsOf(card), ...assigning.eventsOf(card)];
          return events.length === 0 ? [] : [{ card, to: edit?.to ?? {}, events }];
        });
        const [first] = cards;
        if (first !== undefined && changes.length > 0) {
          await recordCards(tx, first, changes, { labels: labelling.pairs, members: assigning.pairs });
        }
        return { count: cards.length };
      }),
    ),

  archive: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/cards/bulk/archive",
        tags,
        summary: "Archive many cards",
        description: "Archives 1 to 1000 cards; those that are archived stay so. Needs `card:edit`.",
      },
    })
    .input(z.strictObject(Selection))
    .output(Count)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const { cards } = await placedCardsFor(tx, input.cardPublicIds, "card:edit");
        for (const card of cards) mustBeOpen(card);
        const changes = cards.flatMap((card) => archivedChange(card) ?? []);
        const [first] = changes;
        if (first !== undefined) await recordCards(tx, first.card, changes);
        return { count: cards.length };
      }),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/cards/bulk/delete",
        tags,
        summary: "Delete many cards",
        description: "Deletes 1 to 1000 cards, archived ones too, for good. Needs `card:delete`.",
      },
    })
    .input(z.strictObject(Selection))
    .output(Count)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const { cards } = await placedCardsFor(tx, input.cardPublicIds, "card:delete");
        await deleteCards(tx, cards);
        return { count: cards.length };
      }),
    ),
};

/** Labels of the one board that the cards are on; a label cannot be of two boards. */
async function boardLabels(
  tx: Signed<Transaction>,
  cards: readonly CardAccess[],
  publicIds: readonly string[],
): Promise<Named[]> {
  const [first] = cards;
  if (first === undefined || publicIds.length === 0) return [];
  if (cards.some(({ boardId }) => boardId !== first.boardId)) throw forbidden();
  return labelsOn(tx, first, publicIds);
}
