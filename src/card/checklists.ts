// The checklists of a card and their items. The card's row has the counts that boards show.

import { count, sql } from "drizzle-orm";
import { z } from "zod";
import { mustBeOpen } from "../access/guards.js";
import { change } from "../api/change.js";
import { ChecklistId, ChecklistName, Index, ItemId, ItemTitle, Ok, ok } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { type Place, placeIn, type Siblings } from "../db/positions.js";
import { checklistItem, checklist as checklistTable } from "../db/schema/index.js";
import { cardEvent, changesTo, type NewEvent } from "../events/log.js";
import { NamedChecklist, ofCard } from "./callShapes.js";
import {
  type CardAccess,
  type ChecklistAccess,
  cardFor,
  checklistFor,
  type ItemAccess,
  itemFor,
} from "./model/cardGuards.js";
import { writeCards } from "./model/cardWrites.js";
import { ChecklistItem } from "./model/ownParts.js";

const tags = ["Checklists"];
const ofChecklist = { checklistPublicId: ChecklistId };
const ofItem = { itemPublicId: ItemId };

/** The items of a checklist. */
function itemsOf({ workspaceId, checklistId }: ChecklistAccess): Siblings {
  const of = sql`${checklistItem.workspaceId} = ${workspaceId}::bigint and ${checklistItem.checklistId} = ${checklistId}::bigint`;
  return { table: checklistItem, of, size: sql`select count(*) from ${checklistItem} where ${of}` };
}

/** The change of a card's counts of items. */
const counted = (card: CardAccess, total: number, completed: number) => ({
  itemsTotal: card.itemsTotal + total,
  itemsCompleted: card.itemsCompleted + completed,
});

