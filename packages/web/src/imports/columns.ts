// The meanings of a file's columns.

import type { RouterInputs, RouterOutputs } from "../client.js";

export type Preview = RouterOutputs["import"]["csvPreview"];
type CsvInput = RouterInputs["import"]["csv"];
export type Mapping = CsvInput["mapping"];
export type Meaning = keyof Mapping;

/** Every meaning, as they are offered; `true` for those that may have several columns. */
const MEANINGS = {
  title: false,
  description: true,
  list: false,
  labels: true,
  dueDate: false,
  assignee: true,
  checklist: true,
  checklistName: false,
  board: false,
  priority: false,
  completed: false,
} as const satisfies Record<Meaning, boolean>;

export const meanings = Object.keys(MEANINGS).filter((name): name is Meaning => name in MEANINGS);

/** The meaning of each column; null for one that is left out. */
export type Meanings = readonly (Meaning | null)[];

/** The most columns that the service reads. */
const COLUMNS_MAX = 200;

/** Whether a file may have more columns than the service reads. */
export const mayBeWider = (preview: Preview): boolean => widthOf(preview) === COLUMNS_MAX;

/** The number of columns of a file. */
export const widthOf = ({ header, rows }: Preview): number =>
  rows.reduce((width, row) => Math.max(width, row.length), header.length);

/** The meanings that the service suggests. */
export function suggested(preview: Preview): Meanings {
  const all = Array.from<unknown, Meaning | null>({ length: widthOf(preview) }, () => null);
  for (const meaning of meanings) {
    for (const column of [preview.suggestedMapping[meaning] ?? []].flat()) all[column] = meaning;
  }
  return all;
}

/** The meanings after one column got another: a meaning that only one column can have is taken from the others. */
export const withMeaning = (all: Meanings, column: number, meaning: Meaning | null): Meanings =>
  all.map((other, index) => {
    if (index === column) return meaning;
    return meaning !== null && other === meaning && !MEANINGS[meaning] ? null : other;
  });

/** The mapping that the service takes; null while no column is the title. */
export function mappingOf(all: Meanings): Mapping | null {
  const columnsOf = (meaning: Meaning) => all.flatMap((one, column) => (one === meaning ? column : []));
  const title = all.indexOf("title");
  if (title === -1) return null;
  const others = meanings.flatMap((meaning) => {
    const columns = columnsOf(meaning);
    if (meaning === "title" || columns.length === 0) return [];
    return [[meaning, MEANINGS[meaning] && columns.length > 1 ? columns : columns[0]] as const];
  });
  return { ...Object.fromEntries(others), title };
}
