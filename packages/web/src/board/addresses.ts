/** The history entry of a card that was opened on its board: going back closes it. */
export const FROM_BOARD = { isFromBoard: true };

/** The address of a card as people copy it: it begins as that of the page. */
export const addressOfCard = (cardPublicId: string): string => `${location.origin}/cards/${cardPublicId}`;
