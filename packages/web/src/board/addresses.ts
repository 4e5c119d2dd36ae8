/** The history entry of a card that was opened on a page, such as its board or a calendar: going back closes it. */
export const FROM_PAGE = { isFromPage: true };

/** The address of a card as people copy it: it begins as that of the page. */
export const addressOfCard = (cardPublicId: string): string => `${location.origin}/cards/${cardPublicId}`;

/** Closes a card that is open over its board: goes back to the page on which it was opened, or else to the address of the board. */
export function leaveCard(board: string, navigate: (address: string, options: { replace: true }) => void): void {
  if (history.state?.isFromPage === true) history.back();
  else navigate(board, { replace: true });
}
