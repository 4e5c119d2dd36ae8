// CSV: the preview of a file, and the import of its rows (specification 4.2).

import { z } from "zod";
import { orPrepared, plannedFrom, preparation } from "../../api/preparedInputs.js";
import { answering, orRendered, Rendered } from "../../api/rendered.js";
import { BoardId, BoardName, ListName, Text } from "../../api/shapes.js";
import { accountProcedure, protectedProcedure } from "../../api/trpc.js";
import { ofWorkspace } from "../../workspace/workspaceShapes.js";
import { Amount, DryRun, ImportedRows, note } from "../imported.js";
import { importBoards } from "../importing.js";
import { membersOf } from "../matchedPeople.js";
import { importOnto } from "./appending.js";
import { assigningPeople } from "./assignedPeople.js";
import { cutTo, IMPORT_LIMITS, interpretRows } from "./rows.js";
import { CELL_LENGTH_MAX, CELLS_MAX, DELIMITERS, previewCsv } from "./text.js";

const tags = ["Imports"];
const ROWS_MAX = 2000;
const CSV_LENGTH_MAX = 60 * 1024 * 1024;

interface CellProblem {
  path: number[];
  message: string;
}

function problemOf(cell: unknown): string | null {
  if (typeof cell !== "string") return "Must be text";
  if (cutTo(cell, CELL_LENGTH_MAX) !== cell) return `Must have at most ${CELL_LENGTH_MAX} characters`;
  return cell.includes("\0") || !cell.isWellFormed() ? "Must not contain NUL or lone surrogates" : null;
}

/** The first invalid cell or row only: an issue for each of 400 000 would make a response larger than the file. */
function firstProblem(rows: unknown): CellProblem | null {
  if (!Array.isArray(rows) || rows.length > ROWS_MAX) return null;
  for (const [row, cells] of rows.entries()) {
    if (!Array.isArray(cells)) return { path: [row], message: "Must be an array of cells" };
    if (cells.length > CELLS_MAX) return { path: [row], message: `Must have at most ${CELLS_MAX} cells` };
    for (const [column, cell] of cells.entries()) {
      const message = problemOf(cell);
      if (message !== null) return { path: [row, column], message };
    }
  }
  return null;
}

const Cell = z.string().meta(Text(0, CELL_LENGTH_MAX).meta() ?? {});
const Rows = z.preprocess(
  (rows: string[][], ctx) => {
    const problem = firstProblem(rows);
    if (problem !== null) ctx.addIssue({ code: "custom", ...problem });
    return rows;
  },
  z.array(z.array(Cell).max(CELLS_MAX)).min(1).max(ROWS_MAX),
);

const COLUMN_MAX = CELLS_MAX - 1;
const position = () => z.int().min(0).max(COLUMN_MAX);
const column = (holds: string) => position().meta({ description: holds });

/** One column, or several with the same meaning. */
const columnsOf = (holds: string) =>
  z.union([position(), z.array(position()).min(1).max(CELLS_MAX)]).meta({ description: holds });

/** The columns of 4.2; created anew for each schema, so that input and output share none. */
const columns = () => ({
  title: column("The card's title; rows without one are skipped."),
  description: columnsOf("The card's description. Texts of several columns are joined with an empty line.").optional(),
  list: column("The name of the list. It is created if the board has no list with that name.").optional(),
  labels: columnsOf(
    'The names of labels, separated by comma, semicolon or pipe. Put a name that contains one of these in double quotes: `"a, b"; c`.',
  ).optional(),
  dueDate: column(
    "ISO 8601 (UTC if it names no zone), `YYYY-MM-DD HH:mm`, `13.05.2027`, `May 13, 2027`, `10/Jan/24 12:00 AM` and the like. For dates such as `04/05/2027`, the rest of the column decides which number is the day.",
  ).optional(),
  assignee: columnsOf(
    "The address or name of an active member, or several of them, separated and quoted like labels. `Last, First` is tried as one name first.",
  ).optional(),
  checklist: columnsOf(
    "The items, one per line, or separated by semicolons if the cell has only one line. `[x]` marks an item as completed. Put an item that contains a line break in double quotes.",
  ).optional(),
  checklistName: column("The checklist's name, `Checklist` by default.").optional(),
  board: column("The name of the card's board. Cards without one go to the board `boardName`.").optional(),
  priority: column(
    "`urgent`, `high`, `medium`, `low` or `none`, or a word or number of another tool: `Highest`, `Important`, `Mittel`, `1`. Other words mean none.",
  ).optional(),
  completed: column(
    "The date of the completion, or a word such as `Done`, `Closed`, `yes` or `x`, which means now. Other words mean open.",
  ).optional(),
});

