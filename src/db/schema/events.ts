// The event log: one dense, append-only sequence a workspace (contract section 5). It names boards and cards by their
// public identifiers and has no foreign keys to them, because it outlives them.

import { boolean, index, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant, ref, workspaceId } from "./columns.js";
import { workspaceCounter } from "./workspaces.js";

export const event = pgTable(
  "event",
  {
    workspaceId: workspaceId().references(() => workspaceCounter.workspaceId, { onDelete: "cascade" }),
    seq: ref("seq").notNull(),
    type: text("type").notNull(),
    createdAt: instant("created_at").notNull(),
    /** An account, which is never deleted but as a tombstone; no foreign key, which would lock it at every event. */
    actorId: ref("actor_id"),
    boardPublicId: text("board_public_id"),
    cardPublicId: text("card_public_id"),
    data: jsonb("data").$type<Record<string, unknown>>().notNull(),
    /** The request that it belongs to; several events of one request share it. */
    operationPublicId: text("operation_public_id").notNull(),
    /** The `Request-Key` that the client gave the request; not unique. */
    requestKey: text("request_key"),
    origin: text("origin", {
      enum: ["user", "token", "mcp", "automation", "undo", "import", "system", "operator"],
    }).notNull(),
    /** Whether texts were taken out of `data`, because what they were of is deleted. */
    redacted: boolean("redacted").notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.seq] }),
    index("event_board").on(t.workspaceId, t.boardPublicId, t.seq),
    index("event_card").on(t.workspaceId, t.cardPublicId, t.seq),
    index("event_actor").on(t.workspaceId, t.actorId, t.seq),
  ],
);
