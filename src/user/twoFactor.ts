// Setting up, replacing and removing the second factor of one's account (capabilities section 3).

import { eq, isNull } from "drizzle-orm";
import { z } from "zod";
import { endSessions, lockedAccount } from "../access/tokens.js";
import type { CallContext, Signed, VerifiedCaller } from "../api/context.js";
import { badRequest } from "../api/errors.js";
import { Ok, ok } from "../api/shapes.js";
import { accountSessionProcedure } from "../api/trpc.js";
import type { Database, Transaction } from "../db/client.js";
import { twoFactor as twoFactorTable } from "../db/schema/index.js";
import { changeAccount } from "./accountChanges.js";
import { noticeTo } from "./accountNotices.js";
import { logOwnAct } from "./auditLog.js";
import { HASH_WEIGHT } from "./passwords.js";
import {
  addressMustBeVerified,
  CURRENT_PASSWORD_TEXT,
  notPassword,
  reauthenticate,
  VERIFIED_ADDRESS_TEXT,
} from "./reauthentication.js";
import {
  Code,
  hasSecondFactor,
  makeRecoveryCodes,
  newSecret,
  passSecondFactor,
  removeSecondFactor,
  spendGeneratedCode,
} from "./secondFactors.js";
import { GUESSES_TEXT, mustHaveGuesses, noteFailure } from "./signInAttempts.js";
import { Password } from "./userShapes.js";

const currentPassword = Password.meta({
  description: `The password of the account. ${CURRENT_PASSWORD_TEXT}`,
}).optional();

const BegunTwoFactor = z
  .object({
    otpauthUrl: z.string().meta({
      description: "The `otpauth://` URL to show as a QR code.",
      examples: ["otpauth://totp/work-board:ada%40example.org?issuer=work-board&secret=JBSWY3DPEHPK3PXP"],
    }),
    secret: z.string().meta({ description: "The same secret in base32, to type in.", examples: ["JBSWY3DPEHPK3PXP"] }),
  })
  .meta({ id: "BegunTwoFactor", description: "The secret of a second factor that waits for its first code." });

const RecoveryCodes = z
  .object({
    recoveryCodes: z.array(z.string()).meta({
      description:
        "Ten codes, each of which stands in for the authenticator application once. Only this answer shows them.",
      examples: [["k7f3-m9qx-2pwd-v8hn"]],
    }),
  })
  .meta({ id: "RecoveryCodes", description: "The recovery codes of a second factor." });

const notThisCode = () => badRequest("Is not a valid code", "code");

/** Runs a change that requires a code. @throws BAD_REQUEST without a second factor, and on `code`; TOO_MANY_REQUESTS. */
async function changeWithCode<T>(
  ctx: CallContext & Signed<Database, VerifiedCaller>,
  code: string,
  run: (tx: Signed<Transaction, VerifiedCaller>) => Promise<T>,
): Promise<T> {
  const attempt = { email: ctx.user.email ?? "", client: ctx.client, actorId: ctx.user.accountId };
  await mustHaveGuesses(ctx.db, attempt);
  try {
    return await changeAccount(ctx, async (tx) => {
      await lockedAccount(tx);
      if (!(await hasSecondFactor(tx.db, tx.user.accountId))) throw badRequest("Two-factor authentication is off");
      const outcome = await passSecondFactor(tx.db, ctx.config, tx.user.accountId, code);
      if (outcome !== "passed") throw new WrongCode();
      await mustHaveGuesses(tx.db, attempt);
      return run(tx);
    });
  } catch (error) {
    if (!(error instanceof WrongCode)) throw error;
    await noteFailure(ctx.db, attempt);
    throw notThisCode();
  }
}

/** A code was wrong: the transaction ends, and the failure is counted outside of it. */
class WrongCode extends Error {}

