// Access tokens, and the answers kept for repeated requests.

import { bigint, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./accounts.js";
import { createdAt, id, instant, publicId, ref } from "./columns.js";
import { workspace } from "./workspaces.js";

export const accessToken = pgTable(
  "access_token",
  {
    id: id().primaryKey(),
    publicId: publicId(),
    accountId: ref("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    kind: text("kind", { enum: ["session", "personal"] }).notNull(),
    name: text("name").notNull(),
    scope: text("scope", { enum: ["read", "write"] }).notNull(),
    /** The one workspace a personal token is bound to. */
    boundWorkspaceId: bigint("bound_workspace_id", { mode: "number" }).references(() => workspace.id, {
      onDelete: "cascade",
    }),
    /** Hex SHA-256 of the token; the token itself is never stored. */
    tokenHash: text("token_hash").notNull(),
    createdAt: createdAt(),
    expiresAt: instant("expires_at"),
    lastUsedAt: instant("last_used_at"),
  },
  (t) => [
    uniqueIndex("access_token_hash").on(t.tokenHash),
    uniqueIndex("access_token_public_id").on(t.publicId),
    index("access_token_account").on(t.accountId),
    index("access_token_workspace").on(t.boundWorkspaceId),
  ],
);

/** The first answer to a request with an Idempotency-Key, kept 24 hours per user (contract section 1). */
export const idempotencyKey = pgTable(
  "idempotency_key",
  {
    accountId: ref("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    key: text("key").notNull(),
    /** SHA-256 of method, path and body. */
    requestHash: text("request_hash").notNull(),
    answer: text("answer").notNull(),
    /** The workspace of the change, for tokens that are bound to one. */
    workspaceId: ref("workspace_id").references(() => workspace.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("idempotency_key_account").on(t.accountId, t.key),
    index("idempotency_key_created").on(t.createdAt),
    index("idempotency_key_workspace").on(t.workspaceId),
  ],
);
