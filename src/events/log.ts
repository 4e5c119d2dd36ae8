// The forms of events that changes log (contract section 5). `log` of a change writes them (`api/change.ts`).

import type { Role } from "../access/permissions.js";
import type { EventType } from "./eventShapes.js";

/** An event, and its board and card. `data` describes the change and contains no email address, code or secret. */
export interface NewEvent {
  type: EventType;
  boardPublicId: string | null;
  cardPublicId: string | null;
  data: Record<string, unknown>;
}

/** An event of the workspace itself. */
export const workspaceEvent = (type: EventType, data: NewEvent["data"]): NewEvent => ({
  type,
  boardPublicId: null,
  cardPublicId: null,
  data,
});

/** An event on a board. */
export const boardEvent = (board: { boardPublicId: string }, type: EventType, data: NewEvent["data"]): NewEvent => ({
  type,
  boardPublicId: board.boardPublicId,
  cardPublicId: null,
  data,
});

/** A member as boards show it; name and image are added when the event is read. */
export const loggedMember = ({ publicId, role, isActive }: { publicId: string; role: Role; isActive: boolean }) => ({
  publicId,
  role,
  status: isActive ? ("active" as const) : ("invited" as const),
});

/** An event on a card. */
export const cardEvent = (
  card: { boardPublicId: string; cardPublicId: string },
  type: EventType,
  data: NewEvent["data"],
): NewEvent => ({ type, boardPublicId: card.boardPublicId, cardPublicId: card.cardPublicId, data });

type Changes<T> = { [K in keyof T]?: { from: unknown; to: unknown } };

/** The fields of `wanted` that are given and differ from `current`, each with `from` and `to`; null if there are none. */
export function changesTo<T extends object>(
  current: T,
  wanted: { [K in keyof T]?: T[K] | undefined },
): Changes<T> | null {
  const changes: Changes<T> = {};
  let any = false;
  for (const field of Object.keys(wanted) as (keyof T)[]) {
    if (wanted[field] === undefined || wanted[field] === current[field]) continue;
    changes[field] = { from: current[field], to: wanted[field] };
    any = true;
  }
  return any ? changes : null;
}
