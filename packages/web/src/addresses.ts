// The addresses of pages, and leaving a card for the page below it.

/** The settings of a workspace, at a section or at the first one. */
export const settingsOfWorkspace = (workspacePublicId: string, section?: string): string =>
  ["/settings/workspaces", workspacePublicId, section].filter((part) => part !== undefined).join("/");

/** The settings of a board, at a section or at the first one. */
export const settingsOfBoard = (boardPublicId: string, section?: string): string =>
  ["/settings/boards", boardPublicId, section].filter((part) => part !== undefined).join("/");

/** Importing a board into a workspace. */
export const importInto = (workspacePublicId: string): string => `/import/${workspacePublicId}`;

/** The calendar of a workspace. */
export const calendarOf = (workspacePublicId: string): string => `/calendar/${workspacePublicId}`;

/** The history entry of a card that was opened on a page, such as its board or a calendar: going back closes it. */
export const FROM_PAGE = { isFromPage: true };

/** The address of a card as people copy it: it begins as that of the page. */
export const addressOfCard = (cardPublicId: string): string => `${location.origin}/cards/${cardPublicId}`;

/** Closes a card that is open over its board: goes back to the page on which it was opened, or else to the address of the board. */
export function leaveCard(board: string, navigate: (address: string, options: { replace: true }) => void): void {
  if (history.state?.isFromPage === true) history.back();
  else navigate(board, { replace: true });
}
