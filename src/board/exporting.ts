// Boards as files: everything on a board as JSON that can be imported again, or its open cards as CSV (contract section 2,
// Files out).

import { z } from "zod";
import { boardFor } from "../access/guards.js";
import { protectedProcedure } from "../api/trpc.js";
import { csvOf } from "./csvFile.js";
import { BoardFile } from "./file.js";
import { readBoardFile } from "./readingFile.js";
import { ofBoard } from "./shapes.js";

export const exporting = {
  export: protectedProcedure
    .meta({
      csv: true,
      heavy: true,
      openapi: {
        method: "GET",
        path: "/boards/{boardPublicId}/export",
        tags: ["Boards"],
        summary: "Export a board",
        description:
          "The board as an attachment named by its slug. `json`: everything on it (cards open and archived, checklists, comments, tags, and its people with the addresses that the caller may see), which `POST /imports/boards` takes back; texts stand as they are, mentions in them too. Whether the board is archived, whose favourite it is and its history are not part of it. `csv`: its open cards in UTF-8 with BOM, under the columns of `POST /imports/csv/boards` in their order; `board` is left empty, so that the rows go to whatever board an import names. A label or assignee whose name holds a comma, semicolon or pipe, and a checklist item that holds a line break (or stands alone and holds a semicolon), stand in double quotes within their cell, with quotes of their own doubled, and so does what begins with a double quote: an import reads them back as they were. A cell that a spreadsheet would run as a formula has an apostrophe before it, which `POST /imports/csv/preview` takes off. CSV has one checklist a card and no place for priority, completion and comments. The same board gives the same bytes. Archived boards too. Whoever sees the board.",
      },
    })
    .input(z.object({ ...ofBoard, format: z.enum(["json", "csv"]).default("json") }))
    .output(z.union([BoardFile, z.string()]))
    .query(async ({ ctx, input: { boardPublicId, format } }) => {
      const board = await boardFor(ctx, boardPublicId, "board:view");
      const file = await readBoardFile(ctx, board);
      const type = format === "csv" ? "text/csv" : "application/json";
      ctx.terms.sendAs?.({ name: `${file.slug}.${format}`, type: `${type}; charset=utf-8` });
      return format === "csv" ? csvOf(file) : file;
    }),
};
