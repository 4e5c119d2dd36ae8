// Boards as files: everything on a board as JSON that can be imported again, or its open cards as CSV (contract section 2,
// Files out).

import { z } from "zod";
import { boardFor } from "../access/guards.js";
import { protectedProcedure } from "../api/trpc.js";
import { PART_LIMITS_TEXT } from "../card/model/ownParts.js";
import { writtenIfPossible } from "../db/failures.js";
import { logAct } from "../user/auditLog.js";
import { ofBoard } from "./boardShapes.js";
import { csvOf } from "./csvFile.js";
import { BoardFile, FILE_LIMITS } from "./file.js";
import { ownFieldsOf, readBoardFile } from "./readingFile.js";

export const exporting = {
  export: protectedProcedure
    .meta({
      csv: true,
      weight: "heavy",
      openapi: {
        method: "GET",
        path: "/boards/{boardPublicId}/export",
        tags: ["Boards"],
        summary: "Export a board",
        description: `Downloads the board as a file named by its slug.

- **JSON** (\`json\`) holds everything on the board: open and archived cards, checklists, comments, tags, and people with the addresses that the caller may see; the name of a pending member is \`Invited\`. \`POST /imports/boards\` reads it back. It does not hold whether the board is archived, favourites, or the history.
- **CSV** (\`csv\`) holds the open cards in UTF-8 with BOM, with the columns of \`POST /imports/csv/boards\`. The column \`board\` is empty, so that an import can name any board. Names that hold a comma, semicolon, pipe or leading double quote are put in double quotes within their cell, as are checklist items that hold a line break; an import reads them back unchanged. A cell that a spreadsheet would run as a formula gets an apostrophe in front, which \`POST /imports/csv/preview\` removes. CSV has one checklist per card, and no data without a column, such as comments.
- **Limits**: a board of any size can be exported, but an import accepts no more than ${FILE_LIMITS.cards} cards, archived ones included, ${FILE_LIMITS.lists} lists, ${FILE_LIMITS.labels} labels, ${FILE_LIMITS.people} people, ${FILE_LIMITS.labelled} labels and ${FILE_LIMITS.assigned} assignees on cards, ${PART_LIMITS_TEXT}, ${FILE_LIMITS.comments} comments and 64 MiB. A larger board can be exported as CSV, whose rows are imported in several calls.

The same board always gives the same bytes. Archived boards can be exported. The audit log records each export. Requires \`board:view\`.`,
        successDescription: "The file.",
      },
    })
    .input(
      z.strictObject({
        ...ofBoard,
        format: z.enum(["json", "csv"]).default("json").meta({ description: "The format of the file." }),
      }),
    )
    .output(z.union([BoardFile, z.string()]))
    .query(async ({ ctx, input: { boardPublicId, format } }) => {
      const board = await boardFor(ctx, boardPublicId, "board:view");
      const type = format === "csv" ? "text/csv" : "application/json";
      const sendAs = (slug: string) =>
        ctx.requestOptions.sendAs?.({ name: `${slug}.${format}`, type: `${type}; charset=utf-8` });
      if (ctx.requestOptions.headersOnly) {
        sendAs((await ownFieldsOf(ctx.db, board)).slug);
        return "";
      }
      const file = await readBoardFile(ctx, board);
      // Without the board: instance admins read this log, but may not see the board.
      const target = { kind: "workspace", publicId: board.workspacePublicId } as const;
      const act = { type: "board.exported", actorId: ctx.user.accountId, target } as const;
      await writtenIfPossible(logAct(ctx.db, ctx.client, act));
      sendAs(file.slug);
      return format === "csv" ? csvOf(file) : file;
    }),
};
