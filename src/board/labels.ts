// The labels of a board.

import { and, eq, type SQL } from "drizzle-orm";
import { z } from "zod";
import { type BoardAccess, boardFor, labelFor, mustBeOpen, type Named, namedFields } from "../access/guards.js";
import { change, type Tx } from "../api/change.js";
import { definedOf } from "../api/defined.js";
import { badRequest, notFound } from "../api/errors.js";
import { BoardId, Colour, Label, LabelId, LabelName, Ok, ok } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { raiseRevisions } from "../card/model/cardWrites.js";
import { oneOf, type Queries } from "../db/client.js";
import { nameKey } from "../db/nameKey.js";
import { label } from "../db/schema/index.js";
import { addRows } from "../db/unitOfWork.js";
import { boardEvent, changesTo } from "../events/log.js";

const tags = ["Labels"];

/** The labels of a board, in the order of creation; with a condition, those that meet it. */
export const labelsIn = (
  db: Queries,
  { workspaceId, boardId }: BoardAccess,
  condition?: SQL,
): Promise<(Named & { nameKey: string })[]> =>
  db
    .select({ ...namedFields(label), nameKey: label.nameKey })
    .from(label)
    .where(and(eq(label.workspaceId, workspaceId), eq(label.boardId, boardId), condition))
    .orderBy(label.id);

/** The labels of a board by their identifiers. @throws NOT_FOUND if one is unknown or of another board. */
export async function labelsOn(tx: Tx, board: BoardAccess, publicIds: readonly string[]): Promise<Named[]> {
  if (publicIds.length === 0) return [];
  const wanted = [...new Set(publicIds)];
  const labels = await labelsIn(tx.db, board, oneOf(label.publicId, wanted));
  if (labels.length < wanted.length) throw notFound();
  return labels;
}

/** Refuses a name that another label of a board has, in any case of letters. */
async function labelMustBeNew(tx: Tx, board: BoardAccess, name: string, ownId?: number): Promise<void> {
  const taken = await labelsIn(tx.db, board, eq(label.nameKey, nameKey(name)));
  if (taken.some(({ id }) => id !== ownId)) throw badRequest("The board already has a label with this name", "name");
}

/** Adds labels to a board, each with its event. Their names must be new on the board. */
export function addLabels(tx: Tx, board: BoardAccess, wanted: readonly Pick<Named, "name" | "colourCode">[]): Named[] {
  const keys = () => ({ id: tx.newRowId(), publicId: tx.newPublicId() });
  const made = wanted.map(({ name, colourCode }) => ({ ...keys(), name, colourCode }));
  const rows = made.map((one) => ({ ...one, boardId: board.boardId, nameKey: nameKey(one.name) }));
  addRows(tx, label, rows);
  for (const { id: _, ...fields } of made) {
    tx.log(boardEvent(board, "label.created", { labelPublicId: fields.publicId, label: fields }));
  }
  return made;
}

export const labels = {
  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/labels",
        tags,
        summary: "Create a label",
        description:
          "Adds a label to the board. Its name must be unique on the board, regardless of case. Requires `board:edit`.",
        successDescription: "The label was created.",
      },
    })
    .input(z.strictObject({ boardPublicId: BoardId, name: LabelName, colourCode: Colour }))
    .output(Label)
    .mutation(({ ctx, input: { boardPublicId, name, colourCode } }) =>
      change(ctx, boardPublicId, boardFor, "board:edit", async (tx, board) => {
        mustBeOpen(board);
        await labelMustBeNew(tx, board, name);
        const [made] = addLabels(tx, board, [{ name, colourCode }]);
        if (made === undefined) throw new Error("A label was not made");
        return { publicId: made.publicId, name, colourCode };
      }),
    ),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/labels/{labelPublicId}",
        tags,
        summary: "Update a label",
        description: "Changes the name or colour of a label on every card that has it. Requires `board:edit`.",
        successDescription: "The label after the update.",
      },
    })
    .input(z.strictObject({ labelPublicId: LabelId, name: LabelName.optional(), colourCode: Colour.optional() }))
    .output(Label)
    .mutation(({ ctx, input: { labelPublicId, ...wanted } }) =>
      change(ctx, labelPublicId, labelFor, "board:edit", async (tx, access) => {
        const { id, publicId, name, colourCode } = { ...access, ...definedOf(wanted) };
        const changes = changesTo({ name: access.name, colourCode: access.colourCode }, wanted);
        if (changes !== null) {
          mustBeOpen(access);
          await labelMustBeNew(tx, access, name, id);
          tx.set(label, { id }, { name, nameKey: nameKey(name), colourCode });
          tx.log(boardEvent(access, "label.updated", { labelPublicId, changes }));
        }
        return { publicId, name, colourCode };
      }),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/labels/{labelPublicId}",
        tags,
        summary: "Delete a label",
        description: "Deletes the label and removes it from every card. Requires `board:edit`.",
        successDescription: "The label was deleted.",
      },
    })
    .input(z.strictObject({ labelPublicId: LabelId }))
    .output(Ok)
    .mutation(({ ctx, input: { labelPublicId } }) =>
      change(ctx, labelPublicId, labelFor, "board:edit", async (tx, access) => {
        mustBeOpen(access);
        const revision = tx.log(boardEvent(access, "label.deleted", { labelPublicId, name: access.name }));
        await raiseRevisions(tx, access.id, revision);
        tx.remove(label, { id: access.id });
        return ok;
      }),
    ),
};
