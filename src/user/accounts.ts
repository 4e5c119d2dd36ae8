// Accounts: signing up, in and out, and what a person does to its own account (contract section 2, Accounts).

import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { isOpen } from "../access/openAccounts.js";
import { handingOver } from "../access/sessionCookies.js";
import { endSessions, endTokensOf, issueSession, lockedAccount } from "../access/tokens.js";
import type { AccountHolder, Client } from "../api/context.js";
import { definedOf } from "../api/defined.js";
import { badRequest, unauthorized } from "../api/errors.js";
import { runOnce } from "../api/idempotency.js";
import { networkOf } from "../api/limits.js";
import { Ok, ok, Text, Timestamp } from "../api/shapes.js";
import { personalProcedure, publicProcedure, sessionProcedure } from "../api/trpc.js";
import type { Config } from "../config.js";
import type { Transaction } from "../db/client.js";
import { account } from "../db/schema/index.js";
import { changesTo } from "../events/log.js";
import { VERSION } from "../version.js";
import { changeAccount } from "./accountChanges.js";
import { endLinks, storeAt } from "./accountLinks.js";
import { noticeTo } from "./accountNotices.js";
import { logOwnAct } from "./auditLog.js";
import { closeAccount, workspacesOfEnding } from "./closing.js";
import { workspaceInvitedTo } from "./joining.js";
import { logPerson, workspaceKeysOf } from "./memberships.js";
import { HASH_WEIGHT, hashPassword } from "./passwords.js";
import { CURRENT_PASSWORD_TEXT, notPassword, passwordsMustBeOn, reauthenticate } from "./reauthentication.js";
import { Code, codeNeeded, passSecondFactor, wrongCode } from "./secondFactors.js";
import { type Attempt, GUESSES_TEXT, isPassword, mustHaveGuesses, noteFailure } from "./signInAttempts.js";
import { accountFields, enter, signingUp, storeAccount } from "./signUps.js";
import { Email, Image, NewPassword, Password, PersonName, SessionForm, User, userOf } from "./userShapes.js";

/** The answer to a sign-in. */
export const Session = z
  .object({
    accessToken: z.string().optional().meta({
      description: "Send it as `Authorization: Bearer <token>`. Left out if `session` is `cookie`.",
    }),
    expiresAt: Timestamp.meta({ description: "When the token expires if it is not used before then." }),
    user: User,
  })
  .meta({ id: "Session", description: "A session token and the account that it belongs to." });

const CurrentSession = z
  .object({
    user: User.nullable().meta({ description: "Null if nobody is signed in." }),
    version: z.string().meta({ description: "The version of the service.", examples: ["0.1.0"] }),
  })
  .meta({ id: "CurrentSession", description: "Who is signed in." });

/** A session that has begun; `handingOver` makes the answer of it. */
export type IssuedSession = z.output<typeof Session> & { accessToken: string };

/**
 * Signs a person in, in a transaction that holds the lock of the account and has found it open: every way of signing in ends here.
 * `since`: when the session that this one continues began, if it continues one.
 */
export async function beginSession(
  db: Transaction,
  client: Client,
  person: AccountHolder,
  since?: string,
): Promise<IssuedSession> {
  const { accountId } = person;
  await db.update(account).set({ lastSignInAt: new Date().toISOString() }).where(eq(account.id, accountId));
  await logOwnAct(db, client, person, "account.signedIn");
  return { ...(await issueSession(db, accountId, client, since)), user: userOf(person) };
}

/** A person whose password was right, and what they try to sign in with. */
interface SignIn {
  person: AccountHolder & { hash: string | null };
  code: string | undefined;
  attempt: Attempt;
}

/** Signs in after a right password. @throws UNAUTHORIZED if it or the account changed meanwhile; TOO_MANY_REQUESTS */
async function signInWithCode(
  tx: Transaction,
  config: Config,
  { person, code, attempt }: SignIn,
): Promise<IssuedSession | "missing" | "wrong"> {
  // The password may have changed, or the account been disabled, since it was read: that ended every session.
  const [unchanged] = await tx
    .select({ id: account.id })
    .from(account)
    .where(and(eq(account.id, person.accountId), eq(account.passwordHash, person.hash ?? ""), isOpen()))
    .for("no key update");
  if (unchanged === undefined) throw unauthorized();
  const passed = await passSecondFactor(tx, config, person.accountId, code);
  if (passed !== "passed") return passed;
  await mustHaveGuesses(tx, attempt);
  return beginSession(tx, attempt.client, person);
}

