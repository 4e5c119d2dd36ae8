// The account that an identity at a provider belongs or is attached to: the rules of capabilities section 2, in their order. The key
// of an identity is (issuer, subject), never its address.

import { and, eq } from "drizzle-orm";
import { isOpen } from "../../access/openAccounts.js";
import type { AccountHolder, Caller, Context } from "../../api/context.js";
import { conflict, forbidden, unauthorized } from "../../api/errors.js";
import type { Transaction } from "../../db/client.js";
import { newPublicId } from "../../db/ids.js";
import { accessToken, account, identity } from "../../db/schema/index.js";
import type { OidcProvider } from "../../oidcSettings.js";
import { heldBy, isRestorable } from "../accountLinks.js";
import { noticeTo } from "../accountNotices.js";
import { logAct, logOwnAct } from "../auditLog.js";
import { accountFields, type Entrant, signingUp, storeAccount } from "../signUps.js";
import { PersonName } from "../userShapes.js";
import type { ProviderPerson } from "./providers.js";

/** A person who came back from a provider. */
export interface Arrival {
  provider: OidcProvider;
  person: ProviderPerson;
  /** The caller who attaches the identity; null for a sign-in. */
  linkTo: Caller | null;
  inviteCode: string | undefined;
}

const addressTaken = () =>
  conflict(
    "An account has this e-mail address already: sign in to it in another way, then add this provider with `link`",
  );

/** Whether the provider vouches for the address: it is trusted with addresses, and says so of this one. */
const vouches = ({ provider, person }: Arrival) => provider.linkByEmail && person.isEmailVerified;

/** The holder of a known identity, which notes what the provider says now. */
async function holderOf(db: Transaction, { person, linkTo }: Arrival): Promise<AccountHolder | null> {
  const isIt = and(eq(identity.issuer, person.issuer), eq(identity.subject, person.subject));
  const [row] = await db
    .select({ ...accountFields, disabledAt: account.disabledAt })
    .from(identity)
    .innerJoin(account, eq(account.id, identity.accountId))
    .where(isIt)
    .for("no key update", { of: account });
  if (row === undefined) return null;
  const { disabledAt, ...holder } = row;
  if (linkTo !== null && linkTo.accountId !== holder.accountId)
    throw conflict("This identity belongs to another account");
  if (disabledAt !== null) throw unauthorized();
  await db.update(identity).set({ email: person.email, lastUsedAt: new Date().toISOString() }).where(isIt);
  return holder;
}

/** Attaches the identity to an account, whose row is locked. */
async function attach(
  db: Transaction,
  ctx: Context,
  { provider, person }: Arrival,
  holder: AccountHolder,
): Promise<void> {
  const { issuer, subject, email } = person;
  const publicId = newPublicId();
  const { accountId } = holder;
  const known = { issuer, subject, email, lastUsedAt: new Date().toISOString() };
  await db.insert(identity).values({ publicId, accountId, providerId: provider.id, ...known });
  const target = { kind: "identity", publicId, name: provider.id } as const;
  await logAct(db, ctx.client, { type: "identity.linked", actorId: accountId, target });
  await noticeTo(db, ctx.config, holder, "identityLinked");
}

/** The account of a session that attaches an identity, unless either has ended. */
async function linking(db: Transaction, { accountId, token }: Caller): Promise<AccountHolder> {
  const [row] = await db
    .select(accountFields)
    .from(account)
    .innerJoin(accessToken, eq(accessToken.accountId, account.id))
    .where(and(eq(account.id, accountId), eq(accessToken.id, token.id), isOpen()))
    .for("no key update", { of: account });
  if (row === undefined) throw unauthorized();
  return row;
}

/**
 * The account with the arrival's address, where both sides have verified that. In the days in which a changed address can be restored,
 * nobody gets in by the new one.
 * @throws CONFLICT where the address belongs to an account, but that is not so; UNAUTHORIZED where the account is disabled.
 */
async function holderByEmail(db: Transaction, arrival: Arrival): Promise<AccountHolder | null> {
  const { email } = arrival.person;
  if (email === null) return null;
  const [row] = await db
    .select({ ...accountFields, disabledAt: account.disabledAt })
    .from(account)
    .where(eq(account.email, email))
    .for("no key update");
  if (row === undefined) return null;
  const { disabledAt, ...holder } = row;
  const isLinkable = holder.emailVerifiedAt !== null && !(await isRestorable(db, holder.accountId));
  if (!vouches(arrival) || !isLinkable) throw addressTaken();
  if (disabledAt !== null) throw unauthorized();
  return holder;
}

/** The address of a new account, which the provider's `allowedDomains` must allow. */
function allowedEmail({ provider: { allowedDomains }, person: { email, isEmailVerified } }: Arrival): string {
  if (email === null) throw forbidden("The provider states no e-mail address that an account could have");
  if (allowedDomains === undefined) return email;
  // An address that nobody verified says nothing of where its owner belongs.
  if (!isEmailVerified) throw forbidden("The provider does not state that the e-mail address is verified");
  if (!allowedDomains.includes(email.slice(email.indexOf("@") + 1)))
    throw forbidden("New accounts need an e-mail address of another domain");
  return email;
}

/** Makes an account of the arrival, or a full one of a guest's. */
async function signUp(db: Transaction, ctx: Context, arrival: Arrival): Promise<Entrant> {
  const { person, inviteCode } = arrival;
  const email = allowedEmail(arrival);
  if (ctx.config.signUp === "invited" && inviteCode === undefined)
    throw forbidden("An invitation is needed", "inviteCode");
  // An address that was changed lately is reserved for its former owner, who can restore it.
  if ((await heldBy(db, email)) !== null) throw addressTaken();
  const guest = await signingUp(ctx, inviteCode);
  const name = person.name ?? PersonName.parse(email.slice(0, email.indexOf("@")));
  const made = await storeAccount(db, guest, { name, email, image: person.image, passwordHash: null });
  await logOwnAct(db, ctx.client, made, "account.signedUp");
  return { person: made, guest };
}

async function find(db: Transaction, ctx: Context, arrival: Arrival): Promise<Entrant> {
  const known = await holderOf(db, arrival);
  if (known !== null) return { person: known, guest: null };
  const { linkTo } = arrival;
  const present = linkTo !== null ? await linking(db, linkTo) : await holderByEmail(db, arrival);
  const entrant = present !== null ? { person: present, guest: null } : await signUp(db, ctx, arrival);
  await attach(db, ctx, arrival, entrant.person);
  return entrant;
}

/**
 * The account that an arrival leads to. It is open, and locked until the transaction ends.
 * @throws UNAUTHORIZED where it is disabled; CONFLICT where identity or address belong to another account; FORBIDDEN where the person
 * may not sign up.
 */
export async function accountOfArrival(db: Transaction, ctx: Context, arrival: Arrival): Promise<Entrant> {
  const entrant = await find(db, ctx, arrival);
  const { accountId, email } = entrant.person;
  if (!vouches(arrival) || email === null || email !== arrival.person.email) return entrant;
  const [person = entrant.person] = await db
    .update(account)
    .set({ emailVerifiedAt: new Date().toISOString() })
    .where(eq(account.id, accountId))
    .returning(accountFields);
  return { ...entrant, person };
}
