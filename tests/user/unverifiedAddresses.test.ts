// An account whose address is not verified (capabilities section 1): it may be somebody else's address, so nothing that the owner of
// the mailbox could not see gets into the account, and the first proof of the address ends what did.

import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { account, identity, twoFactor } from "../../src/db/schema/index.js";
import { contentsOf, expectError, ok, type Person, testApp } from "../helpers/app.js";
import { CALLBACK, startIssuer } from "../helpers/issuer.js";
import {
  accountIdOf,
  codeOf,
  linkFor,
  mailedToken,
  mailsTo,
  RECOVERY_ENVIRONMENT,
  switchOn,
} from "../helpers/recovery.js";
import { rolesOf, signInsOn } from "./oidc/signIns.js";

const issuer = await startIssuer();
const app = await testApp({ ...RECOVERY_ENVIRONMENT, OIDC_PROVIDERS: rolesOf(issuer) });
const { as, anonymous, make, db, another } = app;
const { signIn } = signInsOn(app);

const NEW = "another horse battery";

const OPERATIONS = [
  { what: "makes no personal token", path: "/tokens", body: () => ({ name: "Mine", scope: "write" }) },
  {
    what: "links no identity",
    path: "/auth/oidc/plain/start",
    body: ({ password }: Person) => ({ redirectUri: CALLBACK, link: true, currentPassword: password }),
  },
  {
    what: "begins no second factor",
    path: "/users/me/two-factor",
    body: ({ password }: Person) => ({ currentPassword: password }),
  },
] as const;

describe.each(OPERATIONS)("an account with an unverified address $what", ({ path, body }) => {
  test("where the service sends mail, until the address is verified", async () => {
    const ada = await make.unverified();
    const before = await contentsOf(db);
    expectError(await as(ada).post(path, body(ada)), "FORBIDDEN", "email");
    expect(await contentsOf(db)).toEqual(before);
    const token = await linkFor(db, ada, "emailVerification", ada.email);
    ok(await anonymous.post("/auth/email/confirm", { token }));
    ok(await as(ada).post(path, body(ada)));
  });

  test("but does where the service sends none", async () => {
    const plain = await another({ MAIL_URL: "", MAIL_FROM: "" });
    const ada = await make.unverified();
    ok(await plain.as(ada).post(path, body(ada)));
  });
});

test("a second factor that was begun before mail was configured cannot be confirmed", async () => {
  const plain = await another({ MAIL_URL: "", MAIL_FROM: "" });
  const ada = await make.unverified();
  const begun = await plain.as(ada).post<{ secret: string }>("/users/me/two-factor", { currentPassword: ada.password });
  const code = codeOf(ok(begun).secret);
  expectError(await as(ada).post("/users/me/two-factor/confirm", { code }), "FORBIDDEN", "email");
  ok(await plain.as(ada).post("/users/me/two-factor/confirm", { code }));
});

test("invitations by an account with an unverified address are made, and not mailed", async () => {
  const owner = await make.unverified();
  const { board, workspace } = await make.board({ owner });
  const places = [`/workspaces/${workspace.publicId}/members/invite`, `/boards/${board.publicId}/members/invite`];
  for (const path of places) {
    const email = `to.${board.publicId.toLowerCase()}.${path.length}@example.net`;
    expect(ok(await as(owner).post(path, { email }))).toMatchObject({ invited: true, mailed: false });
    expect(await mailsTo(db, email, "invitation")).toEqual([]);
  }
});

describe("a reset of an address that was never verified", () => {
  /** Somebody else who took an address, with everything that older accounts may have. */
  async function squatter() {
    const ada = await make.user();
    const personal = await make.token(ada);
    const claims = { sub: ada.publicId };
    ok(await signIn(claims, { by: ada, link: true }));
    await switchOn(app, ada);
    await db.update(account).set({ emailVerifiedAt: null }).where(eq(account.publicId, ada.publicId));
    return { ada, personal, claims };
  }

  test("by the mailed link verifies it, and ends tokens, identities and the second factor without a code", async () => {
    const { ada, personal, claims } = await squatter();
    ok(await anonymous.post("/auth/password-reset", { email: ada.email }));
    const token = await mailedToken(db, ada.email, "passwordReset");
    ok(await anonymous.post("/auth/password-reset/confirm", { token, password: NEW }));
    expectError(await as(personal).get("/users/me"), "UNAUTHORIZED");
    expectError(await as(ada).get("/users/me"), "UNAUTHORIZED");
    expectError(await signIn(claims), "FORBIDDEN");
    const owner = await anonymous.post<{
      accessToken: string;
      user: { publicId: string; emailVerifiedAt: string | null };
    }>("/auth/sign-in", { email: ada.email, password: NEW });
    expect(ok(owner).user).toMatchObject({ publicId: ada.publicId, emailVerifiedAt: expect.any(String) });
    const accountId = await accountIdOf(db, ada);
    expect(await db.$count(identity, eq(identity.accountId, accountId))).toBe(0);
    expect(await db.$count(twoFactor, eq(twoFactor.accountId, accountId))).toBe(0);
  });

  test("by a link that an operator hands out proves no address: the code is asked for, and everything stays", async () => {
    const { ada, personal } = await squatter();
    const token = await linkFor(db, ada, "passwordReset");
    const body = { token, password: NEW };
    expectError(await anonymous.post("/auth/password-reset/confirm", body), "UNAUTHORIZED", "code");
    ok(await as(personal).get("/users/me"));
    await db.rows(sql`delete from two_factor where account_id = ${await accountIdOf(db, ada)}::bigint`);
    ok(await anonymous.post("/auth/password-reset/confirm", body));
    expect(ok(await as(personal).get("/users/me"))).toMatchObject({ emailVerifiedAt: null });
  });

  test("of a verified address keeps personal tokens and identities, and asks for the code", async () => {
    const { ada, personal } = await squatter();
    await db
      .update(account)
      .set({ emailVerifiedAt: new Date().toISOString() })
      .where(eq(account.publicId, ada.publicId));
    ok(await anonymous.post("/auth/password-reset", { email: ada.email }));
    const token = await mailedToken(db, ada.email, "passwordReset");
    expectError(await anonymous.post("/auth/password-reset/confirm", { token, password: NEW }), "UNAUTHORIZED", "code");
    ok(await as(personal).get("/users/me"));
  });
});
