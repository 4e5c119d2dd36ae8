// Resetting a forgotten password by a link (capabilities section 1). A request does the same work and gets the same
// answer whether the address is known or not.

import { and, eq, gt, or, sql } from "drizzle-orm";
import { z } from "zod";
import { isOpen } from "../access/openAccounts.js";
import { endSessions, endTokens } from "../access/tokens.js";
import type { Context } from "../api/context.js";
import { badRequest, preconditionFailed, unauthorized } from "../api/errors.js";
import { networkOf } from "../api/limits.js";
import { Ok, ok } from "../api/shapes.js";
import { publicProcedure } from "../api/trpc.js";
import type { Config } from "../config.js";
import type { Queries, Transaction } from "../db/client.js";
import { account, accountLink, identity, mail, signInFailure } from "../db/schema/index.js";
import { LINK_LIFETIMES } from "../mail/linkLifetimes.js";
import { mailWait } from "../mail/mailLimits.js";
import { mailRow, NOW } from "../mail/newMail.js";
import { endLinks, isOfDisabled, LinkToken, makeLink, openLink } from "./accountLinks.js";
import { noticeTo } from "./accountNotices.js";
import { addressTarget, logAct, logOwnAct } from "./auditLog.js";
import { HASH_WEIGHT, hashPassword } from "./passwords.js";
import { passwordsMustBeOn } from "./reauthentication.js";
import { Code, codeNeeded, passSecondFactor, removeSecondFactor, wrongCode } from "./secondFactors.js";
import { Email, NewPassword } from "./userShapes.js";

const MAX_WRONG_CODES = 5;

/** @throws PRECONDITION_FAILED where the server sends no mail. */
export function mustSendMail({ mail: settings }: Pick<Config, "mail">): void {
  if (settings === null) throw preconditionFailed("This server sends no mail: ask its operator");
}

/** The account of a reset mail to an address; null if it must not be sent. */
interface Recipient {
  accountId: number;
  hasPassword: boolean;
}

/** In the days in which a changed address can be restored, no reset goes to the new one. */
async function recipientAt(db: Queries, email: string): Promise<Recipient | null> {
  const isRestorable = db
    .select({ one: sql`1` })
    .from(accountLink)
    .where(
      and(
        eq(accountLink.accountId, account.id),
        eq(accountLink.kind, "emailRestore"),
        gt(accountLink.expiresAt, sql`clock_timestamp()`),
      ),
    );
  const [row] = await db
    .select({ accountId: account.id, hasPassword: sql<boolean>`${account.passwordHash} is not null` })
    .from(account)
    .where(and(eq(account.email, email), isOpen(), sql`not exists ${isRestorable}`));
  return row ?? null;
}

/** The names of the providers that sign an account in. */
export async function providersOf(db: Queries, { oidcProviders }: Config, accountId: number): Promise<string[]> {
  const identities = await db
    .select({ providerId: identity.providerId })
    .from(identity)
    .where(eq(identity.accountId, accountId));
  const ids = new Set(identities.map(({ providerId }) => providerId));
  return oidcProviders.filter(({ id }) => ids.has(id)).map(({ name }) => name);
}

/**
 * Queues the mail of a reset. To an address that has no account, or whose account must get none, goes the same row with the same
 * work around it, dropped already: it also counts what is asked for the address.
 */
async function queueReset(tx: Transaction, { config, client }: Context, email: string): Promise<void> {
  if ((await mailWait(tx, { kind: "passwordReset", address: email })) !== null) return;
  const recipient = await recipientAt(tx, email);
  const accountId = recipient?.accountId ?? null;
  const providers = await providersOf(tx, config, accountId ?? 0);
  // Without a password and a provider, nothing else signs the account in.
  const getsLink = recipient !== null && (recipient.hasPassword || providers.length === 0);
  const token = await makeLink(tx, { accountId: getsLink ? accountId : null, kind: "passwordReset", email });
  const data = getsLink ? { token } : { providers };
  const row = mailRow({ kind: "passwordReset", accountId, address: email, data }, NOW);
  await tx.insert(mail).values(accountId === null ? { ...row, status: "dropped", data: null } : row);
  await logAct(tx, client, { type: "account.passwordResetRequested", actorId: null, target: addressTarget(email) });
}

/** Verifies the address of an account, and ends everything that lets somebody in but its password. */
async function startOver(tx: Transaction, accountId: number): Promise<void> {
  await tx.update(account).set({ emailVerifiedAt: new Date().toISOString() }).where(eq(account.id, accountId));
  await endTokens(tx, accountId);
  await tx.delete(identity).where(eq(identity.accountId, accountId));
  await removeSecondFactor(tx, accountId);
}

/** The outcome of using a reset link. */
type ResetOutcome = "unknown" | "disabled" | "missing" | "wrong" | "reset";

