// Accounts: signing up, in and out, and what a person does to its own account (contract section 2, Accounts).

import { and, eq, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { hashPassword } from "../access/passwords.js";
import { issueSession } from "../access/tokens.js";
import { changeAccount, changeAll, runOnce } from "../api/change.js";
import type { Caller, Context, Signed } from "../api/context.js";
import { definedOf } from "../api/defined.js";
import { badRequest, forbidden, unauthorized } from "../api/errors.js";
import { Ok, ok, Text, Timestamp } from "../api/shapes.js";
import { personalProcedure, publicProcedure, sessionProcedure } from "../api/trpc.js";
import type { Database, Transaction } from "../db/client.js";
import { violates } from "../db/failures.js";
import { newPublicId } from "../db/ids.js";
import { accessToken, account } from "../db/schema/index.js";
import { changesTo } from "../events/log.js";
import { closeAccount, workspacesTouchedBy } from "./closing.js";
import { invitationOf, joinBy, workspaceInvitedTo } from "./joining.js";
import { logPerson, workspacesOf } from "./memberships.js";
import { Email, Image, NewPassword, Password, PersonName, User, userOf } from "./shapes.js";
import { isPassword } from "./signInAttempts.js";

const Session = z
  .object({
    accessToken: z.string().meta({ description: "Send it as `Authorization: Bearer <token>`." }),
    expiresAt: Timestamp.meta({ description: "When the token ends unless it is used before." }),
    user: User,
  })
  .meta({ id: "Session", description: "A session token and the account that it belongs to." });

const accountFields = {
  accountId: account.id,
  publicId: account.publicId,
  name: account.name,
  email: account.email,
  image: account.image,
  isGuest: account.isGuest,
  createdAt: account.createdAt,
};

const notAGuests = () => badRequest("Signing up takes no token but a guest's");

/** Who may sign up, and as what: somebody new, or an accountless guest who becomes a full account. */
function signingUp(ctx: Context, inviteCode: string | undefined): Caller | null {
  if (ctx.caller !== null && !ctx.caller.isGuest) throw notAGuests();
  if (ctx.config.signUp === "closed") throw forbidden();
  if (ctx.config.signUp === "invited" && inviteCode === undefined)
    throw badRequest("An invitation is needed", "inviteCode");
  return ctx.caller;
}

/** Makes an account, or a full one of a guest's, whose token ends. */
async function storeAccount(
  tx: Transaction,
  guest: Caller | null,
  fields: { name: string; email: string; passwordHash: string },
) {
  const [stored] =
    guest === null
      ? await tx
          .insert(account)
          .values({ ...fields, publicId: newPublicId() })
          .returning(accountFields)
      : await tx
          .update(account)
          .set({ ...fields, isGuest: false })
          .where(and(eq(account.id, guest.accountId), eq(account.isGuest, true), isNull(account.deletedAt)))
          .returning(accountFields);
  // The guest became a full account, or was closed, while its password was hashed.
  if (stored === undefined) throw notAGuests();
  if (guest !== null) await tx.delete(accessToken).where(eq(accessToken.id, guest.token.id));
  return stored;
}

/**
 * The hash of the caller's password, if `password` is it; null where it is not, or the caller has none.
 * @throws TOO_MANY_REQUESTS as for sign-ins, among which wrong guesses count.
 */
async function verifiedHash({ db, user }: Signed<Database>, password: string): Promise<string | null> {
  const [row] = await db.select({ hash: account.passwordHash }).from(account).where(eq(account.id, user.accountId));
  const hash = row?.hash ?? null;
  if (hash === null || user.email === null) return null;
  return (await isPassword(db, { email: user.email, hash }, password)) ? hash : null;
}

const notCurrent = () => badRequest("Is not the current password", "currentPassword");

export const accounts = {
  signUp: publicProcedure
    .meta({
      fails: ["FORBIDDEN"],
      authLimit: true,
      openapi: {
        method: "POST",
        path: "/auth/sign-up",
        protect: false,
        tags: ["Accounts"],
        summary: "Sign up",
        description:
          "Creates an account and signs it in. Addresses are stored in lower case; an address that already has an account is BAD_REQUEST. With `inviteCode` the account also joins that workspace; if the code is not valid, the call is BAD_REQUEST and no account is created. If the call carries the token of an accountless guest, that guest becomes a full account, keeps its memberships, and its old token ends. FORBIDDEN if the operator closed sign-up.",
        successDescription: "The account was created and signed in.",
      },
    })
    .input(
      z.strictObject({
        name: PersonName,
        email: Email,
        password: NewPassword,
        inviteCode: Text(1, 64).meta({ description: "The code of an invitation to accept." }).optional(),
      }),
    )
    .output(Session)
    .mutation(async ({ ctx, input }) => {
      const guest = signingUp(ctx, input.inviteCode);
      const { name, email, inviteCode } = input;
      const invitedTo = inviteCode === undefined ? [] : [workspaceInvitedTo(inviteCode)];
      const passwordHash = await hashPassword(input.password);
      const inAll = async () => [...invitedTo, ...(guest === null ? [] : await workspacesOf(ctx.db, guest.accountId))];
      return changeAll(ctx, inAll, async (db, unitFor) => {
        const invitation = inviteCode === undefined ? null : await invitationOf(db, inviteCode);
        const stored = await storeAccount(db, guest, { name, email, passwordHash });
        const actor = { accountId: stored.accountId, origin: "user" as const };
        const session = await issueSession(db, stored.accountId);
        const changes = guest === null ? null : changesTo({ name: guest.name }, { name });
        if (changes !== null) await logPerson(db, stored.accountId, (id) => unitFor(id, actor), changes);
        if (invitation !== null) await joinBy(unitFor(invitation.workspaceId, actor), stored, invitation);
        return { ...session, user: userOf(stored) };
      }).catch((error: unknown) => {
        if (violates(error, "account_email")) throw badRequest("This address has an account already", "email");
        throw error;
      });
    }),

  signIn: publicProcedure
    .meta({
      fails: ["UNAUTHORIZED"],
      authLimit: true,
      openapi: {
        method: "POST",
        path: "/auth/sign-in",
        protect: false,
        tags: ["Accounts"],
        summary: "Sign in",
        description:
          "Issues a session token, which ends 30 days after its last use. A wrong password and an unknown address get the same UNAUTHORIZED. After 10 failures for an address within 15 minutes, further calls for it get TOO_MANY_REQUESTS.",
        successDescription: "The caller is signed in.",
      },
    })
    .input(z.strictObject({ email: Email, password: Password }))
    .output(Session)
    .mutation(async ({ ctx, input }) => {
      const [found] = await ctx.db
        .select({ ...accountFields, hash: account.passwordHash })
        .from(account)
        .where(eq(account.email, input.email));
      const fits = await isPassword(ctx.db, { email: input.email, hash: found?.hash ?? null }, input.password);
      if (found === undefined || !fits) throw unauthorized();
      return ctx.db.transaction(async (tx) => {
        // The password may have changed since it was read: its change ends every session, and this one would come after it.
        const [unchanged] = await tx
          .select({ id: account.id })
          .from(account)
          .where(and(eq(account.id, found.accountId), eq(account.passwordHash, found.hash ?? "")))
          .for("no key update");
        if (unchanged === undefined) throw unauthorized();
        return { ...(await issueSession(tx, found.accountId)), user: userOf(found) };
      });
    }),

  signOut: personalProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/auth/sign-out",
        tags: ["Accounts"],
        summary: "Sign out",
        description: "Ends the token of this call.",
        successDescription: "The token was ended.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(Ok)
    .mutation(async ({ ctx }) => {
      await ctx.db.delete(accessToken).where(eq(accessToken.id, ctx.user.token.id));
      return ok;
    }),

  me: personalProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/users/me",
        tags: ["Accounts"],
        summary: "Get my account",
        description: "Returns the account that the token belongs to. Requires any valid token.",
        successDescription: "The account.",
      },
    })
    .input(z.object({}).optional())
    .output(User)
    .query(({ ctx }) => userOf(ctx.user)),

  update: sessionProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/users/me",
        tags: ["Accounts"],
        summary: "Update my account",
        description: "Changes the name or image of the account, everywhere they are shown. Requires a session token.",
        successDescription: "The account after the update.",
      },
    })
    .input(z.strictObject({ name: PersonName.optional(), image: Image.optional() }))
    .output(User)
    .mutation(({ ctx, input }) =>
      changeAccount(
        ctx,
        async (tx, unitOf) => {
          const [current] = await tx.db
            .select(accountFields)
            .from(account)
            .where(and(eq(account.id, tx.user.accountId), isNull(account.deletedAt)))
            .for("no key update");
          if (current === undefined) throw unauthorized();
          const changes = changesTo(current, input);
          if (changes === null) return userOf(current);
          await tx.db.update(account).set(input).where(eq(account.id, current.accountId));
          await logPerson(tx.db, current.accountId, unitOf, changes);
          return userOf({ ...current, ...definedOf(input) });
        },
        () => workspacesOf(ctx.db, ctx.user.accountId),
      ),
    ),

  changePassword: sessionProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/users/me/password",
        tags: ["Accounts"],
        summary: "Change my password",
        description:
          "Changes the password and ends every other session of the account. Personal tokens stay valid. Wrong passwords count as failed sign-ins. Requires a session token.",
        successDescription: "The password was changed.",
      },
    })
    .input(
      z.strictObject({
        currentPassword: Password.meta({ description: "The password that is valid now." }),
        newPassword: NewPassword.meta({ description: "The password that replaces it." }),
      }),
    )
    .output(Ok)
    .mutation(({ ctx, input }) =>
      runOnce(ctx, async () => {
        const verified = await verifiedHash(ctx, input.currentPassword);
        if (verified === null) throw notCurrent();
        const passwordHash = await hashPassword(input.newPassword);
        return changeAccount(ctx, async (tx) => {
          const { accountId, token } = tx.user;
          const [changed] = await tx.db
            .update(account)
            .set({ passwordHash })
            .where(and(eq(account.id, accountId), eq(account.passwordHash, verified)))
            .returning({ id: account.id });
          // Somebody else who knew the password has changed it since it was read.
          if (changed === undefined) throw notCurrent();
          await tx.db.rows(sql`delete from access_token
            where account_id = ${accountId}::bigint and kind = 'session' and id <> ${token.id}::bigint`);
          return ok;
        });
      }),
    ),

  delete: sessionProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/users/me/delete",
        tags: ["Accounts"],
        summary: "Delete my account",
        description:
          "Deletes the account and ends its tokens, memberships and assignments, and the invitations that it issued. Its comments and events stay under the name `Deleted user`. Workspaces without other members are deleted. The last admin of a workspace with other members gets BAD_REQUEST. The address can be used again. Requires a session token and the password; an accountless guest needs no password. Wrong passwords count as failed sign-ins.",
        successDescription: "The account was deleted.",
      },
    })
    .input(z.strictObject({ password: Password.optional() }))
    .output(Ok)
    .mutation(async ({ ctx, input }) => {
      if (!ctx.user.isGuest && input.password === undefined) throw badRequest("Required", "password");
      const verified = ctx.user.isGuest ? null : await verifiedHash(ctx, input.password ?? "");
      if (!ctx.user.isGuest && verified === null) throw badRequest("Is not the password", "password");
      await changeAccount(
        ctx,
        (tx, unitOf) => closeAccount(tx, unitOf, verified),
        () => workspacesTouchedBy(ctx.db, ctx.user.accountId),
      );
      return ok;
    }),
};
