/** The history entry of a card that was opened on its board: going back closes it. */
export const FROM_BOARD = { isFromBoard: true };

/** The address of a card as people copy it: it begins as that of the page. */
export const addressOfCard = (cardPublicId: string): string => `${location.origin}/cards/${cardPublicId}`;

/** Closes a card that is open over its board: goes back if it was opened there, or else to the address of the board. */
export function leaveCard(board: string, navigate: (address: string, options: { replace: true }) => void): void {
  if (history.state?.isFromBoard === true) history.back();
  else navigate(board, { replace: true });
}
