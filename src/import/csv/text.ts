// Reads the text of a CSV file into rows of cells, and guesses which column is which. A scan finds where rows end, so
// that rows nobody asked for cost no memory; csv-parse then reads the cells of those asked for.

import { parse } from "csv-parse/sync";
import { badRequest, Failure } from "../../api/errors.js";
import { CSV_COLUMNS } from "../../board/csvFile.js";
import { cutTo, type Mapping } from "./rows.js";

/** Most cells of a row that 4.2 takes. */
export const CELLS_MAX = 200;
/** Most code points of a cell that 4.2 takes. */
export const CELL_LENGTH_MAX = 20_000;

/** What may stand between two cells. */
export const DELIMITERS = [",", ";", "\t", "|"] as const;
const SAMPLE_ROWS = 200;
const SAMPLE_LENGTH = 1024 * 1024;
const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

export type Delimiter = (typeof DELIMITERS)[number];

/** A file's header row and the rows asked for, as ragged as they were; `rowCount` counts all rows, blank lines left out. */
export interface CsvPreview {
  delimiter: Delimiter;
  header: string[];
  rows: string[][];
  rowCount: number;
  suggestedMapping: Partial<Mapping>;
}

/**
 * Reads the header and the first `limit` rows, ready to be sent to 4.2; the rest is scanned for quotes and counted.
 * @throws BAD_REQUEST, saying where, when the text is empty or not text, a quoted cell does not end properly, or a row asked
 * for breaks the limits of 4.2.
 */
export function previewCsv(text: string, options: { delimiter?: Delimiter | undefined; limit: number }): CsvPreview {
  const source = readableText(text);
  const delimiter = options.delimiter ?? detectDelimiter(source);
  const { header, spans, rowCount } = scan(source, delimiter, options.limit);
  const wanted = [header, ...spans];
  for (const span of wanted) {
    if (span.cells > CELLS_MAX) {
      throw errorAt(source, span.start, `the row has ${span.cells} cells; at most ${CELLS_MAX} can be imported.`);
    }
  }

  const cells = cellsOf(source, wanted, delimiter);
  for (const [index, span] of wanted.entries()) {
    const column = (cells[index] ?? []).findIndex((cell) => cutTo(cell, CELL_LENGTH_MAX) !== cell);
    if (column !== -1) {
      const problem = `cell ${column + 1} is longer than ${CELL_LENGTH_MAX} characters; longer ones cannot be imported.`;
      throw errorAt(source, span.start, problem);
    }
  }
  const [names = [], ...rows] = cells;
  return { delimiter, header: names, rows, rowCount, suggestedMapping: suggestMapping(names) };
}

