// The fields of a card that are compared when a change is taken back.

import type { CardState } from "work-board-client/board";

export const isDone = ({ completedAt }: CardState): boolean => completedAt !== null;

/** A due date as calls take it. */
export const dueOf = ({ dueDate, dueHasTime }: CardState): string | null =>
  dueHasTime ? dueDate : (dueDate?.slice(0, "2026-12-24".length) ?? null);

export const hasLabel =
  (id: string) =>
  ({ labelIds }: CardState): boolean =>
    labelIds.includes(id);

export const hasMember =
  (id: string) =>
  ({ members }: CardState): boolean =>
    members.some(({ publicId }) => publicId === id);
