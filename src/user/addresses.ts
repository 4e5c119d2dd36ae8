// The address of an account: verifying it, changing it, and restoring the old one (capabilities section 1).

import { and, eq, gte } from "drizzle-orm";
import { z } from "zod";
import { endSessions, lockedAccount } from "../access/tokens.js";
import type { Context, Signed } from "../api/context.js";
import { badRequest, conflict, tooManyRequests } from "../api/errors.js";
import { runOnce } from "../api/idempotency.js";
import { Ok, ok } from "../api/shapes.js";
import { accountSessionProcedure, publicProcedure } from "../api/trpc.js";
import type { Queries, Transaction } from "../db/client.js";
import { violates } from "../db/failures.js";
import { accessToken, account, accountLink } from "../db/schema/index.js";
import { LINK_LIFETIMES } from "../mail/linkLifetimes.js";
import { mailWait } from "../mail/mailLimits.js";
import { queueMail } from "../mail/newMail.js";
import type { Remaining } from "../mail/templates/notice.js";
import { changeAccount, changeAll } from "./accountChanges.js";
import { accountOfLink, endLinks, heldBy, LinkToken, makeLink, type OpenedLink, openLink } from "./accountLinks.js";
import { noticeTo } from "./accountNotices.js";
import { type AuditType, logOwnAct } from "./auditLog.js";
import { ADDRESS_CHANGED, logPerson, workspaceKeysOf } from "./memberships.js";
import { mustSendMail, providersOf } from "./passwordReset.js";
import { HASH_WEIGHT } from "./passwords.js";
import { CURRENT_PASSWORD_TEXT, notPassword, reauthenticate } from "./reauthentication.js";
import { hasSecondFactor } from "./secondFactors.js";
import { GUESSES_TEXT } from "./signInAttempts.js";
import { Email, Password } from "./userShapes.js";

/** Makes a link that confirms an address, and queues its mail. @throws TOO_MANY_REQUESTS where a limit of mails is met. */
async function mailConfirmation(
  db: Queries,
  config: Context["config"],
  kind: "emailVerification" | "emailChange",
  { accountId, email }: { accountId: number; email: string },
): Promise<void> {
  const newMail = { kind, accountId, address: email, ...(kind === "emailChange" && { causedBy: accountId }) };
  const wait = await mailWait(db, newMail);
  if (wait !== null) throw tooManyRequests(wait);
  const token = await makeLink(db, { accountId, kind, email });
  await queueMail(db, config, { ...newMail, data: { token } });
}

/** The caller's account, locked. @throws BAD_REQUEST where its password no longer has the hash that was verified. */
async function lockOwn(tx: Signed<Transaction>, hash?: string | null) {
  const own = await lockedAccount(tx);
  if (hash !== undefined && own.passwordHash !== hash) throw notPassword();
  return own;
}

const taken = () => conflict("Belongs to another account", "email");

/** @throws CONFLICT for an address that another account has, or can restore. */
async function mustBeFree(db: Queries, email: string, accountId: number): Promise<void> {
  const [other] = await db.select({ id: account.id }).from(account).where(eq(account.email, email));
  const holder = other?.id ?? (await heldBy(db, email)) ?? accountId;
  if (holder !== accountId) throw taken();
}

