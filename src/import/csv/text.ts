// Reads the text of a CSV file into rows of cells. A scan finds the ends of rows, so that rows outside of the page use no memory;
// csv-parse then reads the cells of the page.

import { parse } from "csv-parse/sync";
import { badRequest, Failure } from "../../api/errors.js";
import { isGuarded, isOwnHeader } from "../../board/csvFile.js";
import { looksLikeHeader, suggestFromCells, suggestMapping } from "./columns.js";
import { cutTo, type Mapping } from "./rows.js";

/** The maximum number of cells per row in 4.2. */
export const CELLS_MAX = 200;
/** The maximum number of code points per cell in 4.2. */
export const CELL_LENGTH_MAX = 20_000;

/** The possible separators of cells. */
export const DELIMITERS = [",", ";", "\t", "|"] as const;
const SAMPLE_ROWS = 200;
const SAMPLE_LENGTH = 1024 * 1024;
/** The number of rows that decide whether the first is a header. */
const GUESS_ROWS = 50;
/** The code points of a cell that a warning quotes. */
const WARNING_LENGTH = 200;
const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

export type Delimiter = (typeof DELIMITERS)[number];

/** A cell of a page that was cut; `rowNumber` counts the rows of the file without its header, from 1. */
interface CutCell {
  rowNumber: number;
  reason: "valueTruncated";
  value: string;
}

/** The header row and the rows of a page, in the form that 4.2 takes; `rowCount` counts all rows without blank lines. */
interface CsvPreview {
  delimiter: Delimiter;
  /** Empty where the file has none. */
  header: string[];
  rows: string[][];
  rowCount: number;
  suggestedMapping: Partial<Mapping>;
  warnings: CutCell[];
}

/** The part of a file to read; options that are left out are guessed. */
interface PreviewOptions {
  delimiter?: Delimiter | undefined;
  hasHeader?: boolean | undefined;
  /** The number of rows to skip at the beginning. */
  offset?: number;
  limit: number;
}

/** The position at which the rows of a text begin, and the separator of their cells. */
interface Source {
  text: string;
  start: number;
  delimiter: Delimiter;
}

/**
 * Reads the header and a page of rows in the form of 4.2; the rest is only scanned for quotes and counted. Rows and cells beyond the
 * limits of 4.2 are cut.
 * @throws BAD_REQUEST, naming the line, if the text is empty or not text, or a quoted cell does not end properly.
 */
export function previewCsv(csv: string, { limit, offset = 0, ...options }: PreviewOptions): CsvPreview {
  const text = readableText(csv);
  const directive = directiveOf(text);
  const start = directive?.end ?? 0;
  const delimiter = options.delimiter ?? directive?.delimiter ?? detectDelimiter(text, start);
  const source = { text, start, delimiter };

  const sample = cellsOf(source, sampleOf(source));
  const hasHeader = options.hasHeader ?? looksLikeHeader(sample);
  const [first = []] = sample;
  const isTodoist = hasHeader && TODOIST.every((name) => first.includes(name));
  const { header, spans, rowCount } = scan(source, { hasHeader, isTodoist, offset, limit });
  const [names = []] = cutCells(cellsOf(source, header), 0).rows;
  const suggestedMapping = hasHeader ? suggestMapping(names) : suggestFromCells(sample);
  const cells = cellsOf(source, spans);
  const written = isOwnHeader(first) ? cells.map((row) => row.map(withoutApostrophe)) : cells;
  const { rows, warnings } = cutCells(written, offset);
  return { delimiter, header: names, rows, rowCount, suggestedMapping, warnings };
}

const WORKBOOK = "PK\u0003\u0004";
const AS_CSV = "save the file as CSV in UTF-8.";
const NO_UTF8 = `this is not text in UTF-8; ${AS_CSV}`;

/** Characters that texts do not have, and the problem of a file that has them. */
const TRACES = [
  ["\0", `this is a NUL character, as in UTF-16 and in files that are not text; ${AS_CSV}`],
  ["\uFFFD", NO_UTF8],
] as const;

