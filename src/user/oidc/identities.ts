// The identities of an account at OpenID Connect providers: listing them, and parting with one (capabilities section 2).

import { and, asc, eq, ne } from "drizzle-orm";
import { z } from "zod";
import { lockedAccount } from "../../access/tokens.js";
import type { Signed } from "../../api/context.js";
import { badRequest, notFound } from "../../api/errors.js";
import { IdentityId, Ok, ok, Timestamp } from "../../api/shapes.js";
import { sessionProcedure } from "../../api/trpc.js";
import type { Config } from "../../config.js";
import type { Queries } from "../../db/client.js";
import { identity } from "../../db/schema/index.js";
import { changeAccount } from "../accountChanges.js";
import { logAct } from "../auditLog.js";

const Identity = z
  .object({
    publicId: z.string(),
    providerId: z.string().meta({ description: "The provider, as `GET /auth/methods` lists it." }),
    email: z
      .string()
      .nullable()
      .meta({ description: "The e-mail address that the provider stated last; null if it stated none." }),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable().meta({ description: "When it last signed the account in or was linked." }),
  })
  .meta({ id: "Identity", description: "An account at an OpenID Connect provider that signs a person in." });

const identityFields = {
  publicId: identity.publicId,
  providerId: identity.providerId,
  email: identity.email,
  createdAt: identity.createdAt,
  lastUsedAt: identity.lastUsedAt,
};

const lastMethod = () =>
  badRequest("Nothing else signs you in to the account: set a password or link another identity first");

/** Whether a person could sign in without an identity: by a password, or by another identity whose provider is still there. */
async function canSignInWithout(
  db: Queries,
  { oidcProviders, passwordSignIn }: Config,
  { accountId, passwordHash, identityId }: { accountId: number; passwordHash: string | null; identityId: number },
): Promise<boolean> {
  if (passwordSignIn && passwordHash !== null) return true;
  const others = await db
    .select({ providerId: identity.providerId })
    .from(identity)
    .where(and(eq(identity.accountId, accountId), ne(identity.id, identityId)));
  return others.some(({ providerId }) => oidcProviders.some(({ id }) => id === providerId));
}

/** The identities of a caller, oldest first. */
export const identitiesOf = ({ db, user }: Pick<Signed, "db" | "user">) =>
  db.select(identityFields).from(identity).where(eq(identity.accountId, user.accountId)).orderBy(asc(identity.id));

export const identities = {
  identities: sessionProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/users/me/identities",
        tags: ["Single sign-on"],
        summary: "List my identities",
        description: "Returns the identities at providers that sign the account in. Requires a session token.",
        successDescription: "The identities, the oldest first.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(z.array(Identity))
    .query(({ ctx }) => identitiesOf(ctx)),

  unlink: sessionProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/users/me/identities/{identityPublicId}",
        tags: ["Single sign-on"],
        summary: "Unlink an identity",
        description:
          "Removes an identity, which then no longer signs the account in. Sessions stay. BAD_REQUEST if it is the last way to sign in: the account has no password, and no other identity at a provider that this server still offers. Requires a session token.",
        successDescription: "The identity was removed.",
      },
    })
    .input(z.strictObject({ identityPublicId: IdentityId }))
    .output(Ok)
    .mutation(({ ctx, input: { identityPublicId } }) =>
      changeAccount(ctx, async (tx) => {
        const { passwordHash } = await lockedAccount(tx);
        const { db } = tx;
        const { accountId } = tx.user;
        const [row] = await db
          .select({ identityId: identity.id, providerId: identity.providerId })
          .from(identity)
          .where(and(eq(identity.accountId, accountId), eq(identity.publicId, identityPublicId)));
        if (row === undefined) throw notFound();
        const { identityId, providerId } = row;
        if (!(await canSignInWithout(db, ctx.config, { accountId, passwordHash, identityId }))) throw lastMethod();
        await db.delete(identity).where(eq(identity.id, identityId));
        const target = { kind: "identity", publicId: identityPublicId, name: providerId } as const;
        await logAct(db, ctx.client, { type: "identity.unlinked", actorId: accountId, target });
        return ok;
      }),
    ),
};