const { labels, labelled, assigned, items } = IMPORT_LIMITS;

const ImportInput = z
  .strictObject({
    ...ofWorkspace,
    boardPublicId: BoardId.meta({
      description: "The board to which all rows are appended. Without it, boards are created.",
    }).optional(),
    boardName: BoardName.meta({
      description: "The name of a new board. Required without `boardPublicId`, and ignored with it.",
    }).optional(),
    rows: Rows.meta({ description: "The rows of the file without its header, each an array of cells." }),
    mapping: z.strictObject(columns()).meta({ description: "The zero-based column of each field." }),
    defaultListName: ListName.default("To do").meta({ description: "The list for rows that name no list." }),
    dryRun: DryRun,
  })
  .refine(({ boardPublicId, mapping }) => boardPublicId === undefined || mapping.board === undefined, {
    path: ["mapping", "board"],
    error: "Cannot be combined with boardPublicId: all rows go to that board",
  })
  .refine(({ boardPublicId, boardName }) => boardPublicId !== undefined || boardName !== undefined, {
    path: ["boardName"],
    error: "Required without boardPublicId",
  });

const planFor = (input: z.output<typeof ImportInput>) => ({
  workspacePublicId: input.workspacePublicId,
  boardPublicId: input.boardPublicId,
  dryRun: input.dryRun,
  // All rows go to the board of `boardPublicId`, which has a name already.
  ...interpretRows(input.rows, { ...input, boardName: input.boardName ?? "" }),
});

/** Generators of clients cannot make names of these characters. */
const DelimiterSign = z.enum(DELIMITERS).meta({ "x-enum-varnames": ["COMMA", "SEMICOLON", "TAB", "PIPE"] });

const PreviewInput = z.strictObject({
  csv: z.string().max(CSV_LENGTH_MAX).meta({ description: "The text of the file." }),
  delimiter: DelimiterSign.meta({
    description: "The character that separates the cells; detected by default.",
  }).optional(),
  hasHeader: z
    .boolean()
    .meta({ description: "Whether the first row names the columns; guessed by default." })
    .optional(),
  offset: Amount.default(0).meta({ description: "How many rows to skip at the beginning." }),
  limit: z.int().min(1).max(ROWS_MAX).default(20).meta({ description: "The maximum number of rows to return." }),
});

const RowNumber = () =>
  z
    .int()
    .min(1)
    .max(CSV_LENGTH_MAX)
    .meta({ description: "The one-based number of the row in the file, without the header." });

const Preview = z
  .object({
    delimiter: DelimiterSign.meta({ description: "The character that separates the cells." }),
    header: z.array(z.string()).meta({ description: "Empty if the first row is not a header." }),
    rows: z.array(z.array(z.string())).meta({ description: "The rows of the page." }),
    rowCount: Amount.meta({ description: "The number of rows in the file, without the header and blank lines." }),
    suggestedMapping: z
      .object(columns())
      .partial()
      .meta({ description: "The column of each field that was recognized." }),
    warnings: z
      .array(note(["valueTruncated"], RowNumber()))
      .meta({ description: "The cells of the page that were cut; `value` is the beginning of the cell." }),
  })
  .meta({ id: "CsvPreview", description: "A page of rows of a CSV file." });

const renderPreview = (input: z.output<typeof PreviewInput>) => Rendered.as(Preview, previewCsv(input.csv, input));

