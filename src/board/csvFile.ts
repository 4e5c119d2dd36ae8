// The open cards of a board as CSV (contract section 2, Files out), in the form that the preview and the import of CSV read.

import { dayOf } from "../db/instants.js";
import type { BoardFile, FileCard } from "./file.js";

/** The keys of an import's mapping, in the order of the columns: first the nine of 4.2. */
export const CSV_COLUMNS = [
  "title",
  "description",
  "list",
  "labels",
  "dueDate",
  "assignee",
  "checklist",
  "checklistName",
  "board",
  "priority",
  "completed",
] as const;
const COLUMNS_OF_FIRST_FILES = 9;

/** Whether a header is that of an export, of this version or of an earlier one, which has the first columns alone. */
export const isOwnHeader = (names: readonly string[]): boolean =>
  CSV_COLUMNS.slice(0, COLUMNS_OF_FIRST_FILES).every((key, column) => names[column] === key);

const BOM = "\uFEFF";

const FORMULA = /^'*[=+\-@＝\t\r]|;[=+\-@＝\t\r]/;

/**
 * Whether an export puts an apostrophe before a cell: a spreadsheet would run the cell as a formula, or a part of it if semicolons
 * separate its cells. Apostrophes of its own before a formula do not count, because the preview removes one.
 */
export const isGuarded = (cell: string): boolean => FORMULA.test(cell);

const guarded = (cell: string) => (isGuarded(cell) ? `'${cell}` : cell);

const inQuotes = (text: string) => `"${text.replaceAll('"', '""')}"`;

const quoted = (cell: string) => (/[",;|\t\r\n]|^\s|\s$/.test(cell) ? inQuotes(cell) : cell);

const rowOf = (cells: readonly string[]) => `${cells.map((cell) => quoted(guarded(cell))).join(",")}\r\n`;

/** A day is a bare date, which an import reads as a day. */
function dueOf({ dueDate, dueHasTime }: FileCard): string {
  if (dueDate === null) return "";
  return dueHasTime ? dueDate : dayOf(dueDate);
}

/** Names in one cell; a name that an import would split, or read as quoted, is put in quotes. */
const namesOf = (names: readonly string[]) =>
  names.map((name) => (/[,;|]|^"/.test(name) ? inQuotes(name) : name)).join(", ");

/** The items of all checklists, one per line. An item that an import would split, or read as quoted, is put in quotes. */
function itemsOf({ checklists }: FileCard): string {
  const items = checklists.flatMap((checklist) => checklist.items);
  const parting = items.length === 1 ? /[\r\n;]|^"/ : /[\r\n]|^"/;
  return items
    .map(({ title, completed }) => `[${completed ? "x" : " "}] ${parting.test(title) ? inQuotes(title) : title}`)
    .join("\n");
}

/** The CSV of a board's open cards: RFC 4180, with a byte order mark, by which spreadsheets recognize UTF-8. */
export function csvOf({ lists, labels, people, cards }: BoardFile): string {
  const listNames = new Map(lists.map(({ publicId, name }) => [publicId, name]));
  const labelNames = new Map(labels.map(({ publicId, name }) => [publicId, name]));
  const personNames = new Map(people.map(({ publicId, name, email }) => [publicId, email ?? name]));
  const joined = (names: Map<string, string>, ids: readonly string[]) =>
    namesOf(ids.flatMap((id) => names.get(id) ?? []));
  const rows = cards
    .filter(({ archivedAt }) => archivedAt === null)
    .map((card) => {
      const cells: Record<(typeof CSV_COLUMNS)[number], string> = {
        title: card.title,
        description: card.description,
        list: listNames.get(card.listPublicId ?? "") ?? "",
        labels: joined(labelNames, card.labelPublicIds),
        dueDate: dueOf(card),
        assignee: joined(personNames, card.memberPublicIds),
        checklist: itemsOf(card),
        checklistName: card.checklists.find(({ items }) => items.length > 0)?.name ?? "",
        board: "",
        priority: card.priority,
        completed: card.completedAt ?? "",
      };
      return rowOf(CSV_COLUMNS.map((key) => cells[key]));
    });
  return BOM + rowOf(CSV_COLUMNS) + rows.join("");
}
