// Turns rows of cells into a plan of boards, lists, labels and cards (contract, "4.2 columns"). It does not use the database:
// identifiers, colours and members are added when the plan is written.

import type { z } from "zod";
import { badRequest } from "../../api/errors.js";
import { LENGTHS, type Priority } from "../../api/shapes.js";
import { FILE_LIMITS } from "../../board/file.js";
import { isDay } from "../../db/instants.js";
import { NameList } from "../nameList.js";
import { sum } from "../plans.js";
import { itemsIn, type PlannedItem } from "./checklists.js";
import { type DayOrder, dayOrderOf, readDueDate } from "./dates.js";
import { type NameGroup, nameGroupsIn, namesIn } from "./names.js";
import { completionNamed, priorityNamed } from "./valueWords.js";

const DEFAULT_CHECKLIST_NAME = "Checklist";
const { labels, labelled, assigned, items } = FILE_LIMITS;

/** The maximum totals of one import, because 40 MB of cells could name 20 million of each. */
export const IMPORT_LIMITS = { labels, labelled, assigned, items };

/** One column, or several with the same meaning. */
type Columns = number | number[];

/** Zero-based indexes of the columns in a row (4.2). */
export interface Mapping {
  title: number;
  description?: Columns | undefined;
  list?: number | undefined;
  labels?: Columns | undefined;
  dueDate?: number | undefined;
  assignee?: Columns | undefined;
  checklist?: Columns | undefined;
  checklistName?: number | undefined;
  board?: number | undefined;
  priority?: number | undefined;
  completed?: number | undefined;
}

/** A note about a row: `rowNumber` counts from 1, `value` is the cell's text. */
interface RowNote<Reason extends string> {
  rowNumber: number;
  reason: Reason;
  value: string;
}

/** The reasons why a row creates no card. */
export const SKIP_REASONS = ["emptyRow", "missingTitle"] as const;
type SkipReason = (typeof SKIP_REASONS)[number];
/** The reasons why a card differs from its row. */
export const WARNING_REASONS = [
  "titleTruncated",
  "valueTruncated",
  "ambiguousDate",
  "invalidDate",
  "invalidValue",
] as const;
type WarningReason = (typeof WARNING_REASONS)[number];

/** The people in a cell: the whole text may be a name, and so may its parts. */
export interface Assignees {
  whole: string;
  groups: NameGroup[];
}

/** The card of one row; its lists and labels belong to the board that it is planned on. */
interface PlannedCard {
  rowNumber: number;
  title: string;
  description: string;
  /** Index in the board's `lists`. */
  listIndex: number;
  /** Indexes in the board's `labels`, each once. */
  labelIndexes: number[];
  dueDate: string | null;
  /** One for each cell that is not empty. */
  assignees: Assignees[];
  checklist: { name: string; items: PlannedItem[] } | null;
  priority: z.output<typeof Priority>;
  completedAt: string | null;
}

/** A board with its lists, labels and cards in order of appearance. */
export interface PlannedBoard {
  name: string;
  lists: string[];
  labels: string[];
  cards: PlannedCard[];
}

/** The plan of the rows. The board `boardName` comes first; it is left out if all cards go to other boards. */
interface ImportedBoards {
  boards: PlannedBoard[];
  skippedRows: RowNote<SkipReason>[];
  warnings: RowNote<WarningReason>[];
}