export const twoFactor = {
  begin: accountSessionProcedure
    .meta({
      weight: HASH_WEIGHT,
      secretAnswer: true,
      fails: ["PRECONDITION_FAILED"],
      openapi: {
        method: "POST",
        path: "/users/me/two-factor",
        tags: ["Accounts"],
        summary: "Begin to set up two-factor authentication",
        description: `Makes a secret for an authenticator application (TOTP: SHA-1, six digits, 30 seconds). Sign-ins ask for a code once the secret is confirmed; until then a second call replaces it. If two-factor authentication is on already, the call is BAD_REQUEST. ${GUESSES_TEXT} ${VERIFIED_ADDRESS_TEXT} PRECONDITION_FAILED where the operator has set no \`SECRET_KEY\`. Requires a session token.`,
        successDescription: "The secret, which waits to be confirmed.",
      },
    })
    .input(z.strictObject({ currentPassword }))
    .output(BegunTwoFactor)
    .mutation(async ({ ctx, input }) => {
      const { accountId, email } = ctx.user;
      addressMustBeVerified(ctx.config, ctx.user);
      const { encrypted, ...answer } = newSecret(ctx.config, { accountId, label: email ?? "" });
      const verified = await reauthenticate(ctx, input.currentPassword);
      return changeAccount(ctx, async (tx) => {
        if ((await lockedAccount(tx)).passwordHash !== verified) throw notPassword();
        const begun = await tx.db
          .insert(twoFactorTable)
          .values({ accountId, secret: encrypted })
          .onConflictDoUpdate({
            target: twoFactorTable.accountId,
            set: { secret: encrypted, lastStep: 0 },
            setWhere: isNull(twoFactorTable.confirmedAt),
          })
          .returning({ accountId: twoFactorTable.accountId });
        if (begun.length === 0) throw badRequest("Two-factor authentication is on already");
        return answer;
      });
    }),

  confirm: accountSessionProcedure
    .meta({
      secretAnswer: true,
      fails: ["PRECONDITION_FAILED"],
      openapi: {
        method: "POST",
        path: "/users/me/two-factor/confirm",
        tags: ["Accounts"],
        summary: "Switch on two-factor authentication",
        description:
          "Switches on two-factor authentication with a first code of the authenticator application, and ends every other session of the account. Personal tokens stay valid. The answer holds ten recovery codes, which are shown only once. A wrong code, or no secret to confirm, is BAD_REQUEST. Requires a session token.",
        successDescription: "Two-factor authentication is on.",
      },
    })
    .input(z.strictObject({ code: Code }))
    .output(RecoveryCodes)
    .mutation(({ ctx, input }) =>
      changeAccount(ctx, async (tx) => {
        const { accountId, token } = tx.user;
        addressMustBeVerified(ctx.config, ctx.user);
        await lockedAccount(tx);
        const code = input.code.replace(" ", "");
        if (!(await spendGeneratedCode(tx.db, ctx.config, { accountId, confirmed: false }, code))) throw notThisCode();
        await tx.db
          .update(twoFactorTable)
          .set({ confirmedAt: new Date().toISOString() })
          .where(eq(twoFactorTable.accountId, accountId));
        await endSessions(tx.db, accountId, { except: token.id });
        await logOwnAct(tx.db, ctx.client, tx.user, "twoFactor.enabled");
        await noticeTo(tx.db, ctx.config, tx.user, "twoFactorEnabled");
        return { recoveryCodes: await makeRecoveryCodes(tx.db, accountId) };
      }),
    ),

  disable: accountSessionProcedure
    .meta({
      weight: HASH_WEIGHT,
      fails: ["PRECONDITION_FAILED"],
      openapi: {
        method: "POST",
        path: "/users/me/two-factor/disable",
        tags: ["Accounts"],
        summary: "Switch off two-factor authentication",
        description: `Removes the second factor and its recovery codes. Requires a session token, the password, and a code of the authenticator application or a recovery code. Wrong passwords and codes are BAD_REQUEST. ${GUESSES_TEXT}`,
        successDescription: "Two-factor authentication is off.",
      },
    })
    .input(z.strictObject({ currentPassword, code: Code }))
    .output(Ok)
    .mutation(async ({ ctx, input }) => {
      const verified = await reauthenticate(ctx, input.currentPassword);
      return changeWithCode(ctx, input.code, async (tx) => {
        if ((await lockedAccount(tx)).passwordHash !== verified) throw notPassword();
        await removeSecondFactor(tx.db, tx.user.accountId);
        await logOwnAct(tx.db, ctx.client, tx.user, "twoFactor.disabled");
        await noticeTo(tx.db, ctx.config, tx.user, "twoFactorDisabled");
        return ok;
      });
    }),

  recoveryCodes: accountSessionProcedure
    .meta({
      secretAnswer: true,
      fails: ["PRECONDITION_FAILED"],
      openapi: {
        method: "POST",
        path: "/users/me/two-factor/recovery-codes",
        tags: ["Accounts"],
        summary: "Make new recovery codes",
        description: `Replaces the recovery codes by ten new ones, which are shown only once. Requires a session token and a code of the authenticator application or a recovery code. Wrong codes are BAD_REQUEST. ${GUESSES_TEXT}`,
        successDescription: "The new recovery codes.",
      },
    })
    .input(z.strictObject({ code: Code }))
    .output(RecoveryCodes)
    .mutation(({ ctx, input }) =>
      changeWithCode(ctx, input.code, async (tx) => {
        await logOwnAct(tx.db, ctx.client, tx.user, "twoFactor.recoveryCodesMade");
        return { recoveryCodes: await makeRecoveryCodes(tx.db, tx.user.accountId) };
      }),
    ),
};
