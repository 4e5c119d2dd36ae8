// The sessions of an account, as its owner sees and ends them (capabilities section 3).

import { and, desc, eq, gt, sql } from "drizzle-orm";
import { z } from "zod";
import { endOwnToken } from "../access/tokens.js";
import type { Signed } from "../api/context.js";
import { Ok, ok, SessionId, Timestamp } from "../api/shapes.js";
import { sessionProcedure } from "../api/trpc.js";
import { accessToken } from "../db/schema/index.js";
import { changeAccount } from "./accountChanges.js";
import { logOwnAct } from "./auditLog.js";

const SignedInSession = z
  .object({
    publicId: z.string(),
    createdAt: Timestamp.meta({ description: "When the session began." }),
    lastUsedAt: Timestamp.nullable().meta({ description: "To the minute; null if it was never used." }),
    userAgent: z.string().nullable().meta({
      description: "The `User-Agent` header of the sign-in, cut to 500 characters; null if there was none.",
    }),
    isCurrent: z.boolean().meta({ description: "Whether this call was made with it." }),
  })
  .meta({ id: "SignedInSession", description: "A session of the account, without its token." });

/** The sessions of a caller that have not ended, newest first. */
export async function sessionsOf({ db, user }: Pick<Signed, "db" | "user">) {
  const live = await db
    .select({
      id: accessToken.id,
      publicId: accessToken.publicId,
      createdAt: accessToken.createdAt,
      lastUsedAt: accessToken.lastUsedAt,
      userAgent: accessToken.userAgent,
    })
    .from(accessToken)
    .where(
      and(
        eq(accessToken.accountId, user.accountId),
        eq(accessToken.kind, "session"),
        gt(accessToken.expiresAt, sql`now()`),
      ),
    )
    .orderBy(desc(accessToken.id));
  return live.map(({ id, ...session }) => ({ ...session, isCurrent: id === user.token.id }));
}

export const sessions = {
  list: sessionProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/users/me/sessions",
        tags: ["Accounts"],
        summary: "List my sessions",
        description:
          "Lists the sessions of the account that have not ended, newest first. Personal tokens are not among them. Requires a session token.",
        successDescription: "The sessions.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(z.array(SignedInSession))
    .query(({ ctx }) => sessionsOf(ctx)),

  revoke: sessionProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/users/me/sessions/{sessionPublicId}",
        tags: ["Accounts"],
        summary: "End one of my sessions",
        description:
          "Ends a session of the account, the one of this call included. Its token is refused from the next request on. Requires a session token.",
        successDescription: "The session was ended.",
      },
    })
    .input(z.strictObject({ sessionPublicId: SessionId }))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      changeAccount(ctx, async ({ db, user }) => {
        await endOwnToken(db, user.accountId, { kind: "session", publicId: input.sessionPublicId });
        await logOwnAct(db, ctx.client, user, "session.revoked");
        return ok;
      }),
    ),
};
