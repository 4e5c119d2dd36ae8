import { useBoardState } from "../board/context.js";

/** Whether an open card was deleted or left the board, so that nothing more can be sent to it. An archived one stays. */
export const useIsDeleted = (cardPublicId: string): boolean =>
  useBoardState(({ cards }) => {
    const card = cards[cardPublicId];
    return card?.isGone === true && card.details?.archivedAt === null;
  });
