// Lets operators restore access for people who are locked out (capabilities section 4). The owner of the account gets a notice.

import { and, eq, isNotNull, isNull } from "drizzle-orm";
import { badRequest, notFound } from "../api/errors.js";
import type { Config } from "../config.js";
import type { Transaction } from "../db/client.js";
import { account } from "../db/schema/index.js";
import { LINK_LIFETIMES } from "../mail/linkLifetimes.js";
import { linkTo } from "../mail/links.js";
import type { NoticeKind } from "../mail/templates/notice.js";
import { makeLink } from "../user/accountLinks.js";
import { noticeTo } from "../user/accountNotices.js";
import { type AuditType, logAct, personTarget } from "../user/auditLog.js";
import { passwordsMustBeOn } from "../user/reauthentication.js";
import { removeSecondFactor } from "../user/secondFactors.js";
import { mustStillOperate, type Operator } from "./administeredAccounts.js";
import type { ResetLink } from "./adminShapes.js";

/** Locks the account of a person. @throws NOT_FOUND if unknown; BAD_REQUEST if disabled, or an accountless guest. */
async function lockedPerson(tx: Transaction, publicId: string) {
  const [row] = await tx
    .select({
      accountId: account.id,
      publicId: account.publicId,
      name: account.name,
      email: account.email,
      isDisabled: isNotNull(account.disabledAt).mapWith(Boolean),
    })
    .from(account)
    .where(and(eq(account.publicId, publicId), isNull(account.deletedAt)))
    .for("no key update");
  if (row === undefined) throw notFound();
  if (row.isDisabled) throw badRequest("The account is disabled", "userPublicId");
  if (row.email === null) throw badRequest("An accountless guest does not sign in", "userPublicId");
  return row;
}

type LockedPerson = Awaited<ReturnType<typeof lockedPerson>>;

/** Writes the act to the audit log, and sends the person a notice. */
async function record(
  tx: Transaction,
  config: Config,
  { accountId: actorId, client }: Operator,
  person: LockedPerson,
  { act, notice }: { act: AuditType; notice: NoticeKind },
): Promise<void> {
  await logAct(tx, client, { type: act, actorId, target: personTarget(person) });
  await noticeTo(tx, config, person, notice);
}

/** Makes a link that sets a password. @throws NOT_FOUND; BAD_REQUEST for an account that cannot sign in, or the own; FORBIDDEN. */
export async function makeResetLink(
  tx: Transaction,
  config: Config,
  operator: Operator,
  publicId: string,
): Promise<ResetLink> {
  passwordsMustBeOn(config);
  await mustStillOperate(tx, operator);
  const person = await lockedPerson(tx, publicId);
  // A session alone must not replace the password of its own account.
  if (person.accountId === operator.accountId)
    throw badRequest("Change your own password with `PUT /users/me/password`", "userPublicId");
  const expiresAt = new Date(Date.now() + LINK_LIFETIMES.passwordReset.ms).toISOString();
  const token = await makeLink(tx, { accountId: person.accountId, kind: "passwordReset" });
  await record(tx, config, operator, person, { act: "account.resetLinkMade", notice: "resetLinkMade" });
  return { url: linkTo(config, "reset", token), expiresAt };
}

/** Removes the second factor of an account. @throws NOT_FOUND if it is unknown; BAD_REQUEST if it has none or cannot sign in. */
export async function removeTwoFactor(
  tx: Transaction,
  config: Config,
  operator: Operator,
  publicId: string,
): Promise<void> {
  const person = await lockedPerson(tx, publicId);
  if (!(await removeSecondFactor(tx, person.accountId)))
    throw badRequest("The account has no second factor", "userPublicId");
  await record(tx, config, operator, person, { act: "twoFactor.disabled", notice: "twoFactorRemoved" });
}
