// Checklists of a card and their items. The card's row is locked by all of it, and carries the counts that boards show.

import { sql } from "drizzle-orm";
import { z } from "zod";
import { cardFor, checklistFor, type ItemAccess, itemFor } from "../access/cardGuards.js";
import { mustBeOpen } from "../access/guards.js";
import { change, type Signed } from "../api/context.js";
import { ChecklistId, Index, Name, Ok, ok, PublicId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import type { Transaction } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { positionAt, type Siblings, type Step, stepTo } from "../db/positions.js";
import { cardEvent, changesTo, type NewEvent } from "../events/log.js";
import { recordCards } from "./changing.js";
import { Checklist, Item, ofCard } from "./shapes.js";

const tags = ["Checklists"];
const ChecklistName = Name(255);
const ItemTitle = Name(500);
const ofChecklist = { checklistPublicId: ChecklistId };
const ofItem = { itemPublicId: PublicId };

const itemsOf = (checklist: { workspaceId: number; checklistId: number }): Siblings => ({
  table: sql`checklist_item`,
  of: sql`workspace_id = ${checklist.workspaceId}::bigint and checklist_id = ${checklist.checklistId}::bigint`,
});

/** The step that takes an item to `index`; null where none is asked for, or it stands there already. */
async function moveTo(tx: Signed<Transaction>, item: ItemAccess, index: number | undefined): Promise<Step | null> {
  if (index === undefined) return null;
  return stepTo(tx.db, itemsOf(item), { id: item.itemId, position: item.itemPosition }, index);
}

export const checklists = {
  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/cards/{cardPublicId}/checklists",
        tags,
        summary: "Create a checklist",
        description: "Adds an empty checklist to a card. Needs `card:edit`.",
      },
    })
    .input(z.strictObject({ ...ofCard, name: ChecklistName }))
    .output(Checklist)
    .mutation(({ ctx, input: { cardPublicId, name } }) =>
      change(ctx, async (tx) => {
        const card = await cardFor(tx, cardPublicId, "card:edit");
        mustBeOpen(card);
        const publicId = newPublicId();
        const created = cardEvent(card, "checklist.created", { checklistPublicId: publicId, name });
        await recordCards(tx, card, [{ card, events: [created] }], {
          also: [
            sql`checklisted as (
              insert into checklist (workspace_id, public_id, card_id, name)
              select ${card.workspaceId}::bigint, ${publicId}::text, changed.id, ${name}::text from changed)`,
          ],
        });
        return { publicId, name };
      }),
    ),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/checklists/{checklistPublicId}",
        tags,
        summary: "Update a checklist",
        description: "Renames a checklist. Needs `card:edit`.",
      },
    })
    .input(z.strictObject({ ...ofChecklist, name: ChecklistName }))
    .output(Checklist)
    .mutation(({ ctx, input: { checklistPublicId, name } }) =>
      change(ctx, async (tx) => {
        const checklist = await checklistFor(tx, checklistPublicId, "card:edit");
        const changes = changesTo({ name: checklist.checklistName }, { name });
        if (changes === null) return { publicId: checklistPublicId, name };
        mustBeOpen(checklist);
        const updated = cardEvent(checklist, "checklist.updated", { checklistPublicId, changes });
        await recordCards(tx, checklist, [{ card: checklist, events: [updated] }], {
          also: [
            sql`renamed as (
              update checklist set name = ${name}::text from changed
              where workspace_id = ${checklist.workspaceId}::bigint and checklist.id = ${checklist.checklistId}::bigint)`,
          ],
        });
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
        description: "Deletes a checklist with its items. Needs `card:edit`.",
      },
    })
    .input(z.strictObject(ofChecklist))
    .output(Ok)
    .mutation(({ ctx, input: { checklistPublicId } }) =>
      change(ctx, async (tx) => {
        const checklist = await checklistFor(tx, checklistPublicId, "card:edit");
        mustBeOpen(checklist);
        const [held] = await tx.db.rows<{ total: number; completed: number }>(sql`
          select count(*) as total, count(*) filter (where completed) as completed
          from checklist_item where ${itemsOf(checklist).of}`);
        const name = checklist.checklistName;
        const deleted = cardEvent(checklist, "checklist.deleted", { checklistPublicId, name });
        const items = { total: -(held?.total ?? 0), completed: -(held?.completed ?? 0) };
        await recordCards(tx, checklist, [{ card: checklist, events: [deleted], items }], {
          also: [
            sql`deleted as (
              delete from checklist using changed
              where workspace_id = ${checklist.workspaceId}::bigint and checklist.id = ${checklist.checklistId}::bigint)`,
          ],
        });
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
        description: "Adds an item at the end of a checklist. Needs `card:edit`.",
      },
    })
    .input(z.strictObject({ ...ofChecklist, title: ItemTitle }))
    .output(Item)
    .mutation(({ ctx, input: { checklistPublicId, title } }) =>
      change(ctx, async (tx) => {
        const checklist = await checklistFor(tx, checklistPublicId, "card:edit");
        mustBeOpen(checklist);
        const position = await positionAt(tx.db, itemsOf(checklist), "end");
        const publicId = newPublicId();
        const created = cardEvent(checklist, "checklist.item.created", {
          checklistPublicId,
          itemPublicId: publicId,
          title,
        });
        const items = { total: 1, completed: 0 };
        await recordCards(tx, checklist, [{ card: checklist, events: [created], items }], {
          also: [
            sql`itemised as (
              insert into checklist_item (workspace_id, public_id, checklist_id, title, position)
              select ${checklist.workspaceId}::bigint, ${publicId}::text, ${checklist.checklistId}::bigint, ${title}::text, ${position}::bigint
              from changed)`,
          ],
        });
        return { publicId, title, completed: false };
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
          "Renames an item, ticks it off or on, or moves it in its checklist: `index` is zero-based, and one beyond the end means the end. Needs `card:edit`.",
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
    .output(Item)
    .mutation(({ ctx, input: { itemPublicId, index, ...fields } }) =>
      change(ctx, async (tx) => {
        const item = await itemFor(tx, itemPublicId, "card:edit");
        const title = fields.title ?? item.itemTitle;
        const completed = fields.completed ?? item.itemCompleted;
        const step = await moveTo(tx, item, index);
        const events = itemEvents(item, { title, completed, step });
        const answer = { publicId: itemPublicId, title, completed };
        if (events.length === 0) return answer;
        mustBeOpen(item);
        const items = { total: 0, completed: Number(completed) - Number(item.itemCompleted) };
        await recordCards(tx, item, [{ card: item, events, items }], {
          also: [
            sql`itemised as (
              update checklist_item i set title = ${title}::text, completed = ${completed}::boolean, position = ${step?.position ?? item.itemPosition}::bigint
              from changed where i.workspace_id = ${item.workspaceId}::bigint and i.id = ${item.itemId}::bigint)`,
          ],
        });
        return answer;
      }),
    ),

  deleteItem: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/checklist-items/{itemPublicId}",
        tags,
        summary: "Delete a checklist item",
        description: "Deletes an item. Needs `card:edit`.",
      },
    })
    .input(z.strictObject(ofItem))
    .output(Ok)
    .mutation(({ ctx, input: { itemPublicId } }) =>
      change(ctx, async (tx) => {
        const item = await itemFor(tx, itemPublicId, "card:edit");
        mustBeOpen(item);
        const deleted = cardEvent(item, "checklist.item.deleted", { ...namesOf(item), title: item.itemTitle });
        const items = { total: -1, completed: item.itemCompleted ? -1 : 0 };
        await recordCards(tx, item, [{ card: item, events: [deleted], items }], {
          also: [
            sql`itemised as (
              delete from checklist_item i using changed
              where i.workspace_id = ${item.workspaceId}::bigint and i.id = ${item.itemId}::bigint)`,
          ],
        });
        return ok;
      }),
    ),
};

const namesOf = ({ checklistPublicId, itemPublicId }: ItemAccess) => ({ checklistPublicId, itemPublicId });

interface ItemState {
  title: string;
  completed: boolean;
  step: Step | null;
}

/** What tells of an item's new state: an edit or a move, and being ticked. */
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
