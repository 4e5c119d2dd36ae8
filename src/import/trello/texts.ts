// Shortens texts of Trello's export to the limits here, and reports it.

import { readInstant } from "../../db/instants.js";
import { cutTo } from "../csv/rows.js";
import type { FileNotes } from "../imported.js";

/** The position of a text's card, 0 for the board itself. */
export interface Noting {
  notes: FileNotes;
  rowNumber: number;
}

/** A text shortened to a number of code points. */
export function fitted({ notes, rowNumber }: Noting, text: string, limit: number): string {
  const head = cutTo(text, limit);
  if (head.length < text.length) notes.add(rowNumber, "valueTruncated", text);
  return head;
}

/** A name, trimmed and shortened; `fallback` if it is empty. */
export function named(noting: Noting, name: string, limit: number, fallback: string): string {
  const trimmed = name.trim();
  if (trimmed !== "") return fitted(noting, trimmed, limit).trimEnd();
  noting.notes.add(noting.rowNumber, "missingName", fallback);
  return fallback;
}

/** An instant; null if there is none, or if it cannot be read, which is reported. */
export function instantOf({ notes, rowNumber }: Noting, text: string | null | undefined): string | null {
  if (text === null || text === undefined || text === "") return null;
  const instant = readInstant(text);
  if (instant === null) notes.add(rowNumber, "invalidDate", text);
  return instant;
}

const OBJECT_ID = /^[0-9a-f]{24}$/i;
/** Trello began in 2011: identifiers with an earlier time are not Trello's. */
const FIRST_MS = Date.UTC(2011, 0, 1);

/** The creation time of an object: Trello's identifiers begin with the second. Null for other identifiers. */
export function madeAt(id: string): string | null {
  if (!OBJECT_ID.test(id)) return null;
  const ms = Number.parseInt(id.slice(0, 8), 16) * 1000;
  return ms >= FIRST_MS && ms <= Date.now() ? new Date(ms).toISOString() : null;
}

/** Siblings sorted by `pos`; those without one keep their order. */
export const byPosition = <T extends { pos?: number | null | undefined }>(siblings: readonly T[]): T[] =>
  [...siblings].sort((a, b) => (a.pos ?? 0) - (b.pos ?? 0));