async function reset(tx: Transaction, ctx: Context, input: ResetInput, passwordHash: string): Promise<ResetOutcome> {
  const link = await openLink(tx, input.token, ["passwordReset"]);
  if (link === null) return (await isOfDisabled(tx, input.token)) ? "disabled" : "unknown";
  const { accountId, email, emailVerifiedAt } = link.person;
  // The owner of the mailbox owns the account. Before the address was first verified, somebody else may have set up a second factor.
  const isFirstProof = emailVerifiedAt === null && link.email !== null && link.email === email;
  const passed = isFirstProof ? "passed" : await passSecondFactor(tx, ctx.config, accountId, input.code);
  if (passed === "missing") return passed;
  if (passed === "wrong") {
    const failures = link.failures + 1;
    const isThis = eq(accountLink.id, link.id);
    if (failures >= MAX_WRONG_CODES) await tx.delete(accountLink).where(isThis);
    else await tx.update(accountLink).set({ failures }).where(isThis);
    return passed;
  }
  await tx.update(account).set({ passwordHash, pendingEmail: null }).where(eq(account.id, accountId));
  if (isFirstProof) await startOver(tx, accountId);
  else await endSessions(tx, accountId);
  // Somebody who knew the old password may have asked for another address.
  await endLinks(tx, accountId, ["passwordReset", "emailChange"]);
  const isOutside = email === null ? undefined : eq(signInFailure.email, email);
  await tx.delete(signInFailure).where(or(eq(signInFailure.accountId, accountId), isOutside));
  await logOwnAct(tx, ctx.client, link.person, "account.passwordReset");
  await noticeTo(tx, ctx.config, link.person, "passwordReset");
  return "reset";
}

const ResetInput = z.strictObject({
  token: LinkToken,
  password: NewPassword.meta({ description: "The new password." }),
  code: Code.meta({ description: "A code, if two-factor authentication is on." }).optional(),
});
type ResetInput = z.output<typeof ResetInput>;

export const passwordReset = {
  requestPasswordReset: publicProcedure
    .meta({
      authLimit: true,
      fails: ["FORBIDDEN", "PRECONDITION_FAILED"],
      openapi: {
        method: "POST",
        path: "/auth/password-reset",
        protect: false,
        tags: ["Accounts"],
        summary: "Request a link to reset a password",
        description: `Sends a link that sets a new password, to an address that has an account. The answer is the same, and takes the same time, whether the address is known or not. The link is valid for ${LINK_LIFETIMES.passwordReset.text} and works once. At most three mails per hour and address are sent; further calls succeed and send nothing. For ${LINK_LIFETIMES.emailRestore.text} after a change of address no link goes to the new address. An account without a password gets the names of its providers instead of a link, and a link if it has no provider either. PRECONDITION_FAILED where the server sends no mail; FORBIDDEN if the operator switched passwords off.`,
        successDescription: "A mail is sent if the address has an account.",
      },
    })
    .input(z.strictObject({ email: Email }))
    .output(Ok)
    .mutation(async ({ ctx, input }) => {
      passwordsMustBeOn(ctx.config);
      mustSendMail(ctx.config);
      await ctx.db.transaction((tx) => queueReset(tx, ctx, input.email));
      return ok;
    }),

  resetPassword: publicProcedure
    .meta({
      weight: HASH_WEIGHT,
      authLimit: true,
      fails: ["UNAUTHORIZED", "FORBIDDEN", "PRECONDITION_FAILED"],
      openapi: {
        method: "POST",
        path: "/auth/password-reset/confirm",
        protect: false,
        tags: ["Accounts"],
        summary: "Reset a password",
        description:
          "Sets a new password with the token of a reset link, ends all sessions and all other reset links of the account, cancels a change of address that is not confirmed yet, and sends a notice. Personal tokens stay valid. If the address was never verified, a mailed link verifies it, also ends personal tokens, identities and the second factor, and requires no code. A token that is unknown, used or expired is BAD_REQUEST; that of a disabled account is UNAUTHORIZED. If two-factor authentication is on, `code` is required: without it the call is UNAUTHORIZED with the issue `code`, and the token stays usable; five wrong codes end it. FORBIDDEN if the operator switched passwords off.",
        successDescription: "The password was set.",
      },
    })
    .input(ResetInput)
    .output(Ok)
    .mutation(async ({ ctx, input }) => {
      passwordsMustBeOn(ctx.config);
      const passwordHash = await hashPassword(input.password, networkOf(ctx.client.address));
      const outcome = await ctx.db.transaction((tx) => reset(tx, ctx, input, passwordHash));
      if (outcome === "unknown") throw badRequest("The link is not valid any more: ask for a new one", "token");
      if (outcome === "disabled") throw unauthorized();
      if (outcome === "missing") throw codeNeeded();
      if (outcome === "wrong") throw wrongCode();
      return ok;
    }),
};