export const checklists = {
  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/cards/{cardPublicId}/checklists",
        tags,
        summary: "Create a checklist",
        description: "Adds an empty checklist to the card. Requires `card:edit`.",
        successDescription: "The checklist was created.",
      },
    })
    .input(z.strictObject({ ...ofCard, name: ChecklistName }))
    .output(NamedChecklist)
    .mutation(({ ctx, input: { cardPublicId, name } }) =>
      change(ctx, cardPublicId, cardFor, "card:edit", async (tx, card) => {
        mustBeOpen(card);
        const made = { publicId: tx.newPublicId(), name };
        const data = { checklistPublicId: made.publicId, checklist: { ...made, items: [] } };
        writeCards(tx, [{ card, events: [cardEvent(card, "checklist.created", data)] }]);
        tx.add(checklistTable, { id: tx.newRowId(), cardId: card.cardId, ...made });
        return made;
      }),
    ),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/checklists/{checklistPublicId}",
        tags,
        summary: "Update a checklist",
        description: "Renames the checklist. Requires `card:edit`.",
        successDescription: "The checklist after the update.",
      },
    })
    .input(z.strictObject({ ...ofChecklist, name: ChecklistName }))
    .output(NamedChecklist)
    .mutation(({ ctx, input: { checklistPublicId, name } }) =>
      change(ctx, checklistPublicId, checklistFor, "card:edit", async (tx, checklist) => {
        const changes = changesTo({ name: checklist.checklistName }, { name });
        if (changes !== null) {
          mustBeOpen(checklist);
          const events = [cardEvent(checklist, "checklist.updated", { checklistPublicId, changes })];
          writeCards(tx, [{ card: checklist, events }]);
          tx.set(checklistTable, { id: checklist.checklistId }, { name });
        }
        return { publicId: checklistPublicId, name };
      }),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/checklists/{checklistPublicId}",
        tags,
        summary: "Delete a checklist",
        description: "Deletes the checklist with its items. Requires `card:edit`.",
        successDescription: "The checklist was deleted.",
      },
    })
    .input(z.strictObject(ofChecklist))
    .output(Ok)
    .mutation(({ ctx, input: { checklistPublicId } }) =>
      change(ctx, checklistPublicId, checklistFor, "card:edit", async (tx, checklist) => {
        mustBeOpen(checklist);
        const completedItems = sql<number>`count(*) filter (where ${checklistItem.completed})`;
        const [held] = await tx.db
          .select({ total: count(), completed: completedItems })
          .from(checklistItem)
          .where(itemsOf(checklist).of);
        const { total, completed } = held ?? { total: 0, completed: 0 };
        const data = { checklistPublicId, name: checklist.checklistName, checklistItems: { total, completed } };
        const events = [cardEvent(checklist, "checklist.deleted", data)];
        writeCards(tx, [{ card: checklist, to: counted(checklist, -total, -completed), events }]);
        tx.remove(checklistTable, { id: checklist.checklistId });
        return ok;
      }),
    ),

  addItem: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/checklists/{checklistPublicId}/items",
        tags,
        summary: "Add a checklist item",
        description: "Adds an item at the end of the checklist. Requires `card:edit`.",
        successDescription: "The item was created.",
      },
    })
    .input(z.strictObject({ ...ofChecklist, title: ItemTitle }))
    .output(ChecklistItem)
    .mutation(({ ctx, input: { checklistPublicId, title } }) =>
      change(ctx, checklistPublicId, checklistFor, "card:edit", async (tx, checklist) => {
        mustBeOpen(checklist);
        const { position } = await placeIn(tx, itemsOf(checklist), "end");
        const item = { publicId: tx.newPublicId(), title, completed: false };
        const data = { checklistPublicId, itemPublicId: item.publicId, item };
        const events = [cardEvent(checklist, "checklist.item.created", data)];
        writeCards(tx, [{ card: checklist, to: counted(checklist, 1, 0), events }]);
        tx.add(checklistItem, { id: tx.newRowId(), checklistId: checklist.checklistId, ...item, position });
        return item;
      }),
    ),

  updateItem: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/checklist-items/{itemPublicId}",
        tags,
        summary: "Update a checklist item",
        description:
          "Renames the item, completes or reopens it, or moves it in its checklist. `index` is zero-based; an index beyond the end means the end. Requires `card:edit`.",
        successDescription: "The item after the update.",
      },
    })
    .input(
      z.strictObject({
        ...ofItem,
        title: ItemTitle.optional(),
        completed: z.boolean().optional(),
        index: Index.optional(),
      }),
    )
    .output(ChecklistItem)
    .mutation(({ ctx, input: { itemPublicId, index, ...fields } }) =>
      change(ctx, itemPublicId, itemFor, "card:edit", async (tx, item) => {
        const { itemId, itemTitle, itemCompleted, itemPosition } = item;
        const title = fields.title ?? itemTitle;
        const completed = fields.completed ?? itemCompleted;
        const place = index === undefined ? null : await placeIn(tx, itemsOf(item), index, itemPosition);
        const step = place === null || place.from === place.to ? null : place;
        const events = itemEvents(item, { title, completed, step });
        if (events.length > 0) {
          mustBeOpen(item);
          const to = counted(item, 0, Number(completed) - Number(itemCompleted));
          writeCards(tx, [{ card: item, to, events }]);
          tx.set(checklistItem, { id: itemId }, { title, completed, position: step?.position ?? itemPosition });
        }
        return { publicId: itemPublicId, title, completed };
      }),
    ),

  deleteItem: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/checklist-items/{itemPublicId}",
        tags,
        summary: "Delete a checklist item",
        description: "Deletes the item. Requires `card:edit`.",
        successDescription: "The item was deleted.",
      },
    })
    .input(z.strictObject(ofItem))
    .output(Ok)
    .mutation(({ ctx, input: { itemPublicId } }) =>
      change(ctx, itemPublicId, itemFor, "card:edit", async (tx, item) => {
        mustBeOpen(item);
        const data = { ...namesOf(item), title: item.itemTitle, completed: item.itemCompleted };
        const events = [cardEvent(item, "checklist.item.deleted", data)];
        writeCards(tx, [{ card: item, to: counted(item, -1, item.itemCompleted ? -1 : 0), events }]);
        tx.remove(checklistItem, { id: item.itemId });
        return ok;
      }),
    ),
};

const namesOf = ({ checklistPublicId, itemPublicId }: ItemAccess) => ({ checklistPublicId, itemPublicId });

interface ItemState {
  title: string;
  completed: boolean;
  step: Place | null;
}

/** The events of an item's new state: of an edit or a move, and of completing it. */
function itemEvents(item: ItemAccess, { title, completed, step }: ItemState): NewEvent[] {
  const changes = changesTo({ title: item.itemTitle, index: step?.from }, { title, index: step?.to });
  const events: NewEvent[] = [];
  if (changes !== null) events.push(cardEvent(item, "checklist.item.updated", { ...namesOf(item), changes }));
  if (completed !== item.itemCompleted) {
    const type = completed ? "checklist.item.completed" : "checklist.item.reopened";
    events.push(cardEvent(item, type, { ...namesOf(item), title }));
  }
  return events;
}
