/** The history entry of a card that was opened on its board: going back closes it. */
export const FROM_BOARD = { isFromBoard: true };
