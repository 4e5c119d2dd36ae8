// Guesses what the columns of a CSV file hold, from their names, or where it has no header from their cells.

import { CSV_COLUMNS } from "../../board/csvFile.js";
import { readDueDate } from "./dates.js";
import type { Mapping } from "./rows.js";
import { synonymsOf } from "./synonyms.js";

const NOT_A_TITLE = new Set(
  "id ids key number no nr url link links date time at on by count total type priority email archived completed".split(
    " ",
  ),
);

/** Names in their plain form, likeliest first, by the column that they mean. */
const NAMES = CSV_COLUMNS.map((key) => [key, synonymsOf(key).map(plainName)] as const);
const KNOWN = new Set([...CSV_COLUMNS.map(plainName), ...NAMES.flatMap(([, names]) => names)]);

/** What may be mapped to several columns. */
const SEVERAL = ["description", "labels", "assignee", "checklist"] as const;
const isSeveral = (key: keyof Mapping): key is (typeof SEVERAL)[number] => SEVERAL.some((name) => name === key);

/**
 * Guesses columns from their names, without regard to case, accents or punctuation: the names of 4.2's keys first, then what
 * other tools call them, each column once. Columns of the very same name belong together where the key takes several. Without a
 * title it is the first column left over that has a word for a name and not one that ends as identifiers, links, dates,
 * counts and the like do.
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

/** Whether a cell holds what no name of a column looks like. */
function isData(cell: string): boolean {
  const text = cell.trim();
  return NUMBER.test(text) || ADDRESS.test(text) || text.length > 200 || isDate(text);
}

const isDataAll = (cells: readonly string[]) => cells.length > 0 && cells.every(isData);

/**
 * Whether the first row names columns. It does where known names outnumber cells that only data has; with neither, unless one of
 * its cells stands again in the same column below, or a column holds dates or numbers everywhere below it.
 */
export function looksLikeHeader([first = [], ...rows]: readonly (readonly string[])[]): boolean {
  const known = first.filter((cell) => KNOWN.has(plainName(cell))).length;
  const data = first.filter(isData).length;
  if (known > 0 || data > 0) return known > data;
  const below = (column: number) => rows.flatMap((row) => row[column]?.trim() || []);
  if (first.some((_, column) => isDataAll(below(column)))) return true;
  return !first.some((cell, column) => cell.trim() !== "" && below(column).includes(cell.trim()));
}

/** Guesses columns of a file without a header: dates are due dates, and the first column of words is the title. */
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
  return last !== undefined && /\p{L}/u.test(last) && !NOT_A_TITLE.has(last);
}
