// The audit log as instance admins read it, and its retention (capabilities section 4).

import { and, desc, eq, lt, sql } from "drizzle-orm";
import { z } from "zod";
import { cursorValues, pagesOf } from "../api/cursors.js";
import { page, pageInput, Timestamp, UserId } from "../api/shapes.js";
import { adminProcedure } from "../api/trpc.js";
import type { Queries } from "../db/client.js";
import { account, auditEntry } from "../db/schema/index.js";
import { forgetting } from "../db/sweeps.js";
import { AUDIT_TYPES } from "../user/auditLog.js";

const AuditEntry = z
  .object({
    id: z.int().meta({ description: "The number of the entry; later entries have larger ones." }),
    type: z.string().meta({ description: "What happened, such as `account.signedIn`." }),
    actor: z
      .object({ publicId: z.string(), name: z.string() })
      .nullable()
      .meta({ description: "Who did it; null for a command or the service, and if nobody is known." }),
    target: z
      .object({
        kind: z
          .enum(["account", "workspace", "token", "identity", "webhook", "address"])
          .meta({ description: "What kind of thing it is." }),
        publicId: z.string().optional(),
        name: z.string().optional(),
        workspacePublicId: z.string().optional().meta({ description: "The workspace in which it happened." }),
      })
      .nullable()
      .meta({ description: "What it was about, with its name at that time." }),
    address: z.string().nullable().meta({ description: "The network address of the call; null for a command." }),
    createdAt: Timestamp,
  })
  .meta({ id: "AuditEntry", description: "An entry of the audit log." });

const pagesOfLog = pagesOf("audit log", z.tuple([cursorValues.number]));

interface AuditFilter {
  actorPublicId: string | undefined;
  type: (typeof AUDIT_TYPES)[number] | undefined;
  /** Only entries with a smaller number. */
  before: number | undefined;
  limit: number;
}

/** Entries of the audit log, the newest first. */
function entriesOf(db: Queries, { actorPublicId, type, before, limit }: AuditFilter) {
  const actor = db
    .select({ id: account.id })
    .from(account)
    .where(eq(account.publicId, actorPublicId ?? ""));
  return db
    .select({
      id: auditEntry.id,
      type: auditEntry.type,
      actor: { publicId: account.publicId, name: account.name },
      target: auditEntry.target,
      address: auditEntry.address,
      createdAt: auditEntry.createdAt,
    })
    .from(auditEntry)
    .leftJoin(account, eq(account.id, auditEntry.actorId))
    .where(
      and(
        actorPublicId === undefined ? undefined : eq(auditEntry.actorId, sql`(${actor})`),
        type === undefined ? undefined : eq(auditEntry.type, type),
        before === undefined ? undefined : lt(auditEntry.id, before),
      ),
    )
    .orderBy(desc(auditEntry.id))
    .limit(limit);
}

export const auditLog = {
  audit: adminProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/admin/audit",
        tags: ["Administration"],
        summary: "Read the audit log",
        description:
          "Lists what happened to accounts and access, newest first: sign-ins and failed sign-ins; sign-ups; accounts that are created, disabled, enabled or deleted; passwords and reset links; addresses; second factors; identities; revoked sessions; personal tokens; rights of instance admins; invitations; people who join, leave or get another role; webhooks; exports; backups, restores and moves. It holds no secrets and no texts of cards. Entries are kept for `AUDIT_DAYS`. Requires a session of an instance admin.",
        successDescription: "A page of entries, the newest first.",
      },
    })
    .input(
      z.strictObject({
        actorPublicId: UserId.meta({ description: "Only what this account did." }).optional(),
        type: z.enum(AUDIT_TYPES).meta({ description: "Only entries of this type." }).optional(),
        ...pageInput,
      }),
    )
    .output(page("AuditPage", AuditEntry))
    .query(async ({ ctx: { db }, input: { actorPublicId, type, limit, cursor } }) => {
      const pages = pagesOfLog(actorPublicId ?? "", type ?? "");
      const [before] = pages.endOf(cursor) ?? [];
      const rows = await entriesOf(db, { actorPublicId, type, before, limit: limit + 1 });
      return pages.pageOf(rows, limit, ({ id }) => [id]);
    }),
};

/** Sweep: forgets entries that are older than `AUDIT_DAYS`. */
export const forgetOldEntries = forgetting(auditEntry, auditEntry.createdAt, ({ audit: days }) =>
  lt(auditEntry.createdAt, sql`now() - make_interval(days => ${days}::int)`),
);
