// The audit log of accounts and access, for operators (capabilities section 4).

import { index, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt, ownId, ref } from "./columns.js";

/** The target of an entry: its kind, identifier and name at that time. It contains no secret and no text of a card. */
export interface AuditTarget {
  kind: "account" | "workspace" | "token" | "identity" | "webhook" | "address";
  publicId?: string;
  name?: string;
  /** The workspace that it belongs to, or in which it happened. */
  workspacePublicId?: string;
}

/** One entry. It names accounts without a foreign key: it outlives them. */
export const auditEntry = pgTable(
  "audit_entry",
  {
    id: ownId(),
    type: text("type").notNull(),
    /** The person who did it; null for the service, a command, or somebody unknown. */
    actorId: ref("actor_id"),
    target: jsonb("target").$type<AuditTarget>(),
    /** The network address that the call came from; null for a command. */
    address: text("address"),
    createdAt: createdAt(),
  },
  (t) => [
    index("audit_entry_actor").on(t.actorId, t.id),
    index("audit_entry_type").on(t.type, t.id),
    index("audit_entry_created").on(t.createdAt),
  ],
);