/** The first `limit` code points of the text; the same string if it is not longer. */
export function cutTo(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (let count = 0; count < limit && end < text.length; count += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

class BoardPlan {
  readonly lists = new NameList();
  readonly labels = new NameList();
  readonly cards: PlannedCard[] = [];
}

/** The columns of each meaning, each once. */
type MappedColumns = ReadonlyMap<string, readonly number[]>;

function columnsOf(mapping: Mapping): MappedColumns {
  const entries = Object.entries<Columns | undefined>({ ...mapping });
  return new Map(entries.map(([key, columns]) => [key, [...new Set([columns ?? []].flat())]]));
}

/** One row, read with its mapping; collects notes about it. */
class Row {
  constructor(
    readonly rowNumber: number,
    private readonly cells: readonly string[],
    private readonly columns: MappedColumns,
    private readonly warnings: RowNote<WarningReason>[],
  ) {}

  cell(key: keyof Mapping): string {
    return this.cellsOf(key)[0] ?? "";
  }

  /** The cells of all columns with one meaning. */
  cellsOf(key: keyof Mapping): string[] {
    return (this.columns.get(key) ?? []).map((column) => this.cells[column] ?? "");
  }

  isBlank(): boolean {
    return this.cells.every((cell) => cell.trim() === "");
  }

  warn(reason: WarningReason, value: string): void {
    this.warnings.push({ rowNumber: this.rowNumber, reason, value });
  }

  /** Shortens each text to the limit; one warning per cell, however many were too long. */
  cutAll(texts: readonly string[], limit: number, cell: string): string[] {
    let shortened = false;
    const cut = texts.map((text) => {
      const head = cutTo(text, limit);
      if (head.length === text.length) return text;
      shortened = true;
      return head.trimEnd();
    });
    if (shortened) this.warn("valueTruncated", cell);
    return cut;
  }

  name(key: keyof Mapping, fallback: string): string {
    const cell = this.cell(key);
    const [name = fallback] = this.cutAll([cell.trim() || fallback], LENGTHS.name, cell);
    return name;
  }
}

/** Counts the contents of the cards. */
class Tally {
  private readonly counts = { labels: 0, labelled: 0, assigned: 0, items: 0 };

  add(card: PlannedCard, newLabels: number): void {
    this.counts.labels += newLabels;
    this.counts.labelled += card.labelIndexes.length;
    this.counts.assigned += sum(card.assignees, ({ groups }) => sum(groups, ({ names }) => names.length));
    this.counts.items += card.checklist?.items.length ?? 0;
    this.check("labels", "different labels");
    this.check("labelled", "labels on cards");
    this.check("assigned", "assignees on cards");
    this.check("items", "checklist items");
  }

  private check(part: keyof typeof IMPORT_LIMITS, name: string): void {
    const limit = IMPORT_LIMITS[part];
    if (this.counts[part] > limit) throw badRequest(`An import can have at most ${limit} ${name}`, "rows");
  }
}

/**
 * Reads rows as 4.2 defines, in time linear in their text. The caller has checked rows, columns and names, trimmed the names, and
 * refused NUL and lone surrogates.
 * @throws BAD_REQUEST if they exceed {@link IMPORT_LIMITS}.
 */
export function interpretRows(
  rows: readonly (readonly string[])[],
  options: { mapping: Mapping; boardName: string; defaultListName: string; now?: string },
): ImportedBoards {
  const skippedRows: RowNote<SkipReason>[] = [];
  const warnings: RowNote<WarningReason>[] = [];
  const boardNames = new NameList();
  const plans: BoardPlan[] = [];
  const tally = new Tally();
  const planFor = (name: string): BoardPlan => {
    const index = boardNames.indexOf(name);
    const plan = plans[index] ?? new BoardPlan();
    plans[index] = plan;
    return plan;
  };
  const home = planFor(options.boardName);
  const { mapping, defaultListName, now = new Date().toISOString() } = options;
  const cardOptions = { defaultListName, now, ...columnForms(rows, mapping) };

  const columns = columnsOf(mapping);
  for (const [index, cells] of rows.entries()) {
    const row = new Row(index + 1, cells, columns, warnings);
    if (row.cell("title").trim() === "") {
      skippedRows.push({ rowNumber: index + 1, reason: row.isBlank() ? "emptyRow" : "missingTitle", value: "" });
      continue;
    }
    const plan = planFor(row.name("board", options.boardName));
    const known = plan.labels.names.length;
    const card = readCard(row, plan, cardOptions);
    tally.add(card, plan.labels.names.length - known);
    plan.cards.push(card);
  }

  const boards = plans.map((plan, index) => ({
    name: boardNames.names[index] ?? options.boardName,
    lists: plan.lists.names,
    labels: plan.labels.names,
    cards: plan.cards,
  }));
  const isHomeUsed = home.cards.length > 0 || boards.length === 1;
  return { boards: isHomeUsed ? boards : boards.slice(1), skippedRows, warnings };
}

/** The forms of values that the cells of a column have in common. */
interface ColumnForms {
  dayOrder: DayOrder | null;
  completedOrder: DayOrder | null;
  /** Whether at least one cell of the column is known. If none is, each of them is worth a warning. */
  knowsPriorities: boolean;
  knowsCompletion: boolean;
}

interface CardOptions extends ColumnForms {
  defaultListName: string;
  /** The time at which cards are completed whose rows say no other. */
  now: string;
}

function columnForms(rows: readonly (readonly string[])[], mapping: Mapping): ColumnForms {
  const cellsOf = (column: number | undefined) =>
    column === undefined ? [] : rows.map((cells) => cells[column] ?? "");
  const completed = cellsOf(mapping.completed);
  return {
    dayOrder: dayOrderOf(cellsOf(mapping.dueDate)),
    completedOrder: dayOrderOf(completed),
    knowsPriorities: cellsOf(mapping.priority).some((cell) => priorityNamed(cell) !== null),
    knowsCompletion: completed.some((cell) => completionNamed(cell) !== null || isDate(cell)),
  };
}

const isDate = (cell: string) => {
  const date = readDueDate(cell);
  return "dueDate" in date || date.problem === "ambiguousDate";
};

function readCard(row: Row, plan: BoardPlan, options: CardOptions): PlannedCard {
  const text = readText(row);
  return {
    rowNumber: row.rowNumber,
    listIndex: plan.lists.indexOf(row.name("list", options.defaultListName)),
    labelIndexes: readLabels(row, plan.labels),
    dueDate: readDue(row, options.dayOrder),
    assignees: readAssignees(row),
    checklist: readChecklist(row),
    priority: readPriority(row, options),
    completedAt: readCompletion(row, options),
    ...text,
  };
}

/** The whole of a title that is too long is put at the start of the description, before a blank line. */
function readText(row: Row): { title: string; description: string } {
  const cell = row.cell("title");
  const whole = cell.trim();
  const title = cutTo(whole, LENGTHS.title);
  const cells = row.cellsOf("description");
  const written = cells.length === 1 ? cells : cells.filter((text) => text.trim() !== "");
  const parts = written.filter((text) => text !== "");
  if (title.length < whole.length) {
    row.warn("titleTruncated", cell);
    parts.unshift(whole);
  }

  const description = parts.join("\n\n");
  const cut = cutTo(description, LENGTHS.description);
  if (cut.length < description.length) row.warn("valueTruncated", written.join("\n\n"));
  return { title: title.trimEnd(), description: cut };
}

function readLabels(row: Row, labels: NameList): number[] {
  const names = row.cellsOf("labels").flatMap((cell) => row.cutAll(namesIn(cell), LENGTHS.label, cell));
  return [...new Set(names.map((name) => labels.indexOf(name)))];
}

const readAssignees = (row: Row): Assignees[] =>
  row
    .cellsOf("assignee")
    .map((cell) => ({ whole: cell.trim(), groups: nameGroupsIn(cell) }))
    .filter(({ groups }) => groups.length > 0);

function readDue(row: Row, order: DayOrder | null): string | null {
  const cell = row.cell("dueDate");
  if (cell.trim() === "") return null;
  const due = readDueDate(cell, order);
  if ("dueDate" in due) return due.dueDate;
  row.warn(due.problem, cell);
  return null;
}

function readPriority(row: Row, { knowsPriorities }: CardOptions): PlannedCard["priority"] {
  const cell = row.cell("priority");
  if (cell.trim() !== "" && !knowsPriorities) row.warn("invalidValue", cell);
  return priorityNamed(cell) ?? "none";
}

/** A date, or a word for being done; any other text means open. A date that is ambiguous still says that the card is completed. */
function readCompletion(row: Row, { completedOrder, knowsCompletion, now }: CardOptions): string | null {
  const cell = row.cell("completed");
  if (cell.trim() === "") return null;
  const word = completionNamed(cell);
  if (word !== null) return word === "done" ? now : null;
  const date = readDueDate(cell, completedOrder);
  if ("dueDate" in date) return isDay(date.dueDate) ? `${date.dueDate}T00:00:00.000Z` : date.dueDate;
  if (date.problem === "ambiguousDate") {
    row.warn("ambiguousDate", cell);
    return now;
  }
  if (!knowsCompletion) row.warn("invalidValue", cell);
  return null;
}

function readChecklist(row: Row): PlannedCard["checklist"] {
  const items = row.cellsOf("checklist").flatMap((cell) => readItems(row, cell));
  return items.length === 0 ? null : { name: row.name("checklistName", DEFAULT_CHECKLIST_NAME), items };
}

function readItems(row: Row, cell: string): PlannedItem[] {
  const items = itemsIn(cell);
  const whole = items.map(({ title }) => title);
  const titles = row.cutAll(whole, LENGTHS.item, cell);
  return items.map((item, index) => ({ ...item, title: titles[index] ?? item.title }));
}
