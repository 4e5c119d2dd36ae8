// The open cards of a board as CSV (contract section 2, Files out), in the form that the preview and import of CSV read.

import type { BoardFile, FileCard } from "./file.js";

/** The keys of 4.2, in the order in which a file has them. */
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
] as const;
const BOM = "\uFEFF";
const MIDNIGHT = "T00:00:00.000Z";

/**
 * A cell that a spreadsheet would run as a formula gets an apostrophe. So does one that has such a beginning behind apostrophes
 * of its own, because the preview takes one off there too.
 */
const guarded = (cell: string) => (/^'*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);

const quoted = (cell: string) => (/[",;|\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const rowOf = (cells: readonly string[]) => `${cells.map((cell) => quoted(guarded(cell))).join(",")}\r\n`;

/** A day where the time is midnight UTC, which an import reads as the same instant. */
const dueOf = (dueDate: string | null) => dueDate?.replace(MIDNIGHT, "") ?? "";

/** The items of all checklists, one a line and without breaks. One alone gets an empty line before it where semicolons would part it. */
function itemsOf({ checklists }: FileCard): string {
  const lines = checklists
    .flatMap(({ items }) => items)
    .map(({ title, completed }) => `[${completed ? "x" : " "}] ${title.replace(/\s*[\r\n]+\s*/g, " ")}`);
  return lines.length === 1 && lines[0]?.includes(";") ? `[ ]\n${lines[0]}` : lines.join("\n");
}

/** The CSV of a board's open cards: RFC 4180, with a byte order mark, which is how spreadsheets know UTF-8. */
export function csvOf({ lists, labels, people, cards }: BoardFile): string {
  const listNames = new Map(lists.map(({ publicId, name }) => [publicId, name]));
  const labelNames = new Map(labels.map(({ publicId, name }) => [publicId, name]));
  const personNames = new Map(people.map(({ publicId, name, email }) => [publicId, email ?? name]));
  const joined = (names: Map<string, string>, ids: readonly string[]) => ids.map((id) => names.get(id)).join(", ");
  const rows = cards
    .filter(({ archivedAt }) => archivedAt === null)
    .map((card) => {
      const cells: Record<(typeof CSV_COLUMNS)[number], string> = {
        title: card.title,
        description: card.description,
        list: listNames.get(card.listPublicId ?? "") ?? "",
        labels: joined(labelNames, card.labelPublicIds),
        dueDate: dueOf(card.dueDate),
        assignee: joined(personNames, card.memberPublicIds),
        checklist: itemsOf(card),
        checklistName: card.checklists.find(({ items }) => items.length > 0)?.name ?? "",
        board: "",
      };
      return rowOf(CSV_COLUMNS.map((key) => cells[key]));
    });
  return BOM + rowOf(CSV_COLUMNS) + rows.join("");
}
