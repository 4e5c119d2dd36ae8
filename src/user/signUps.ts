// Signs people up, with a password or at a provider: who may sign up, how the account is stored, and how
// the person enters: what their workspaces log, and the invitation (contract section 2, Accounts; capabilities section 2).

import { and, eq } from "drizzle-orm";
import { isOpen } from "../access/openAccounts.js";
import type { AccountHolder, Caller, Context, VerifiedCaller } from "../api/context.js";
import { badRequest, forbidden } from "../api/errors.js";
import type { Transaction } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { accessToken, account } from "../db/schema/index.js";
import { changesTo } from "../events/log.js";
import { changeAll } from "./accountChanges.js";
import { invitationOf, joinBy, workspaceInvitedTo } from "./joining.js";
import { ADDRESS_CHANGED, logPerson, workspaceKeysOf } from "./memberships.js";

/** The columns of an account that make it a person. */
export const accountFields = {
  accountId: account.id,
  publicId: account.publicId,
  name: account.name,
  email: account.email,
  emailVerifiedAt: account.emailVerifiedAt,
  pendingEmail: account.pendingEmail,
  timeZone: account.timeZone,
  image: account.image,
  isGuest: account.isGuest,
  createdAt: account.createdAt,
};

const notAGuests = () => badRequest("Sign-up accepts no token except that of an accountless guest");

/** The guest who signs up, or null for somebody new. @throws FORBIDDEN if sign-up is closed; BAD_REQUEST without an invitation. */
export async function signingUp(ctx: Context, inviteCode: string | undefined): Promise<VerifiedCaller | null> {
  if (ctx.caller !== null && !ctx.caller.isGuest) throw notAGuests();
  if (ctx.config.signUp === "closed") throw forbidden();
  if (ctx.config.signUp === "invited" && inviteCode === undefined)
    throw badRequest("Sign-up requires an invitation", "inviteCode");
  return ctx.caller === null ? null : ctx.verify(ctx.caller);
}

/** Creates an account, or turns an accountless guest into one and ends the guest's token. */
export async function storeAccount(
  tx: Transaction,
  guest: Caller | null,
  fields: { name: string; email: string; image?: string | null; passwordHash: string | null },
) {
  const [stored] =
    guest === null
      ? await tx
          .insert(account)
          .values({ ...fields, publicId: newPublicId(), lastSignInAt: new Date().toISOString() })
          .returning(accountFields)
      : await tx
          .update(account)
          .set({ ...fields, isGuest: false, lastSignInAt: new Date().toISOString() })
          .where(and(eq(account.id, guest.accountId), eq(account.isGuest, true), isOpen()))
          .returning(accountFields);
  // The guest became a full account, or was closed, while its password was hashed.
  if (stored === undefined) throw notAGuests();
  if (guest !== null) await tx.delete(accessToken).where(eq(accessToken.id, guest.token.id));
  return stored;
}

/** Somebody who gets in, and the accountless guest that they were before; null where they were none. */
export interface Entrant {
  person: AccountHolder;
  guest: VerifiedCaller | null;
}

/**
 * Runs the change in which somebody gets in: `find` finds or makes the account, and locks it. A guest who became a full account has an
 * address in its workspaces, and perhaps another name and image. With an invitation the account joins that workspace.
 * @throws BAD_REQUEST, naming `inviteCode`, where the code is unknown, expired, used or revoked.
 */
export async function enter<T>(
  ctx: Context,
  inviteCode: string | undefined,
  find: (db: Transaction) => Promise<Entrant>,
  answer: (db: Transaction, person: AccountHolder) => Promise<T>,
): Promise<T> {
  const invitedTo = inviteCode === undefined ? [] : [workspaceInvitedTo(inviteCode)];
  const guestId = ctx.caller?.isGuest === true ? ctx.caller.accountId : null;
  const inAll = async (db: Transaction) => [
    ...invitedTo,
    ...(guestId === null ? [] : await workspaceKeysOf(db, guestId)),
  ];
  return changeAll(ctx, inAll, async (db, unitFor) => {
    const invitation = inviteCode === undefined ? null : await invitationOf(db, inviteCode);
    const { person, guest } = await find(db);
    const actor = { accountId: person.accountId, origin: "user" as const };
    if (guest !== null) {
      const { name, image } = person;
      const changes = changesTo({ name: guest.name, image: guest.image }, { name, image }) ?? ADDRESS_CHANGED;
      await logPerson(db, person.accountId, (id) => unitFor(id, actor), changes);
    }
    if (invitation !== null) await joinBy(unitFor(invitation.workspaceId, actor), person, invitation);
    return answer(db, person);
  });
}
