// Access tokens, and the responses stored for repeated requests.

import { bigint, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./accounts.js";
import { createdAt, instant, ownId, publicId, ref, workspaceId } from "./columns.js";
import { workspace } from "./workspaces.js";

export const accessToken = pgTable(
  "access_token",
  {
    id: ownId(),
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
    /** The `User-Agent` that a session was begun with. */
    userAgent: text("user_agent"),
    createdAt: createdAt(),
    expiresAt: instant("expires_at"),
    lastUsedAt: instant("last_used_at"),
  },
  (t) => [
    uniqueIndex("access_token_hash").on(t.tokenHash),
    uniqueIndex("access_token_public_id").on(t.publicId),
    index("access_token_account").on(t.accountId),
    index("access_token_workspace").on(t.boundWorkspaceId),
    index("access_token_expires").on(t.expiresAt),
  ],
);

/**
 * The first response to a request with an Idempotency-Key, stored for 24 hours per user and workspace (contract section 1), so that a
 * change and its response are written to one shard; 0 stands for operations without a workspace.
 */
export const idempotencyKey = pgTable(
  "idempotency_key",
  {
    workspaceId: workspaceId(),
    accountId: ref("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    /** SHA-256 of the header. */
    key: text("key").notNull(),
    /** HMAC-SHA-256 of method, path and body with the header as its key. */
    requestHash: text("request_hash").notNull(),
    answer: text("answer").notNull(),
    /** The operation of the change in the log, and the last event number that it wrote; null if it wrote nothing. */
    operationPublicId: text("operation_public_id"),
    eventSeq: ref("event_seq"),
    /** The header `ETag` of the answer; null where it had none. */
    etag: text("etag"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.accountId, t.key] }),
    index("idempotency_key_account").on(t.accountId, t.key),
    index("idempotency_key_created").on(t.createdAt),
  ],
);
