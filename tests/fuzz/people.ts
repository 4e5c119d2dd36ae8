// What requests about signing in need to succeed: a service that can do all of it, codes and links that work once, and people who come
// back from a provider.

import { eq } from "drizzle-orm";
import { account } from "../../src/db/schema/index.js";
import { ok, type Person, type TestApp, unique } from "../helpers/app.js";
import { CALLBACK, comeBack, providerEnvironment } from "../helpers/issuer.js";
import { codeOf, linkFor, RECOVERY_ENVIRONMENT, switchOn } from "../helpers/recovery.js";
import type { Ids } from "./document.js";

/** The settings of a service that sends mail, keeps secrets and has a provider. */
export const peopleEnvironment = async () => ({ ...RECOVERY_ENVIRONMENT, ...(await providerEnvironment()) });

/** Makes what one request of a person names. The turn is 0 or 1, so that an operation is tried in two states. */
type Preparation = (person: Person, turn: number) => Promise<Ids>;

const address = (word: string) => `${unique(word).replace(" ", ".")}@example.org`;

/** A code of six digits, as people read it and as they copy it. */
const written = (code: string) => [code, `${code.slice(0, 3)} ${code.slice(3)}`];

/** Preparations by operation, on the database of an application. */
export function preparations(app: TestApp): Record<string, Preparation> {
  const { db, as, anonymous } = app;

  async function beginTwoFactors(person: Person): Promise<Ids> {
    const body = { currentPassword: person.password };
    const { secret } = ok(await as(person).post<{ secret: string }>("/users/me/two-factor", body));
    return { code: written(codeOf(secret)) };
  }

  async function haveTwoFactors(person: Person): Promise<Ids> {
    const { secret, recoveryCodes } = await switchOn(app, person);
    const [first = "", second = ""] = recoveryCodes;
    return { code: [...written(codeOf(secret, 1)), first, second.toUpperCase().replaceAll("-", "")] };
  }

  /** A second factor on every second turn. */
  const mayHaveTwoFactors: Preparation = async (person, turn) => (turn === 1 ? haveTwoFactors(person) : {});

  async function linksToAddresses(person: Person): Promise<Ids> {
    const [pendingEmail, formerEmail] = [address("new"), address("former")];
    await db.update(account).set({ pendingEmail }).where(eq(account.publicId, person.publicId));
    const tokens = [
      await linkFor(db, person, "emailVerification", person.email),
      await linkFor(db, person, "emailChange", pendingEmail),
      await linkFor(db, person, "emailRestore", formerEmail),
    ];
    return { addressToken: tokens };
  }

  async function becomeUnverified(person: Person): Promise<Ids> {
    await db.update(account).set({ emailVerifiedAt: null }).where(eq(account.publicId, person.publicId));
    return {};
  }

  /** Somebody new at the provider, who signs in, or whom the person links on every second turn. */
  async function comeBackOnce(person: Person, turn: number): Promise<Ids> {
    const isLinked = turn === 1;
    const started = await (isLinked ? as(person) : anonymous).post<{ authorizationUrl: string; flowToken: string }>(
      "/auth/oidc/example/start",
      { redirectUri: CALLBACK, ...(isLinked && { link: true, currentPassword: person.password }) },
    );
    const { authorizationUrl, flowToken } = ok(started);
    const claims = { sub: unique("subject"), email: address("arrived"), email_verified: true, name: unique("Person") };
    return { flowToken: [flowToken], callbackUrl: [await comeBack(authorizationUrl, claims)] };
  }

  return {
    "user.signIn": mayHaveTwoFactors,
    "user.resetPassword": async (person, turn) => ({
      resetToken: [await linkFor(db, person, "passwordReset")],
      ...(await mayHaveTwoFactors(person, turn)),
    }),
    "user.requestEmailVerification": becomeUnverified,
    "user.confirmEmail": linksToAddresses,
    "user.oidc.finish": comeBackOnce,
    "user.twoFactor.confirm": beginTwoFactors,
    "user.twoFactor.disable": haveTwoFactors,
    "user.twoFactor.recoveryCodes": haveTwoFactors,
  };
}