function readableText(text: string): string {
  const traces = ["\0", "\uFFFD"].map((trace) => text.indexOf(trace));
  // Searching a text for lone surrogates takes seconds, asking whether it has any does not.
  if (!text.isWellFormed()) traces.push(text.search(/\p{Surrogate}/u));
  const found = traces.filter((position) => position !== -1);
  if (found.length > 0) {
    throw errorAt(text, Math.min(...found), "this is not text in UTF-8; save the file as CSV in UTF-8.");
  }
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

const unreadable = (problem: string) => badRequest(problem, "csv");

/** Lines count from 1. */
function errorAt(source: string, position: number, problem: string): Failure {
  let line = 1;
  for (let index = 0; index < position; index += 1) {
    const code = source.charCodeAt(index);
    if (code === LF || (code === CR && source.charCodeAt(index + 1) !== LF)) line += 1;
  }
  return unreadable(`Line ${line}: ${problem}`);
}

/** Where a row lies in the text, its line break not included. */
interface RowSpan {
  start: number;
  end: number;
  cells: number;
}

function scan(
  source: string,
  delimiter: Delimiter,
  limit: number,
): { header: RowSpan; spans: RowSpan[]; rowCount: number } {
  let header: RowSpan | undefined;
  let rowCount = 0;
  const spans: RowSpan[] = [];
  for (let start = 0; start < source.length; ) {
    const span = rowAt(source, start, delimiter.charCodeAt(0));
    start = nextLine(source, span.end);
    if (isBlank(source, span)) continue;
    if (header === undefined) {
      header = span;
      continue;
    }
    rowCount += 1;
    if (rowCount <= limit) spans.push(span);
  }
  if (header === undefined) throw unreadable("The file is empty.");
  return { header, spans, rowCount };
}

function rowAt(source: string, start: number, delimiter: number): RowSpan {
  let end = cellEnd(source, start, delimiter);
  let cells = 1;
  while (source.charCodeAt(end) === delimiter) {
    end = cellEnd(source, end + 1, delimiter);
    cells += 1;
  }
  return { start, end, cells };
}

function cellEnd(source: string, start: number, delimiter: number): number {
  if (source.charCodeAt(start) === QUOTE) {
    const end = quotedEnd(source, start);
    const after = source.charCodeAt(end);
    if (end < source.length && after !== delimiter && after !== LF && after !== CR) {
      throw errorAt(source, end, "text follows the closing quote of a cell; a quote within a cell must be doubled.");
    }
    return end;
  }
  let end = start;
  for (; end < source.length; end += 1) {
    const code = source.charCodeAt(end);
    if (code === delimiter || code === LF || code === CR) break;
  }
  return end;
}

function quotedEnd(source: string, start: number): number {
  for (let position = start + 1; ; position += 2) {
    position = source.indexOf('"', position);
    if (position === -1) throw errorAt(source, start, "a quoted cell begins here and never ends.");
    if (source.charCodeAt(position + 1) !== QUOTE) return position + 1;
  }
}

function nextLine(source: string, end: number): number {
  return source.charCodeAt(end) === CR && source.charCodeAt(end + 1) === LF ? end + 2 : end + 1;
}

/** A line of white space alone is no row, even where tabs are the delimiter. */
function isBlank(source: string, { start, end }: RowSpan): boolean {
  return source.slice(start, end).trim() === "";
}

/** The scan has settled quotes and blank lines, so csv-parse finds exactly one record for each span. */
function cellsOf(source: string, spans: readonly RowSpan[], delimiter: Delimiter): string[][] {
  const rows = parse(spans.map(({ start, end }) => source.slice(start, end)).join("\n"), {
    delimiter,
    record_delimiter: "\n",
    relax_column_count: true,
    relax_quotes: true,
  });
  return rows.map((cells) => cells.map(withoutApostrophe));
}

/**
 * Takes off the one apostrophe that our export puts before what a spreadsheet would run as a formula; and before such a cell
 * with apostrophes of its own, which would lose one here.
 */
function withoutApostrophe(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

/** How the first rows look when cut at one delimiter. */
interface Trial {
  delimiter: Delimiter;
  headerCells: number;
  /** Share of the rows that have as many cells as the header. */
  agreement: number;
  broken: boolean;
}

/**
 * The delimiter that cuts header and rows alike. One that leaves the header whole, or every row but the header, is only
 * taken when all do: the file then has one column, and the text in it stays in one piece.
 */
function detectDelimiter(source: string): Delimiter {
  const trials = DELIMITERS.map((delimiter) => tryDelimiter(source, delimiter));
  const [best] = trials.sort(
    (a, b) =>
      Number(b.headerCells > 1) - Number(a.headerCells > 1) ||
      Number(a.broken) - Number(b.broken) ||
      b.agreement - a.agreement ||
      b.headerCells - a.headerCells,
  );
  return best?.delimiter ?? ",";
}

function tryDelimiter(source: string, delimiter: Delimiter): Trial {
  const counts: number[] = [];
  let broken = false;
  const sampleEnd = Math.min(source.length, SAMPLE_LENGTH);
  try {
    for (let start = 0; start < sampleEnd && counts.length <= SAMPLE_ROWS; ) {
      const span = rowAt(source, start, delimiter.charCodeAt(0));
      start = nextLine(source, span.end);
      if (!isBlank(source, span)) counts.push(span.cells);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    broken = true;
    // A quote left open in the header must not make the header look whole, and so be taken for text.
    if (counts.length === 0) counts.push(firstLine(source).split(delimiter).length);
  }

  const [first = 1, ...rest] = counts;
  const headerCells = rest.length > 0 && rest.every((count) => count === 1) ? 1 : first;
  const agreement = rest.length === 0 ? 1 : rest.filter((count) => count === first).length / rest.length;
  return { delimiter, headerCells, agreement, broken };
}

function firstLine(source: string): string {
  return /[^\r\n]+/.exec(source.slice(0, SAMPLE_LENGTH).trimStart())?.[0] ?? "";
}

// Names as Trello, Jira, Asana, Linear, GitHub, Planner, Notion, ClickUp, Todoist and the like write them, likeliest first.
const SYNONYMS: Record<keyof Mapping, string> = {
  title:
    "card name, card title, summary, name, task name, task title, issue title, issue name, task, card, issue, subject, item, item name, to do, story, content, heading",
  description:
    "card description, task description, issue description, desc, notes, note, body, details, task content, content, text",
  list: "list name, column, column name, section/column, section, section name, bucket name, bucket, lane, group, group name, status, state, stage, workflow state, phase",
  labels: "label, label names, tags, tag, categories, category",
  dueDate: "due, due on, due at, due by, deadline, target date, end date, date",
  assignee:
    "assignees, assigned to, assignee email, assignee name, assigned, assign, members, member, member names, owner, owners, responsible, person, people",
  checklist: "checklist items, checklists, subtasks, sub-tasks, subtask, checklist item, to-dos",
  checklistName: "checklist title, name of checklist",
  board: "board name, project, project name, projects",
};

const NOT_A_TITLE =
  "id ids key number no nr url link links date time at on by count total type priority email archived completed";

/**
 * Guesses columns from their names, without regard to case, accents or punctuation: the names of 4.2's keys first, then
 * what other tools call them, each column once. Without a title it is the first column left over that has a word for a name
 * and not one that ends as identifiers, links, dates, counts and the like do.
 */
export function suggestMapping(header: string[]): Partial<Mapping> {
  const names = header.map(plainName);
  const mapping: Partial<Mapping> = {};
  const used = new Set<number>();
  const assign = (key: keyof Mapping, column: number): void => {
    if (column === -1) return;
    mapping[key] = column;
    used.add(column);
  };
  const columnNamed = (name: string): number => names.findIndex((other, column) => other === name && !used.has(column));

  for (const key of CSV_COLUMNS) assign(key, columnNamed(key.toLowerCase()));
  for (const key of CSV_COLUMNS) {
    if (mapping[key] !== undefined) continue;
    const synonym = SYNONYMS[key]
      .split(", ")
      .map(plainName)
      .find((name) => columnNamed(name) !== -1);
    if (synonym !== undefined) assign(key, columnNamed(synonym));
  }
  if (mapping.title === undefined) {
    assign(
      "title",
      header.findIndex((name, column) => !used.has(column) && couldBeTitle(name)),
    );
  }
  return mapping;
}

function words(name: string): string[] {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "");
  return (
    plain
      .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function plainName(name: string): string {
  return words(name).join("");
}

function couldBeTitle(name: string): boolean {
  const last = words(name).at(-1);
  return last !== undefined && /\p{L}/u.test(last) && !NOT_A_TITLE.split(" ").includes(last);
}
