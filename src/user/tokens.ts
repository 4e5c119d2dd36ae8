// Personal access tokens (contract section 2, Token).

import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { workspaceFor } from "../access/guards.js";
import { endOwnToken, issueToken, lockedAccount } from "../access/tokens.js";
import type { Client, Signed } from "../api/context.js";
import { badRequest, forbidden } from "../api/errors.js";
import { Instant, Name, Ok, ok, Timestamp, TokenId, WorkspaceId } from "../api/shapes.js";
import { sessionProcedure } from "../api/trpc.js";
import type { Queries, Transaction } from "../db/client.js";
import { accessToken, workspace } from "../db/schema/index.js";
import { changeAccount } from "./accountChanges.js";
import { noticeTo } from "./accountNotices.js";
import { type AuditType, logAct } from "./auditLog.js";
import { addressMustBeVerified, VERIFIED_ADDRESS_TEXT } from "./reauthentication.js";

const MAX_TOKENS = 100;

const Scope = z.enum(["read", "write"]).meta({ description: "A `read` token cannot change anything." });

const tokenFields = {
  publicId: z.string(),
  name: z.string(),
  scope: Scope,
  workspacePublicId: z
    .string()
    .nullable()
    .meta({ description: "The only workspace that the token can access; null for all of them." }),
  expiresAt: Timestamp.nullable().meta({ description: "When the token expires; null for never." }),
};

const Token = z
  .object({
    ...tokenFields,
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable().meta({ description: "To the minute; null if it was never used." }),
  })
  .meta({ id: "Token", description: "A personal token, without its secret." });

const NewToken = z
  .object({
    ...tokenFields,
    accessToken: z.string().meta({ description: "The token itself, `wb_…`. It is shown only once." }),
  })
  .meta({ id: "NewToken", description: "A personal token that was just created, with its secret." });

/** Locks the caller's account, which must be open, and refuses a token too many. */
async function mustHaveRoomForToken(tx: Signed<Transaction>): Promise<void> {
  await lockedAccount(tx);
  const { db, user } = tx;
  const isOwn = and(eq(accessToken.accountId, user.accountId), eq(accessToken.kind, "personal"));
  const live = await db.$count(accessToken, isOwn);
  if (live >= MAX_TOKENS) throw badRequest(`An account has at most ${MAX_TOKENS} personal tokens`);
}

/** The workspace that a new token is bound to, which the caller must see; null for none. */
const boundTo = async (tx: Signed<Transaction>, workspacePublicId: string | undefined) =>
  workspacePublicId === undefined ? null : workspaceFor(tx, workspacePublicId, "workspace:view");

function mustBeFuture(expiresAt: string | undefined): void {
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
    throw badRequest("Must be in the future", "expiresAt");
}

/** Writes an entry about a personal token to the audit log. */
async function audit(
  db: Queries,
  { client, user }: { client: Client; user: { accountId: number } },
  type: AuditType,
  { publicId, name }: { publicId: string; name: string },
): Promise<void> {
  const target = { kind: "token" as const, publicId, name };
  await logAct(db, client, { type, actorId: user.accountId, target });
}

/** The personal tokens of a caller in the order of their creation, without their secrets. */
export const tokensOf = ({ db, user }: Pick<Signed, "db" | "user">) =>
  db
    .select({
      publicId: accessToken.publicId,
      name: accessToken.name,
      scope: accessToken.scope,
      workspacePublicId: workspace.publicId,
      createdAt: accessToken.createdAt,
      expiresAt: accessToken.expiresAt,
      lastUsedAt: accessToken.lastUsedAt,
    })
    .from(accessToken)
    .leftJoin(workspace, eq(workspace.id, accessToken.boundWorkspaceId))
    .where(and(eq(accessToken.accountId, user.accountId), eq(accessToken.kind, "personal")))
    .orderBy(accessToken.id);

export const tokens = {
  list: sessionProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/tokens",
        tags: ["Tokens"],
        summary: "List my personal tokens",
        description:
          "Lists the personal tokens of the account in the order of their creation, without their secrets. `lastUsedAt` is accurate to the minute. Requires a session token.",
        successDescription: "The personal tokens.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(z.array(Token))
    .query(({ ctx }) => tokensOf(ctx)),

  create: sessionProcedure
    .meta({
      secretAnswer: true,
      openapi: {
        method: "POST",
        path: "/tokens",
        tags: ["Tokens"],
        summary: "Create a personal token",
        description: `Creates a personal token. Only this response shows the token itself. A \`read\` token cannot change anything. A token with \`workspacePublicId\` can access only that workspace. At most 100 tokens per user. The owner gets a notice by mail. ${VERIFIED_ADDRESS_TEXT} Requires a session token.`,
        successDescription: "The token was created.",
      },
    })
    .input(
      z.strictObject({
        name: Name(255),
        scope: Scope,
        workspacePublicId: WorkspaceId.optional(),
        expiresAt: Instant.optional(),
      }),
    )
    .output(NewToken)
    .mutation(({ ctx, input }) =>
      changeAccount(ctx, async (tx) => {
        const { accountId, isGuest } = tx.user;
        if (isGuest) throw forbidden();
        addressMustBeVerified(ctx.config, ctx.user);
        const bound = await boundTo(tx, input.workspacePublicId);
        mustBeFuture(input.expiresAt);
        await mustHaveRoomForToken(tx);
        const { name, scope, expiresAt = null } = input;
        const boundWorkspaceId = bound?.workspaceId ?? null;
        const made = { kind: "personal" as const, name, scope, boundWorkspaceId, expiresAt };
        const issued = await issueToken(tx.db, { accountId, ...made });
        await audit(tx.db, ctx, "token.created", { ...issued, name });
        await noticeTo(tx.db, ctx.config, tx.user, "personalTokenMade");
        return { ...issued, name, scope, workspacePublicId: bound?.workspacePublicId ?? null };
      }),
    ),

  revoke: sessionProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/tokens/{tokenPublicId}",
        tags: ["Tokens"],
        summary: "Revoke a personal token",
        description: "Revokes a personal token. It is refused from the next request on. Requires a session token.",
        successDescription: "The token was revoked.",
      },
    })
    .input(z.strictObject({ tokenPublicId: TokenId }))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      changeAccount(ctx, async ({ db, user }) => {
        const revoked = await endOwnToken(db, user.accountId, { kind: "personal", publicId: input.tokenPublicId });
        await audit(db, ctx, "token.deleted", revoked);
        return ok;
      }),
    ),
};
