// Changes to many cards at once: all or nothing, one workspace, each card counted once (specification 4.6, contract section 2).

import { z } from "zod";
import { mustBeOpen, type Named, targetListFor } from "../access/guards.js";
import { change, type Tx } from "../api/change.js";
import { badRequest, forbidden } from "../api/errors.js";
import { Count, Index, ListId, PublicId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { labelsOn } from "../board/labels.js";
import { card as cardTable } from "../db/schema/index.js";
import { cardEvent } from "../events/log.js";
import { redactEvents } from "../events/redaction.js";
import { notifyAssigned } from "../notification/watching.js";
import { attached, newAssignments } from "./attaching.js";
import { CardIds } from "./callShapes.js";
import { archivedChange, editedChange } from "./cardEdits.js";
import { moveTogether } from "./cardMoves.js";
import { editShape } from "./model/cardFields.js";
import { assigneesOn, type CardAccess, cardsFor, mustBeAssignable } from "./model/cardGuards.js";
import { type CardChange, countOpenCards, writeCards } from "./model/cardWrites.js";

const tags = ["Many cards"];
const Selection = { cardPublicIds: CardIds };
const Identifiers = z.array(PublicId).max(100).default([]);

const Attachments = {
  addLabelPublicIds: Identifiers,
  removeLabelPublicIds: Identifiers,
  addMemberPublicIds: Identifiers,
  removeMemberPublicIds: Identifiers,
};
type Attachments = { [Name in keyof typeof Attachments]: readonly string[] };

/** The most single changes of a bulk update: cards times labels and members (capabilities section 0, Limits). */
const CHANGES_MAX = 10_000;

/** The weight of a call that names cards: from 500 cards on, it runs alone among the weighted calls of its caller. */
function weightOfCards(input: unknown): number {
  const { cardPublicIds }: { cardPublicIds?: unknown } = Object(input);
  return Array.isArray(cardPublicIds) ? Math.min(Math.ceil(cardPublicIds.length / 16) + 1, 32) : 1;
}

/** Deletes cards, and removes their texts from the log. */
export async function deleteCards(tx: Tx, cards: readonly CardAccess[]): Promise<void> {
  for (const card of cards) mustBeOpen(card);
  await redactEvents(tx, { cardPublicIds: cards.map(({ cardPublicId }) => cardPublicId) });
  for (const card of cards) tx.log(cardEvent(card, "card.deleted", { cardNumber: card.cardNumber }));
  const gone = cards.map((card) => ({ card, to: { position: null } }));
  countOpenCards(tx, gone);
  tx.remove(cardTable, { id: cards.map(({ cardId }) => cardId) });
}

export const bulk = {
  move: protectedProcedure
    .meta({
      weight: weightOfCards,
      openapi: {
        method: "POST",
        path: "/cards/bulk/move",
        tags,
        summary: "Move many cards to a list",
        description:
          "Moves 1 to 1000 cards to a list of the same workspace, in the given order: to its end, or with `index` to that place, counted without them. Labels and assignees change as when a single card is moved. `count` is the number of distinct cards. All cards are moved or none. An unknown card or list is FORBIDDEN, an archived card BAD_REQUEST. Requires `card:edit`.",
        successDescription: "The cards were moved.",
      },
    })
    .input(z.strictObject({ ...Selection, listPublicId: ListId, index: Index.optional() }))
    .output(Count)
    .mutation(({ ctx, input }) =>
      change(ctx, input.cardPublicIds, cardsFor, "card:edit", async (tx, cards) => {
        const target = await targetListFor(tx, input.listPublicId, "card:edit");
        writeCards(tx, await moveTogether(tx, cards, target, input.index ?? "end"), target);
        return { count: cards.length };
      }),
    ),

  update: protectedProcedure
    .meta({
      weight: weightOfCards,
      openapi: {
        method: "POST",
        path: "/cards/bulk/update",
        tags,
        summary: "Update many cards",
        description:
          "Sets fields of 1 to 1000 cards, completes or reopens them, and adds or removes labels and assignees. All cards are changed or none. Labels must belong to the board of the cards, so all cards must be on one board if labels are given. Archived cards are changed too. A call makes at most 10 000 single changes of labels and assignees. Requires `card:edit`.",
        successDescription: "The cards were updated.",
      },
    })
    .input(
      z.strictObject({
        ...Selection,
        ...editShape("editedInBulk"),
        completed: z.boolean().optional(),
        ...Attachments,
      }),
    )
    .output(Count)
    .mutation(({ ctx, input }) =>
      change(ctx, input.cardPublicIds, cardsFor, "card:edit", async (tx, cards) => {
        const { labelling, assigning } = await attachments(tx, cards, input);
        const changes = cards.flatMap((card): CardChange[] => {
          const edit = editedChange(card, input, tx.now);
          const events = [...(edit?.events ?? []), ...labelling.eventsOf(card), ...assigning.eventsOf(card)];
          return events.length === 0 ? [] : [{ card, to: edit?.to ?? {}, events }];
        });
        writeCards(tx, changes);
        await notifyAssigned(tx, newAssignments(assigning.added));
        return { count: cards.length };
      }),
    ),

  archive: protectedProcedure
    .meta({
      weight: weightOfCards,
      openapi: {
        method: "POST",
        path: "/cards/bulk/archive",
        tags,
        summary: "Archive many cards",
        description: "Archives 1 to 1000 cards. Archived cards stay archived. Requires `card:edit`.",
        successDescription: "The cards are archived.",
      },
    })
    .input(z.strictObject(Selection))
    .output(Count)
    .mutation(({ ctx, input }) =>
      change(ctx, input.cardPublicIds, cardsFor, "card:edit", async (tx, cards) => {
        for (const card of cards) mustBeOpen(card);
        const changes = cards.flatMap((card) => archivedChange(card, tx.now) ?? []);
        writeCards(tx, changes);
        return { count: cards.length };
      }),
    ),

  delete: protectedProcedure
    .meta({
      weight: weightOfCards,
      openapi: {
        method: "POST",
        path: "/cards/bulk/delete",
        tags,
        summary: "Delete many cards",
        description: "Permanently deletes 1 to 1000 cards, including archived ones. Requires `card:delete`.",
        successDescription: "The cards were deleted.",
      },
    })
    .input(z.strictObject(Selection))
    .output(Count)
    .mutation(({ ctx, input }) =>
      change(ctx, input.cardPublicIds, cardsFor, "card:delete", async (tx, cards) => {
        await deleteCards(tx, cards);
        return { count: cards.length };
      }),
    ),
};

/** Labels of the one board that the cards are on; a label cannot be of two boards. */
async function boardLabels(tx: Tx, cards: readonly CardAccess[], publicIds: readonly string[]): Promise<Named[]> {
  const [first] = cards;
  if (first === undefined || publicIds.length === 0) return [];
  if (cards.some(({ boardId }) => boardId !== first.boardId)) throw forbidden();
  return labelsOn(tx, first, publicIds);
}

/** The labels and members that a bulk update adds to its cards and removes from them. */
async function attachments(tx: Tx, cards: readonly CardAccess[], input: Attachments) {
  const labels = await boardLabels(tx, cards, [...input.addLabelPublicIds, ...input.removeLabelPublicIds]);
  const boards = [...new Map(cards.map((card) => [card.boardId, card])).values()];
  const added = await assigneesOn(tx, boards, input.addMemberPublicIds);
  const removed = await assigneesOn(tx, boards, input.removeMemberPublicIds);
  mustBeAssignable(added, "addMemberPublicIds");
  for (const board of boards) mustBeOpen(board);
  if (cards.length * (labels.length + added.length + removed.length) > CHANGES_MAX)
    throw badRequest(
      `The number of cards multiplied by the number of labels and members must be at most ${CHANGES_MAX}`,
      "cardPublicIds",
    );

  const named = (ids: readonly string[]) => labels.filter(({ publicId }) => ids.includes(publicId));
  const labelling = await attached(tx, "label", cards, {
    add: named(input.addLabelPublicIds),
    remove: named(input.removeLabelPublicIds),
  });
  const assigning = await attached(tx, "member", cards, { add: added, remove: removed });
  return { labelling, assigning };
}