/** Applies a link to an address. @throws BAD_REQUEST if the address is no longer the one it was made for. */
async function confirm(tx: Transaction, { config, client }: Context, link: OpenedLink): Promise<string> {
  const { person, kind, email } = link;
  const { accountId } = person;
  if (email === null) throw notALink();
  const emailVerifiedAt = new Date().toISOString();
  const set = (values: Partial<typeof account.$inferInsert>) =>
    tx
      .update(account)
      .set({ emailVerifiedAt, ...values })
      .where(eq(account.id, accountId));
  if (kind === "emailVerification") {
    if (email !== person.email) throw notALink();
    await set({});
    await endLinks(tx, accountId, ["emailVerification"]);
  } else if (kind === "emailChange") {
    if (email !== person.pendingEmail) throw notALink();
    await mustBeFree(tx, email, accountId);
    await set({ email, pendingEmail: null });
    await endLinks(tx, accountId, ["emailVerification", "emailChange", "passwordReset"]);
    if (person.email !== null) await offerRestoring(tx, { accountId, email: person.email, newEmail: email }, config);
  } else {
    await set({ email, pendingEmail: null });
    await endLinks(tx, accountId, ["emailVerification", "emailChange", "passwordReset"]);
    await endSessions(tx, accountId);
    // Links to addresses that came later go: who has those took the account over. Earlier ones stay, for the same reason.
    const isLater = and(eq(accountLink.kind, "emailRestore"), gte(accountLink.id, link.id));
    await tx.delete(accountLink).where(and(eq(accountLink.accountId, accountId), isLater));
    await noticeTo(tx, config, { accountId, email }, "emailRestored", await remainingOf(tx, config, accountId));
  }
  await logOwnAct(tx, client, link.person, CONFIRMED[kind]);
  return email;
}

/** The credentials that stay on an account whose address is restored, oldest first. */
async function remainingOf(db: Queries, config: Context["config"], accountId: number): Promise<Remaining> {
  const tokens = await db
    .select({ name: accessToken.name })
    .from(accessToken)
    .where(and(eq(accessToken.accountId, accountId), eq(accessToken.kind, "personal")))
    .orderBy(accessToken.id);
  return {
    tokens: tokens.map(({ name }) => name),
    providers: await providersOf(db, config, accountId),
    hasSecondFactor: await hasSecondFactor(db, accountId),
  };
}

const CONFIRMED = {
  emailVerification: "account.emailVerified",
  emailChange: "account.emailChanged",
  emailRestore: "account.emailRestored",
  passwordReset: "account.passwordReset",
} as const satisfies Record<OpenedLink["kind"], AuditType>;

/** Sends the old address the link that restores it. */
async function offerRestoring(
  tx: Transaction,
  { accountId, email, newEmail }: { accountId: number; email: string; newEmail: string },
  config: Context["config"],
): Promise<void> {
  const token = await makeLink(tx, { accountId, kind: "emailRestore", email });
  await queueMail(tx, config, { kind: "emailChanged", accountId, address: email, data: { token, newEmail } });
}

/** Locks the account of a link, and gives its workspaces, whose members may be shown its address. */
async function workspacesOfLink(db: Transaction, token: string): Promise<number[]> {
  const accountId = await accountOfLink(db, token);
  if (accountId === null) return [];
  await db.select({ id: account.id }).from(account).where(eq(account.id, accountId)).for("no key update");
  return workspaceKeysOf(db, accountId);
}

const notALink = () => badRequest("The link is not valid any more: ask for a new one", "token");