export const csvImports = {
  csv: protectedProcedure
    .meta({
      largeBody: true,
      weight: "heavy",
      openapi: {
        method: "POST",
        path: "/imports/csv/boards",
        tags,
        summary: "Import a board from CSV",
        description: `Creates boards, lists and cards from rows without their header, all of them or none. \`mapping\` names the zero-based column of each field; a column beyond the end of a row counts as empty. With \`dryRun\` nothing is created, and the response is the same with \`boardPublicId\` null.

- **Names** are matched regardless of case.
- **Assignees**: a cell is matched as a whole and then in parts, by address and then by name, among the active members. A caller who may not see addresses matches by name and by its own address.
- **Dates**: if all unambiguous dates of a column agree on the order of day and month, the others follow it; otherwise they get the warning \`ambiguousDate\`.
- **Words**: if no word in a column of priorities or completion is known, each cell gets the warning \`invalidValue\`.
- **Response**: \`skippedRows\` lists the rows that gave no card, \`warnings\` the cards that differ from their row, and \`unmatchedAssignees\` the assignees who were not found.
- **Without \`boardPublicId\`** the board \`boardName\` is created if a row goes there, or if no row gives a card; \`boardPublicId\` in the response is that board, otherwise the first one created. This requires \`board:create\`.
- **With \`boardPublicId\`** all rows are appended to that board: lists and labels are matched by name or created, cards go to the end of their list, assignees must be members who can see the board, and \`boardsCreated\` is 0. This requires \`card:create\` on the board, \`list:create\` for new lists and \`board:edit\` for new labels.
- **Notifications**: each person who is assigned to cards gets one notification of the type \`card.assigned\`, about the first of them.
- **Limits**: at most ${labels} different labels, ${labelled} labels and ${assigned} assignees on cards, and ${items} checklist items.

An accountless guest gets FORBIDDEN.`,
        successDescription: "The boards were created, or on a dry run would be.",
      },
    })
    .input(orPrepared(ImportInput))
    .output(ImportedRows(ROWS_MAX))
    .mutation(async ({ ctx, input }) => {
      const { boards, skippedRows, warnings, boardPublicId, ...wanted } = await plannedFrom(input, planFor);
      const report = { skippedRows, warnings };
      const [first] = boards;
      if (boardPublicId !== undefined && first !== undefined) {
        return importOnto(ctx, { ...wanted, boardPublicId }, first, report);
      }
      return importBoards(ctx, wanted, async (on, workspace) => {
        const { planOf, unmatchedAssignees } = assigningPeople(boards, await membersOf(on, workspace));
        return { plans: boards.map(planOf), report: { unmatchedAssignees, ...report } };
      });
    }),

  csvPreview: accountProcedure
    .meta({
      largeBody: true,
      weight: "heavy",
      openapi: {
        method: "POST",
        path: "/imports/csv/preview",
        tags,
        summary: "Preview a CSV file",
        description: `Reads the text of a CSV file: detects the delimiter and whether the first row is a header, counts the rows, and returns a page of rows for \`POST /imports/csv/boards\` with a suggested mapping. Read a file of more than ${ROWS_MAX} rows page by page with \`offset\`, and import each page. The file is not stored. Requires any valid token; an accountless guest gets FORBIDDEN.

- **Column names** are recognized in English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Japanese and Chinese. Columns with the same name are suggested together if the mapping takes several.
- **Directive**: a first line such as \`sep=;\` sets the delimiter and is not a row.
- **Formulas**: the apostrophe that an export puts in front of a formula is removed, from files with the header of an export.
- **Todoist**: its sections and its lines about the view are not rows.
- **Limits**: cells beyond the ${CELLS_MAX}th of a row are left out. A longer cell than ${CELL_LENGTH_MAX} characters is cut, and \`warnings\` has the beginning of its text.`,
        successDescription: "The rows of the file.",
      },
    })
    .input(orPrepared(PreviewInput))
    .output(orRendered(Preview))
    .mutation(async ({ input }) => answering<typeof Preview>(await plannedFrom(input, renderPreview))),
};

export const csvPreparations = {
  csv: preparation(ImportInput, planFor),
  csvPreview: preparation(PreviewInput, renderPreview),
};
