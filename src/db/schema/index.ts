// Every table, for the query builder and for drizzle-kit.

export * from "./accounts.js";
export * from "./boards.js";
export * from "./cards.js";
export * from "./events.js";
export * from "./notifications.js";
export * from "./tokens.js";
export * from "./webhooks.js";
export * from "./workspaces.js";
