// Every table, for the query builder and for drizzle-kit. In statements a table goes by its own name; where one has to name it twice,
// the second goes by an alias of `aliases`.

import { alias } from "drizzle-orm/pg-core";
import { account } from "./accounts.js";
import { boardMember } from "./boards.js";
import { card, comment } from "./cards.js";
import { member } from "./workspaces.js";

export * from "./accounts.js";
export * from "./audit.js";
export * from "./boards.js";
export * from "./cards.js";
export * from "./events.js";
export * from "./identities.js";
export * from "./mail.js";
export * from "./notifications.js";
export * from "./tokens.js";
export * from "./webhooks.js";
export * from "./workspaces.js";

/** The other names of tables that a statement joins twice. */
export const aliases = {
  /** The comment that another one replies to. */
  parentComment: alias(comment, "parent_comment"),
  /** The caller's place on a board, beside those of others. */
  ownPlace: alias(boardMember, "own_place"),
  /** Another card of the same list. */
  siblingCard: alias(card, "sibling_card"),
  /** The person who caused a notification, beside the one whom it is for, and their place in the workspace. */
  actor: alias(account, "actor"),
  actorMember: alias(member, "actor_member"),
};
