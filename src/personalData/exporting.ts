// The export of everything about one person (capabilities section 4).

import { Readable } from "node:stream";
import { and, desc, eq, gt, sql } from "drizzle-orm";
import { z } from "zod";
import { lockedAccount } from "../access/tokens.js";
import { Claim, type Context, type Signed, type VerifiedCaller } from "../api/context.js";
import { FileAnswer, fileAnswerOf } from "../api/downloads.js";
import { tooManyRequests } from "../api/errors.js";
import { sessionProcedure } from "../api/trpc.js";
import type { Database, Queries } from "../db/client.js";
import { writtenIfPossible } from "../db/failures.js";
import { auditEntry } from "../db/schema/index.js";
import { logOwnAct } from "../user/auditLog.js";
import { filesOf } from "./files.js";
import { exportedAccount } from "./ownAccount.js";
import { zipOf } from "./zip.js";

const HOUR_SECONDS = 3600;

/** @throws TOO_MANY_REQUESTS within an hour of the last export of an account. */
async function mustBeDue(db: Queries, accountId: number): Promise<void> {
  const age = sql<number>`extract(epoch from clock_timestamp() - ${auditEntry.createdAt})::float8`;
  const [last] = await db
    .select({ wait: sql<number>`ceil(${HOUR_SECONDS}::int - ${age})::int` })
    .from(auditEntry)
    .where(
      and(
        eq(auditEntry.actorId, accountId),
        eq(auditEntry.type, "account.exported"),
        gt(auditEntry.createdAt, sql`clock_timestamp() - make_interval(secs => ${HOUR_SECONDS}::int)`),
      ),
    )
    .orderBy(desc(auditEntry.id))
    .limit(1);
  if (last !== undefined) throw tooManyRequests(Math.max(1, last.wait));
}

/**
 * Records an export. The lock of the account makes exports that begin together take turns, whichever process they came to. While the
 * database takes no writes, exports that were recorded before still count.
 * @throws TOO_MANY_REQUESTS, or UNAUTHORIZED for an account that was closed.
 */
async function record({ db, user, client }: Signed<Database, VerifiedCaller>): Promise<void> {
  const { accountId } = user;
  await mustBeDue(db, accountId);
  const recorded = db.transaction(async (tx) => {
    await lockedAccount({ db: tx, user });
    await mustBeDue(tx, accountId);
    await logOwnAct(tx, client, user, "account.exported");
  });
  await writtenIfPossible(recorded);
}

/** The time for which a token is taken as valid while its export is sent. */
const BELIEVED_MS = 10_000;

/** Checks now and then that the token of a call is still valid. The check throws UNAUTHORIZED when it is not. */
function stillValid({ user, verify }: Signed & Pick<Context, "verify">): () => Promise<void> {
  const { tokenHash } = user.claim;
  let believedUntil = performance.now() + BELIEVED_MS;
  return async () => {
    if (performance.now() < believedUntil) return;
    await verify({ ...user, claim: new Claim(tokenHash) });
    believedUntil = performance.now() + BELIEVED_MS;
  };
}

export const exporting = {
  export: sessionProcedure
    .meta({
      file: "application/zip",
      weight: "heavy",
      openapi: {
        method: "GET",
        path: "/users/me/export",
        tags: ["Accounts"],
        summary: "Export my data",
        description:
          "Downloads a ZIP of JSON files with everything that the service stores about the caller: the account, sessions, tokens, workspaces, favourites, cards, comments, assignments, notifications, activities, and entries of the audit log. `README.txt` describes each file. The ZIP holds no secrets, and no names or addresses of other people. Workspaces, boards and other people's cards are identifiers, and a text that somebody else edited last is null. Boards that the caller cannot see today are left out, except for the caller's own comments there. Comments that were imported from a file are left out. An account can be exported once per hour; a further call is TOO_MANY_REQUESTS with `Retry-After`. An export counts, and is recorded in the audit log, when it begins. If it cannot be completed, the connection is closed before the end of the body. The operation exists in REST only: over tRPC it is PRECONDITION_FAILED. It requires a session token.",
        successDescription: "The ZIP.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(FileAnswer)
    .query(async ({ ctx }) => {
      const send = fileAnswerOf(ctx);
      const sendFile = (bytes: Readable) => send({ name: "work-board-export.zip", type: "application/zip" }, bytes);
      const { db, user } = ctx;
      if (ctx.requestOptions.headersOnly) {
        await mustBeDue(db, user.accountId);
        return sendFile(Readable.from([]));
      }
      await record(ctx);
      const source = { db, accountId: user.accountId, mayGoOn: stillValid(ctx) };
      const files = filesOf(await exportedAccount(ctx), source);
      return sendFile(zipOf(files));
    }),
};
