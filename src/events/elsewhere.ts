// Events that name another board than their own: the board that a card moved to or came from, and the board that was copied. Readers who
// do not see that board get them without the field that names it.

import { sql } from "drizzle-orm";
import { type BoardReader, boardsSeenBy, seesAllBoards } from "../access/boardVisibility.js";
import { oneOf } from "../db/client.js";
import type { Reads } from "../db/replicas.js";
import { board } from "../db/schema/index.js";
import { selection } from "../db/selections.js";
import type { Event } from "./eventShapes.js";

/** The identifier of a board in a field of `data`. */
function boardIn(field: unknown): string | null {
  if (typeof field === "string") return field;
  const isPlace = typeof field === "object" && field !== null && "boardPublicId" in field;
  return isPlace && typeof field.boardPublicId === "string" ? field.boardPublicId : null;
}

/** The fields of `data` that may name another board, by the type of the event. */
const FIELDS: Readonly<Partial<Record<Event["type"], readonly string[]>>> = {
  "card.moved": ["from", "to"],
  "board.created": ["copiedFrom"],
};

/** An event as readers see it who do not see another board that it names. */
export interface Outside {
  boardPublicId: string;
  event: Event;
}

/** Leaving an optional field of `data` out keeps the shape of the type. */
const withData = (event: Event, data: Record<string, unknown>) => ({ ...event, data }) as Event;

/** The other board that an event names, and the event without it; null if it names none. */
export function outsideOf(event: Event): Outside | null {
  const data: Record<string, unknown> = event.data;
  for (const name of FIELDS[event.type] ?? []) {
    const boardPublicId = boardIn(data[name]);
    if (boardPublicId === null || boardPublicId === event.boardPublicId) continue;
    const { [name]: _, ...rest } = data;
    return { boardPublicId, event: withData(event, rest) };
  }
  return null;
}

const seenBoard = selection({ publicId: board.publicId });

/** Events as a reader may see them: one statement, if they name other boards and the reader does not see every board. */
export async function eventsAsSeenBy(
  db: Reads,
  reader: BoardReader,
  events: readonly { event: Event; outside: Outside | null }[],
): Promise<Event[]> {
  const named = new Set(events.flatMap(({ outside }) => outside?.boardPublicId ?? []));
  if (named.size === 0 || seesAllBoards(reader.role)) return events.map(({ event }) => event);
  const rows = await db.read(
    seenBoard,
    sql`${boardsSeenBy(reader, seenBoard)} and ${oneOf(board.publicId, [...named])}`,
  );
  const seen = new Set(rows.map(({ publicId }) => publicId));
  return events.map(({ event, outside }) =>
    outside === null || seen.has(outside.boardPublicId) ? event : outside.event,
  );
}
