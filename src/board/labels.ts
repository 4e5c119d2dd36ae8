// The labels of a board.

import { sql } from "drizzle-orm";
import { z } from "zod";
import { boardFor, labelFor, mustBeOpen } from "../access/guards.js";
import { change } from "../api/context.js";
import { badRequest } from "../api/errors.js";
import { Colour, Label, LabelName, Ok, ok, PublicId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { violates } from "../db/failures.js";
import { newPublicId } from "../db/ids.js";
import { nameKey } from "../db/nameKey.js";
import { boardEvent, changesTo, record } from "../events/log.js";

const tags = ["Labels"];

/** The unique index decides who was first; whoever was not hears it as bad input. */
function nameTaken(error: unknown): never {
  if (violates(error, "label_name")) throw badRequest("The board has a label of this name", "name");
  throw error;
}

export const labels = {
  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/labels",
        tags,
        summary: "Create a label",
        description: "Adds a label to a board. Its name is unique there without regard to case. Needs `board:edit`.",
      },
    })
    .input(z.strictObject({ boardPublicId: PublicId, name: LabelName, colourCode: Colour }))
    .output(Label)
    .mutation(({ ctx, input: { boardPublicId, name, colourCode } }) =>
      change(ctx, async (tx) => {
        const board = await boardFor(tx, boardPublicId, "board:edit");
        mustBeOpen(board);
        const publicId = newPublicId();
        await record(tx, board, {
          events: [boardEvent(board, "label.created", { labelPublicId: publicId, name, colourCode })],
          write: () => sql`
            insert into label (workspace_id, public_id, board_id, name, name_key, colour_code)
            select ${board.workspaceId}::bigint, ${publicId}::text, ${board.boardId}::bigint, ${name}::text,
              ${nameKey(name)}::text, ${colourCode}::text
            from next returning id`,
        });
        return { publicId, name, colourCode };
      }).catch(nameTaken),
    ),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/labels/{labelPublicId}",
        tags,
        summary: "Update a label",
        description: "Renames or recolours a label, on every card that has it. Needs `board:edit`.",
      },
    })
    .input(z.strictObject({ labelPublicId: PublicId, name: LabelName.optional(), colourCode: Colour.optional() }))
    .output(Label)
    .mutation(({ ctx, input: { labelPublicId, ...fields } }) =>
      change(ctx, async (tx) => {
        const label = await labelFor(tx, labelPublicId, "board:edit");
        const { publicId } = label;
        const changes = changesTo({ name: label.name, colourCode: label.colourCode }, fields);
        const name = fields.name ?? label.name;
        const colourCode = fields.colourCode ?? label.colourCode;
        if (changes === null) return { publicId, name, colourCode };
        mustBeOpen(label);
        await record(tx, label, {
          events: [boardEvent(label, "label.updated", { labelPublicId, changes })],
          write: () => sql`
            update label set name = ${name}::text, name_key = ${nameKey(name)}::text, colour_code = ${colourCode}::text
            from next where label.workspace_id = ${label.workspaceId}::bigint and label.id = ${label.id}::bigint
            returning label.id`,
        });
        return { publicId, name, colourCode };
      }).catch(nameTaken),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/labels/{labelPublicId}",
        tags,
        summary: "Delete a label",
        description: "Deletes a label and takes it off every card. Needs `board:edit`.",
      },
    })
    .input(z.strictObject({ labelPublicId: PublicId }))
    .output(Ok)
    .mutation(({ ctx, input: { labelPublicId } }) =>
      change(ctx, async (tx) => {
        const label = await labelFor(tx, labelPublicId, "board:edit");
        mustBeOpen(label);
        await record(tx, label, {
          events: [boardEvent(label, "label.deleted", { labelPublicId, name: label.name })],
          write: () => sql`
            delete from label using next
            where label.workspace_id = ${label.workspaceId}::bigint and label.id = ${label.id}::bigint
            returning label.id`,
        });
        return ok;
      }),
    ),
};
