// Boards from CSV: a look into a file, and the import of its rows (specification 4.2).

import { z } from "zod";
import type { WorkspaceAccess } from "../../access/guards.js";
import type { Signed } from "../../api/context.js";
import { BoardName, ListName, PublicId, Text } from "../../api/shapes.js";
import { personalProcedure, protectedProcedure } from "../../api/trpc.js";
import { Amount, ImportedRows } from "../imported.js";
import { importBoards } from "../importing.js";
import { colourAt } from "../palette.js";
import { membersOf } from "../people.js";
import { cutTo, IMPORT_LIMITS, interpretRows, NameList, type PlannedBoard } from "./rows.js";
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

/** The first cell or row that 4.2 does not take: an issue for each of 400 000 would make an answer larger than the file. */
function firstProblem(rows: unknown): CellProblem | null {
  if (!Array.isArray(rows) || rows.length > ROWS_MAX) return null;
  for (const [row, cells] of rows.entries()) {
    if (!Array.isArray(cells)) return { path: [row], message: "Must be a list of cells" };
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

const column = (holds: string) =>
  z
    .int()
    .min(0)
    .max(CELLS_MAX - 1)
    .meta({ description: holds });

/** 4.2's columns; made anew for each schema, so that input and output share none. */
const columns = () => ({
  title: column("The card's title; rows without one are skipped."),
  description: column("The card's description.").optional(),
  list: column("The name of its list, which is made where the board has none of that name.").optional(),
  labels: column("Names of labels, separated by comma, semicolon or pipe.").optional(),
  dueDate: column(
    "ISO 8601 (without a zone UTC), `YYYY-MM-DD HH:mm`, or day and month with slashes where one exceeds 12.",
  ).optional(),
  assignee: column("Addresses or names of active members, separated like labels.").optional(),
  checklist: column(
    "Items, one a line; in a cell of a single line separated by semicolons. `[x]` marks one as done.",
  ).optional(),
  checklistName: column("The checklist's name, `Checklist` by default.").optional(),
  board: column("The name of the card's board; without one it goes to the board of `boardName`.").optional(),
});

const { labels, labelled, assigned, items } = IMPORT_LIMITS;

export const csvImports = {
  csv: protectedProcedure
    .meta({
      largeBody: true,
      openapi: {
        method: "POST",
        path: "/imports/csv/boards",
        tags,
        summary: "Import a board from CSV",
        description: `Makes boards, lists and cards from rows without their header, all of it or nothing. \`mapping\` says which zero-based column holds what; a column beyond a row reads as empty. Names match without regard to case. Rows that make no card are told in \`skippedRows\`, cards that differ from their row in \`warnings\`, assignees that are nobody in \`unmatchedAssignees\`. \`boardPublicId\` is the board of \`boardName\`. With \`dryRun\` the answer is the same, \`boardPublicId\` null, and nothing is made. One import takes at most ${labels} different labels, ${labelled} labels and ${assigned} assignees on cards, and ${items} checklist items. Needs \`board:create\`.`,
      },
    })
    .input(
      z.strictObject({
        workspacePublicId: PublicId,
        boardName: BoardName,
        rows: Rows,
        mapping: z.strictObject(columns()),
        defaultListName: ListName.default("To do"),
        dryRun: z.boolean().default(false),
      }),
    )
    .output(ImportedRows(ROWS_MAX))
    .mutation(({ ctx, input }) => {
      const { boards, skippedRows, warnings } = interpretRows(input.rows, input);
      return importBoards(ctx, input, async (on, workspace) => {
        const { plans, unmatchedAssignees } = await withPeople(on, workspace, boards);
        return { plans, told: { unmatchedAssignees, skippedRows, warnings } };
      });
    }),

  csvPreview: personalProcedure
    .meta({
      largeBody: true,
      openapi: {
        method: "POST",
        path: "/imports/csv/preview",
        tags,
        summary: "Preview a CSV file",
        description:
          "Reads the text of a file whose first row is a header: finds the delimiter unless it is given, counts the rows, and answers the first of them ready for `POST /imports/csv/boards`, with a guess at the columns. One apostrophe that our export put before a formula is taken off. Stores nothing.",
      },
    })
    .input(
      z.strictObject({
        csv: z.string().max(CSV_LENGTH_MAX),
        delimiter: z.enum(DELIMITERS).optional(),
        limit: z.int().min(1).max(ROWS_MAX).default(20),
      }),
    )
    .output(
      z.object({
        delimiter: z.enum(DELIMITERS),
        header: z.array(z.string()),
        rows: z.array(z.array(z.string())),
        rowCount: Amount,
        suggestedMapping: z.object(columns()).partial(),
      }),
    )
    .mutation(({ input }) => previewCsv(input.csv, input)),
};

/** The boards as they are to be written, and the assignees who are nobody here, in order of appearance. */
async function withPeople(on: Signed, workspace: WorkspaceAccess, boards: readonly PlannedBoard[]) {
  const memberOf = await membersOf(on, workspace);
  const membersIn = (assignees: readonly string[]) => [
    ...new Set(assignees.flatMap((person) => memberOf(person) ?? [])),
  ];
  const unmatched = new NameList();
  const inRowOrder = boards.flatMap(({ cards }) => cards).sort((a, b) => a.rowNumber - b.rowNumber);
  for (const person of inRowOrder.flatMap(({ assignees }) => assignees)) {
    if (memberOf(person) === null) unmatched.indexOf(person);
  }
  const plans = boards.map(({ name, lists, labels, cards }) => ({
    name,
    lists,
    labels: labels.map((label, index) => ({ name: label, colourCode: colourAt(index) })),
    cards: cards.map(({ assignees, checklist, ...card }) => ({
      ...card,
      memberIds: membersIn(assignees),
      checklists: checklist === null ? [] : [checklist],
    })),
  }));
  return { plans, unmatchedAssignees: unmatched.names };
}