export const addresses = {
  requestEmailVerification: accountSessionProcedure
    .meta({
      fails: ["PRECONDITION_FAILED"],
      openapi: {
        method: "POST",
        path: "/users/me/email/verify",
        tags: ["Accounts"],
        summary: "Request a link to verify my address",
        description: `Sends a link that verifies the address of the account. It is valid for ${LINK_LIFETIMES.emailVerification.text} and works once. At most five mails per day and account, those to new addresses included, and five per day and address; beyond, TOO_MANY_REQUESTS. If the address is verified already, the call is BAD_REQUEST. PRECONDITION_FAILED where the server sends no mail. Requires a session token.`,
        successDescription: "The mail is sent.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(Ok)
    .mutation(({ ctx }) => {
      mustSendMail(ctx.config);
      return changeAccount(ctx, async (tx) => {
        const { accountId } = tx.user;
        const { email, emailVerifiedAt } = await lockOwn(tx);
        if (email === null || emailVerifiedAt !== null) throw badRequest("The address is verified already");
        await mailConfirmation(tx.db, ctx.config, "emailVerification", { accountId, email });
        return ok;
      });
    }),

  confirmEmail: publicProcedure
    .meta({
      authLimit: true,
      fails: ["CONFLICT"],
      openapi: {
        method: "POST",
        path: "/auth/email/confirm",
        protect: false,
        tags: ["Accounts"],
        summary: "Confirm an address",
        description:
          "Uses the token of a link that verifies an address, changes it, or restores the old one. Restoring ends all sessions and reset links of the account; the notice about it lists the personal tokens, identities and second factor that remain. A token that is unknown, used or expired is BAD_REQUEST. An address that another account has taken meanwhile is CONFLICT.",
        successDescription: "The address that the account now has.",
      },
    })
    .input(z.strictObject({ token: LinkToken }))
    .output(z.object({ email: z.string() }).meta({ id: "ConfirmedEmail", description: "The address of an account." }))
    .mutation(({ ctx, input: { token } }) =>
      changeAll(
        ctx,
        (tx) => workspacesOfLink(tx, token),
        async (tx, unitFor) => {
          const link = await openLink(tx, token, ["emailVerification", "emailChange", "emailRestore"]);
          if (link === null) throw notALink();
          const email = await confirm(tx, ctx, link);
          const { accountId, email: before } = link.person;
          const actor = { accountId, origin: "user" } as const;
          if (email !== before) await logPerson(tx, accountId, (id) => unitFor(id, actor), ADDRESS_CHANGED);
          return { email };
        },
      ).catch((error: unknown) => {
        throw violates(error, "account_email") ? taken() : error;
      }),
    ),

  changeEmail: accountSessionProcedure
    .meta({
      weight: HASH_WEIGHT,
      fails: ["PRECONDITION_FAILED", "CONFLICT"],
      openapi: {
        method: "PUT",
        path: "/users/me/email",
        tags: ["Accounts"],
        summary: "Change my address",
        description: `Sends a link to the new address, which becomes the address of the account when the link is used. The link is valid for ${LINK_LIFETIMES.emailChange.text}; a later call replaces it. The old address then gets a notice whose link restores it for ${LINK_LIFETIMES.emailRestore.text}. An address that another account has is CONFLICT; the present one is BAD_REQUEST. At most five mails per day and account, those that verify an address included, and five per day to one address, invitations included; beyond, TOO_MANY_REQUESTS. ${GUESSES_TEXT} PRECONDITION_FAILED where the server sends no mail. Requires a session token.`,
        successDescription: "The new address waits to be confirmed.",
      },
    })
    .input(
      z.strictObject({
        email: Email,
        currentPassword: Password.meta({
          description: `The password of the account. ${CURRENT_PASSWORD_TEXT}`,
        }).optional(),
      }),
    )
    .output(
      z
        .object({ pendingEmail: z.string().meta({ description: "The new address, until its link is used." }) })
        .meta({ id: "PendingEmail", description: "The new address, which is not confirmed yet." }),
    )
    .mutation(({ ctx, input: { email, currentPassword } }) =>
      runOnce(ctx, null, async () => {
        mustSendMail(ctx.config);
        const verified = await reauthenticate(ctx, currentPassword);
        return changeAccount(ctx, async (tx) => {
          const { accountId } = tx.user;
          const own = await lockOwn(tx, verified);
          if (own.email === email) throw badRequest("Is the address of the account already", "email");
          await mustBeFree(tx.db, email, accountId);
          await tx.db.update(account).set({ pendingEmail: email }).where(eq(account.id, accountId));
          await endLinks(tx.db, accountId, ["emailChange"]);
          await mailConfirmation(tx.db, ctx.config, "emailChange", { accountId, email });
          await logOwnAct(tx.db, ctx.client, tx.user, "account.emailChangeRequested");
          return { pendingEmail: email };
        });
      }),
    ),
};
