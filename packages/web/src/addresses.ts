// The addresses of settings, imports and calendars.

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
