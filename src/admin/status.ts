// The first questions of an instance admin: versions, queues and sizes (capabilities section 4).

import { and, count, eq, isNull, lte, min, sql } from "drizzle-orm";
import { z } from "zod";
import { Timestamp } from "../api/shapes.js";
import { adminProcedure } from "../api/trpc.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import type { Queries } from "../db/client.js";
import { migrationCounts } from "../db/migrate.js";
import { account, board, card, mail, webhookDelivery, workspace } from "../db/schema/index.js";
import { selection } from "../db/selections.js";
import { VERSION } from "../version.js";

const Amount = z.int().min(0);

const Queue = z
  .object({
    due: Amount.meta({ description: "How many wait and could be sent now." }),
    oldest: Timestamp.nullable().meta({ description: "When the oldest of them became due; null if none is." }),
  })
  .meta({ id: "QueueStatus", description: "A queue of things to send." });

const amount = (of: string) => Amount.meta({ description: `The number of ${of}.` });

const InstanceStatus = z
  .object({
    version: z.string().meta({ description: "The version of the service." }),
    database: z
      .object({
        kind: z.enum(["embedded", "postgresql"]).meta({ description: "Which database the service runs on." }),
        postgresVersion: z.string().meta({ description: "The version of PostgreSQL, of the embedded one too." }),
      })
      .meta({ description: "The database." }),
    migrations: z
      .object({
        applied: amount("migrations of this version that the database has"),
        missing: Amount.meta({ description: "Above 0 only while a newer version starts." }),
      })
      .meta({ description: "The migrations of the database." }),
    queues: z.object({ webhooks: Queue, mail: Queue }).meta({ description: "What waits to be sent." }),
    storage: z
      .object({
        databaseBytes: Amount.meta({ description: "The size of the database on its disk." }),
        freeBytes: Amount.nullable().meta({
          description:
            "How much of the disk of an embedded database is free. Below 64 MiB changes are refused, below 512 MiB imports and copies of boards. Null on PostgreSQL.",
        }),
      })
      .meta({ description: "The space that is used." }),
    counts: z
      .object({
        users: amount("open accounts, without guests"),
        disabledUsers: amount("disabled accounts"),
        guests: amount("open accountless guests"),
        workspaces: amount("workspaces"),
        boards: amount("boards, archived ones too"),
        cards: amount("cards, archived ones too"),
      })
      .meta({ description: "The numbers of rows." }),
  })
  .meta({ id: "InstanceStatus", description: "Versions, queues and sizes of the instance." });

const none = { due: 0, oldest: null };

async function queues(db: Queries) {
  const isDelivery = and(eq(webhookDelivery.status, "pending"), lte(webhookDelivery.nextAttemptAt, sql`now()`));
  const [webhooks = none] = await db
    .select({ due: count(), oldest: min(webhookDelivery.nextAttemptAt) })
    .from(webhookDelivery)
    .where(acrossWorkspaces("size of the instance", sql`${isDelivery}`));
  const [mails = none] = await db
    .select({ due: count(), oldest: min(mail.nextAttemptAt) })
    .from(mail)
    .where(and(eq(mail.status, "pending"), lte(mail.nextAttemptAt, sql`now()`)));
  return { webhooks, mail: mails };
}

async function counts(db: Queries) {
  const all = acrossWorkspaces("size of the instance", sql`true`);
  const isOpenTo = (isGuest: boolean) =>
    sql`${account.disabledAt} is null and ${account.isGuest} = ${isGuest}::boolean`;
  const [people] = await db
    .select({
      users: sql<number>`count(*) filter (where ${isOpenTo(false)})`,
      disabledUsers: sql<number>`count(*) filter (where ${account.disabledAt} is not null)`,
      guests: sql<number>`count(*) filter (where ${isOpenTo(true)})`,
    })
    .from(account)
    .where(isNull(account.deletedAt));
  const [workspaces] = await db.select({ count: count() }).from(workspace);
  const [boards] = await db.select({ count: count() }).from(board).where(all);
  const [cards] = await db.select({ count: count() }).from(card).where(all);
  return {
    ...(people ?? { users: 0, disabledUsers: 0, guests: 0 }),
    workspaces: workspaces?.count ?? 0,
    boards: boards?.count ?? 0,
    cards: cards?.count ?? 0,
  };
}

const serverFields = selection({
  version: sql<string>`current_setting('server_version')`,
  bytes: sql<number>`pg_database_size(current_database())`,
});

/** The version of the database server, and the size of its files in bytes. */
export async function serverOf(db: Queries): Promise<{ version: string; bytes: number }> {
  const [row] = await db.read(serverFields, sql`select ${serverFields}`);
  return row ?? { version: "", bytes: 0 };
}

export const status = {
  status: adminProcedure
    .meta({
      weight: "heavy",
      openapi: {
        method: "GET",
        path: "/admin/status",
        tags: ["Administration"],
        summary: "Show the status of the instance",
        description:
          "Shows versions, the queues of webhooks and mail, sizes and counts. Counting reads whole tables: for monitoring, use `/metrics`. Requires a session of an instance admin.",
        successDescription: "The status.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(InstanceStatus)
    .query(async ({ ctx: { db, config } }) => {
      const { version, bytes } = await serverOf(db);
      const free = db.freeBytes();
      return {
        version: VERSION,
        database: {
          kind: config.databaseUrl === undefined ? ("embedded" as const) : ("postgresql" as const),
          postgresVersion: version,
        },
        migrations: await migrationCounts(db),
        queues: await queues(db),
        storage: { databaseBytes: bytes, freeBytes: Number.isFinite(free) ? free : null },
        counts: await counts(db),
      };
    }),
};
