// Guesses the meaning of the columns of a CSV file from their names, or without a header from their cells.

import { CSV_COLUMNS } from "../../board/csvFile.js";
import { readDueDate } from "./dates.js";
import { plainName, words } from "./plainNames.js";
import type { Mapping } from "./rows.js";
import { synonymsOf } from "./synonyms.js";
import { completionNamed } from "./valueWords.js";

const OTHERS =
  "id ids key number no nr url link links date time at on by count total type priority email archived completed";
const NOT_A_TITLE = new Set(OTHERS.split(" "));

/** Normalized names, the likeliest first, by the column that they mean. */
const NAMES = CSV_COLUMNS.map((key) => [key, synonymsOf(key).map(plainName)] as const);
/** The names by which a header is recognized. `Done` is none of them, because it is a value too. */
const KNOWN = new Set(
  [...CSV_COLUMNS.map(plainName), ...NAMES.flatMap(([, names]) => names)].filter(
    (name) => completionNamed(name) === null,
  ),
);

/** The meanings that may have several columns. */
const SEVERAL = ["description", "labels", "assignee", "checklist"] as const;
const isSeveral = (key: keyof Mapping): key is (typeof SEVERAL)[number] => SEVERAL.some((name) => name === key);

/**
 * Guesses columns from their names, regardless of case, accents and punctuation: first the keys of 4.2, then the names in other
 * tools, each column once. Columns with the same name belong together if the key allows several. Without a title column, it is the
 * first remaining one whose name is a word and does not end like identifiers, links, dates or counts.
 */
export function suggestMapping(header: readonly string[]): Partial<Mapping> {
  const names = header.map(plainName);
  const mapping: Partial<Mapping> = {};
  const used = new Set<number>();
  const columnsNamed = (name: string): number[] =>
    names.flatMap((other, column) => (other === name && !used.has(column) ? column : []));
  const assign = (key: keyof Mapping, columns: readonly number[]): void => {
    const [first] = columns;
    if (first === undefined) return;
    if (isSeveral(key) && columns.length > 1) mapping[key] = [...columns];
    else mapping[key] = first;
    for (const column of isSeveral(key) ? columns : [first]) used.add(column);
  };

  for (const key of CSV_COLUMNS) assign(key, columnsNamed(plainName(key)));
  for (const [key, synonyms] of NAMES) {
    if (mapping[key] !== undefined) continue;
    const synonym = synonyms.find((name) => columnsNamed(name).length > 0);
    if (synonym !== undefined) assign(key, columnsNamed(synonym));
  }
  if (mapping.title === undefined) {
    const column = header.findIndex((name, index) => !used.has(index) && couldBeTitle(name));
    if (column !== -1) assign("title", [column]);
  }
  return mapping;
}

const NUMBER = /^[+-]?\d+(?:[.,]\d+)*%?$/;
const ADDRESS = /^(?:https?:\/\/\S+|[^\s@]+@[^\s@]+\.[^\s@]+)$/i;

const isDate = (cell: string) => !("problem" in readDueDate(cell)) || /^\d{1,2}\/\d{1,2}\/\d{4}$/.test(cell.trim());

/** Whether a cell contains a value that no column is named like. */
function isData(cell: string): boolean {
  const text = cell.trim();
  return NUMBER.test(text) || ADDRESS.test(text) || text.length > 200 || isDate(text);
}

const isDataAll = (cells: readonly string[]) => cells.length > 0 && cells.every(isData);

/**
 * Whether the first row is a header. It is if known names outnumber cells that only data contains. If there are neither, it is
 * unless one of its cells recurs below in its column, or a column has only dates or numbers below it.
 */
export function looksLikeHeader([first = [], ...rows]: readonly (readonly string[])[]): boolean {
  const known = first.filter((cell) => KNOWN.has(plainName(cell))).length;
  const data = first.filter(isData).length;
  if (known > 0 || data > 0) return known > data;
  const below = (column: number) => rows.flatMap((row) => row[column]?.trim() || []);
  if (first.some((_, column) => isDataAll(below(column)))) return true;
  return !first.some((cell, column) => cell.trim() !== "" && below(column).includes(cell.trim()));
}

/** Guesses the columns of a file without a header: dates are due dates, and the first column of words is the title. */
export function suggestFromCells(rows: readonly (readonly string[])[]): Partial<Mapping> {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const columns = Array.from({ length: width }, (_, column) => rows.flatMap((row) => row[column]?.trim() || []));
  const mapping: Partial<Mapping> = {};
  const title = columns.findIndex((cells) => cells.length > 0 && !cells.some(isData));
  if (title !== -1) mapping.title = title;
  const dueDate = columns.findIndex((cells) => cells.length > 0 && cells.every(isDate));
  if (dueDate !== -1) mapping.dueDate = dueDate;
  return mapping;
}

function couldBeTitle(name: string): boolean {
  const last = words(name).at(-1);
  return last !== undefined && /\p{L}/u.test(last) && !NOT_A_TITLE.has(last);
}