function readableText(text: string): string {
  if (text.startsWith(WORKBOOK)) throw errorAt(text, 0, `this is an Excel workbook, or another ZIP file; ${AS_CSV}`);
  const problems = TRACES.map(([trace, problem]) => ({ position: text.indexOf(trace), problem: problem as string }));
  // Searching a text for lone surrogates takes seconds; checking whether it has any does not.
  if (!text.isWellFormed()) problems.push({ position: text.search(/\p{Surrogate}/u), problem: NO_UTF8 });
  const [first] = problems.filter(({ position }) => position !== -1).sort((a, b) => a.position - b.position);
  if (first !== undefined) throw errorAt(text, first.position, first.problem);
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

const directiveExpression = /^"?sep=(.)"?[^\S\r\n]*(?:\r\n?|\n|$)/i;

/** The first line that declares the delimiter to Excel, and where it ends. */
function directiveOf(text: string): { delimiter: Delimiter | undefined; end: number } | null {
  const [line, sign] = directiveExpression.exec(text) ?? [];
  if (line === undefined) return null;
  return { delimiter: DELIMITERS.find((delimiter) => delimiter === sign), end: line.length };
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

/** The position of a row in the text, without its line break. `cellsEnd` is the end of the cells that 4.2 takes. */
interface RowSpan {
  start: number;
  end: number;
  cells: number;
  cellsEnd: number;
}

/** Every row but blank lines. */
function* rowsOf({ text, start, delimiter }: Source): Generator<RowSpan> {
  for (let position = start; position < text.length; ) {
    const span = rowAt(text, position, delimiter.charCodeAt(0));
    position = nextLine(text, span.end);
    if (!isBlank(text, span)) yield span;
  }
}

/** The first rows, as many as are useful for guessing. */
function sampleOf(source: Source): RowSpan[] {
  const spans: RowSpan[] = [];
  for (const span of rowsOf(source)) {
    if (spans.length === GUESS_ROWS || span.start > source.start + SAMPLE_LENGTH) break;
    if (span.cellsEnd - span.start <= SAMPLE_LENGTH) spans.push(span);
  }
  return spans;
}

/** Columns that together only files of Todoist have. */
const TODOIST = ["TYPE", "CONTENT", "PRIORITY", "INDENT"];
const notTaskExpression = /^"?(?:section|meta)"?[,;\t|]|^"?task"?[,;\t|]"?view_style=/;
const NOT_TASK_LENGTH = 50;

/** Whether a row of Todoist is a section, or about the view. Like a directive, it is not counted as a row. */
const isNotTask = ({ text }: Source, { start }: RowSpan) =>
  notTaskExpression.test(text.slice(start, start + NOT_TASK_LENGTH));

interface ScannedPage {
  hasHeader: boolean;
  isTodoist: boolean;
  offset: number;
  limit: number;
}

function scan(source: Source, page: ScannedPage) {
  const header: RowSpan[] = [];
  const spans: RowSpan[] = [];
  let rowCount = 0;
  for (const span of rowsOf(source)) {
    if (page.hasHeader && header.length === 0) {
      header.push(span);
      continue;
    }
    if (page.isTodoist && isNotTask(source, span)) continue;
    rowCount += 1;
    if (rowCount > page.offset && spans.length < page.limit) spans.push(span);
  }
  if (header.length === 0 && rowCount === 0) throw unreadable("The file is empty.");
  return { header, spans, rowCount };
}

function rowAt(source: string, start: number, delimiter: number): RowSpan {
  let end = cellEnd(source, start, delimiter);
  let cellsEnd = end;
  let cells = 1;
  while (source.charCodeAt(end) === delimiter) {
    end = cellEnd(source, end + 1, delimiter);
    cells += 1;
    if (cells <= CELLS_MAX) cellsEnd = end;
  }
  return { start, end, cells, cellsEnd };
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

/** A line of only white space is not a row, even if tabs are the delimiter. */
function isBlank(source: string, { start, end }: RowSpan): boolean {
  return source.slice(start, end).trim() === "";
}

/** Cells with the length that 4.2 takes, and a warning for each that was longer. `before` is the number of rows before them. */
function cutCells(rows: readonly (readonly string[])[], before: number) {
  const warnings: CutCell[] = [];
  const cut = rows.map((cells, index) =>
    cells.map((cell) => {
      const head = cutTo(cell, CELL_LENGTH_MAX);
      if (head.length < cell.length) {
        warnings.push({
          rowNumber: before + index + 1,
          reason: "valueTruncated",
          value: cutTo(cell, WARNING_LENGTH),
        });
      }
      return head;
    }),
  );
  return { rows: cut, warnings };
}

/**
 * The cells of rows, at most as many as 4.2 takes. The scan has resolved quotes and blank lines, so csv-parse finds exactly one
 * record per span.
 */
function cellsOf({ text, delimiter }: Source, spans: readonly RowSpan[]): string[][] {
  return parse(spans.map(({ start, cellsEnd }) => text.slice(start, cellsEnd)).join("\n"), {
    delimiter,
    record_delimiter: "\n",
    relax_column_count: true,
    relax_quotes: true,
  });
}

/** Removes the apostrophe that an export puts in front. */
function withoutApostrophe(cell: string): string {
  return cell.startsWith("'") && isGuarded(cell.slice(1)) ? cell.slice(1) : cell;
}

/** The shape of the first rows when split at one delimiter. */
interface Trial {
  delimiter: Delimiter;
  headerCells: number;
  /** The share of rows with as many cells as the header. */
  agreement: number;
  broken: boolean;
}

/**
 * The delimiter that splits the header and the rows alike. One that does not split the header, or no row but the header, is only
 * used if this is true of all: the file then has one column, whose text stays in one piece.
 */
function detectDelimiter(text: string, start: number): Delimiter {
  const trials = DELIMITERS.map((delimiter) => tryDelimiter({ text, start, delimiter }));
  const [best] = trials.sort(
    (a, b) =>
      Number(b.headerCells > 1) - Number(a.headerCells > 1) ||
      Number(a.broken) - Number(b.broken) ||
      b.agreement - a.agreement ||
      b.headerCells - a.headerCells,
  );
  return best?.delimiter ?? ",";
}

function tryDelimiter(source: Source): Trial {
  const { text, start, delimiter } = source;
  const counts: number[] = [];
  let broken = false;
  const sampleEnd = Math.min(text.length, start + SAMPLE_LENGTH);
  try {
    for (const span of rowsOf(source)) {
      if (span.start >= sampleEnd || counts.length > SAMPLE_ROWS) break;
      counts.push(span.cells);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    broken = true;
    // An unclosed quote in the header must not make the header look unsplit, and so be read as text.
    if (counts.length === 0) counts.push(firstLine(text, start).split(delimiter).length);
  }

  const [first = 1, ...rest] = counts;
  const headerCells = rest.length > 0 && rest.every((count) => count === 1) ? 1 : first;
  const agreement = rest.length === 0 ? 1 : rest.filter((count) => count === first).length / rest.length;
  return { delimiter, headerCells, agreement, broken };
}

function firstLine(text: string, start: number): string {
  return /[^\r\n]+/.exec(text.slice(start, start + SAMPLE_LENGTH).trimStart())?.[0] ?? "";
}