export const accounts = {
  signUp: publicProcedure
    .meta({
      weight: HASH_WEIGHT,
      fails: ["FORBIDDEN"],
      answerHeaders: ["Set-Cookie"],
      authLimit: true,
      openapi: {
        method: "POST",
        path: "/auth/sign-up",
        protect: false,
        tags: ["Accounts"],
        summary: "Sign up",
        description:
          "Creates an account and signs it in. Addresses are stored in lower case; an address that already has an account is BAD_REQUEST. With `inviteCode` the account also joins that workspace; if the code is not valid, the call is BAD_REQUEST and no account is created. If the call carries the token of an accountless guest, that guest becomes a full account, keeps its memberships, and its old token ends. FORBIDDEN if the operator closed sign-up or switched passwords off.",
        successDescription: "The account was created and signed in.",
      },
    })
    .input(
      z.strictObject({
        name: PersonName,
        email: Email,
        password: NewPassword,
        inviteCode: Text(1, 64).meta({ description: "The code of an invitation to accept." }).optional(),
        session: SessionForm,
      }),
    )
    .output(Session)
    .mutation(async ({ ctx, input }) => {
      const handOver = handingOver(ctx, input.session);
      passwordsMustBeOn(ctx.config);
      const guest = await signingUp(ctx, input.inviteCode);
      const { name, email, inviteCode } = input;
      // Refuses a malformed code before the password is hashed.
      if (inviteCode !== undefined) workspaceInvitedTo(inviteCode);
      const passwordHash = await hashPassword(input.password, networkOf(ctx.client.address));
      const issued = await enter(
        ctx,
        inviteCode,
        async (db) => {
          const person = await storeAt(db, email, () => storeAccount(db, guest, { name, email, passwordHash }));
          await logOwnAct(db, ctx.client, person, "account.signedUp");
          return { person, guest };
        },
        async (db, person) => ({ ...(await issueSession(db, person.accountId, ctx.client)), user: userOf(person) }),
      );
      return handOver(issued);
    }),

  signIn: publicProcedure
    .meta({
      weight: HASH_WEIGHT,
      fails: ["UNAUTHORIZED", "FORBIDDEN", "PRECONDITION_FAILED"],
      answerHeaders: ["Set-Cookie"],
      authLimit: true,
      openapi: {
        method: "POST",
        path: "/auth/sign-in",
        protect: false,
        tags: ["Accounts"],
        summary: "Sign in",
        description:
          "Issues a session token, which ends 30 days after its last use. If two-factor authentication is on, `code` is required: with the right password and without it the call is UNAUTHORIZED with the issue `code`. A code works once, and a wrong one counts as a failure. A wrong password, an unknown address and a disabled account get the same UNAUTHORIZED. After 10 failures for an address within 15 minutes, further calls for it get TOO_MANY_REQUESTS. FORBIDDEN if the operator switched passwords off.",
        successDescription: "The caller is signed in.",
      },
    })
    .input(
      z.strictObject({
        email: Email,
        password: Password,
        code: Code.meta({ description: "A code, if two-factor authentication is on." }).optional(),
        session: SessionForm,
      }),
    )
    .output(Session)
    .mutation(async ({ ctx, input }) => {
      const handOver = handingOver(ctx, input.session);
      passwordsMustBeOn(ctx.config);
      const [row] = await ctx.db
        .select({ ...accountFields, hash: account.passwordHash })
        .from(account)
        .where(and(eq(account.email, input.email), isOpen()));
      const attempt = { email: input.email, client: ctx.client, actorId: null };
      const fits = await isPassword(ctx.db, { ...attempt, hash: row?.hash ?? null }, input.password);
      if (row === undefined || !fits) throw unauthorized();
      const outcome = await ctx.db.transaction((tx) =>
        signInWithCode(tx, ctx.config, { person: row, code: input.code, attempt }),
      );
      if (outcome === "missing") throw codeNeeded();
      if (outcome !== "wrong") return handOver(outcome);
      await noteFailure(ctx.db, attempt);
      throw wrongCode();
    }),

  signOut: personalProcedure
    .meta({
      endsSession: true,
      answerHeaders: ["Set-Cookie"],
      openapi: {
        method: "POST",
        path: "/auth/sign-out",
        tags: ["Accounts"],
        summary: "Sign out",
        description: "Ends the token of this call, or the sessions of all its session cookies, and removes the cookie.",
        successDescription: "The token was ended.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(Ok)
    .mutation(async ({ ctx }) => {
      await ctx.db.transaction(async (tx) => {
        const people = await endTokensOf(tx, [ctx.user.claim.tokenHash, ...ctx.cookie.tokenHashes()]);
        for (const person of people) await logOwnAct(tx, ctx.client, person, "account.signedOut");
      });
      ctx.cookie.clear();
      return ok;
    }),

  session: publicProcedure
    .meta({
      ignoresActingAs: true,
      fails: ["FORBIDDEN"],
      openapi: {
        method: "GET",
        path: "/auth/session",
        protect: false,
        tags: ["Accounts"],
        summary: "Get my session",
        description:
          "Tells a page whether somebody is signed in, and who. The call never fails for lack of a valid token or cookie, nor because of `Acting-As`.",
        successDescription: "The account, if there is a session, and the version of the service.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(CurrentSession)
    .query(async ({ ctx: { caller, verify } }) => ({
      user: caller === null ? null : userOf(await verify(caller)),
      version: VERSION,
    })),

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
    .input(z.strictObject({}).optional())
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
          const { accountId } = tx.user;
          const current = { ...(await lockedAccount(tx)), accountId };
          const changes = changesTo(current, input);
          if (changes === null) return userOf(current);
          await tx.db.update(account).set(input).where(eq(account.id, accountId));
          await logPerson(tx.db, accountId, unitOf, changes);
          return userOf({ ...current, ...definedOf(input) });
        },
        async (tx) => {
          await lockedAccount(tx);
          return workspaceKeysOf(tx.db, tx.user.accountId);
        },
      ),
    ),

  changePassword: sessionProcedure
    .meta({
      weight: HASH_WEIGHT,
      openapi: {
        method: "PUT",
        path: "/users/me/password",
        tags: ["Accounts"],
        summary: "Change my password",
        description: `Changes the password, or sets the first one. Ends every other session and all reset links of the account, and cancels a change of address that is not confirmed yet. The owner gets a notice by mail. Personal tokens stay valid. ${GUESSES_TEXT} Requires a session token.`,
        successDescription: "The password was changed.",
      },
    })
    .input(
      z.strictObject({
        currentPassword: Password.meta({
          description: `The password that is valid now. ${CURRENT_PASSWORD_TEXT}`,
        }).optional(),
        newPassword: NewPassword.meta({ description: "The password that replaces it." }),
      }),
    )
    .output(Ok)
    .mutation(({ ctx, input }) =>
      runOnce(ctx, null, async () => {
        passwordsMustBeOn(ctx.config);
        if (ctx.user.email === null) throw badRequest("An accountless guest has no password: sign up");
        const verified = await reauthenticate(ctx, input.currentPassword);
        const passwordHash = await hashPassword(input.newPassword, ctx.user.accountId);
        return changeAccount(ctx, async (tx) => {
          const { accountId, token } = tx.user;
          const current = await lockedAccount(tx);
          // Somebody else who knew the password has changed it since it was read.
          if (current.passwordHash !== verified) throw notPassword();
          await tx.db.update(account).set({ passwordHash, pendingEmail: null }).where(eq(account.id, accountId));
          await endLinks(tx.db, accountId, ["passwordReset", "emailChange"]);
          await logOwnAct(tx.db, ctx.client, tx.user, "account.passwordChanged");
          await endSessions(tx.db, accountId, { except: token.id });
          await noticeTo(tx.db, ctx.config, tx.user, "passwordChanged");
          return ok;
        });
      }),
    ),

  delete: sessionProcedure
    .meta({
      weight: HASH_WEIGHT,
      answerHeaders: ["Set-Cookie"],
      openapi: {
        method: "POST",
        path: "/users/me/delete",
        tags: ["Accounts"],
        summary: "Delete my account",
        description: `Deletes the account and ends its tokens, memberships and assignments, and the invitations that it issued. Its comments and events stay under the name \`Deleted user\`. Workspaces without other members are deleted. The last admin of a workspace with other members gets BAD_REQUEST, and so does the last instance admin. The address can be used again. Removes the session cookie if the call was made with it. Requires a session token and the password. ${GUESSES_TEXT}`,
        successDescription: "The account was deleted.",
      },
    })
    .input(
      z.strictObject({
        password: Password.meta({
          description: `The password of the account. ${CURRENT_PASSWORD_TEXT} An accountless guest leaves it out too.`,
        }).optional(),
      }),
    )
    .output(Ok)
    .mutation(async ({ ctx, input }) => {
      const verified = ctx.user.isGuest ? null : await reauthenticate(ctx, input.password, "password");
      await changeAccount(
        ctx,
        async (tx, unitOf) => {
          await closeAccount(tx, unitOf, verified);
          await logOwnAct(tx.db, ctx.client, tx.user, "account.deleted");
        },
        (tx) => workspacesOfEnding(tx.db, ctx.user.accountId),
      );
      ctx.cookie.clear();
      return ok;
    }),
};
