import type { Refused } from "work-board-client/board";

/** The card whose description was refused because somebody else had changed it meanwhile; null for other refusals. */
export function cardInConflict({ path, code, input }: Refused): string | null {
  if (path !== "card.update" || code !== "PRECONDITION_FAILED" || !("description" in input)) return null;
  return "cardPublicId" in input ? String(input.cardPublicId) : null;
}

export const isConflict = (refused: Refused, cardPublicId: string): boolean => cardInConflict(refused) === cardPublicId;
