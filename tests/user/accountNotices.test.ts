// The mails that tell the owner of an account what changed (capabilities section 1).

import { describe, expect, test } from "vitest";
import { anAddress, ok, testApp } from "../helpers/app.js";
import { startIssuer } from "../helpers/issuer.js";
import { linkFor, mailsTo, RECOVERY_ENVIRONMENT, switchOn } from "../helpers/recovery.js";
import { rolesOf, signInsOn } from "./oidc/signIns.js";

const issuer = await startIssuer();
const app = await testApp({ ...RECOVERY_ENVIRONMENT, OIDC_PROVIDERS: rolesOf(issuer) });
const { as, anonymous, make, db } = app;
const { signIn } = signInsOn(app);

const noticesTo = async (email: string) => (await mailsTo(db, email, "notice")).map(({ data }) => data);

describe("a notice goes to the owner", () => {
  test("of a changed password", async () => {
    const ada = await make.user();
    const body = { currentPassword: ada.password, newPassword: "another horse battery" };
    ok(await as(ada).put("/users/me/password", body));
    expect(await noticesTo(ada.email)).toEqual([{ about: "passwordChanged" }]);
  });

  test("of a new personal token", async () => {
    const ada = await make.user();
    await make.token(ada);
    expect(await noticesTo(ada.email)).toEqual([{ about: "personalTokenMade" }]);
  });

  test("20 times a day at most, so that nobody floods a mailbox", async () => {
    const ada = await make.user();
    for (let count = 0; count < 22; count += 1) await make.token(ada);
    expect(await noticesTo(ada.email)).toHaveLength(20);
  });
});

describe("the notice of a restored address", () => {
  test("lists the personal tokens, identities and second factor that remain", async () => {
    const ada = await make.user();
    const [first, second] = [await make.token(ada), await make.token(ada)];
    ok(await signIn({ sub: ada.publicId }, { by: ada, link: true }));
    await switchOn(app, ada);
    const token = await linkFor(db, ada, "emailRestore", ada.email);
    ok(await anonymous.post("/auth/email/confirm", { token }));
    const [notice] = await noticesTo(ada.email);
    const remaining = { tokens: [first.name, second.name], providers: ["Plain"], hasSecondFactor: true };
    expect(notice).toEqual({ about: "emailRestored", remaining });
  });

  test("of an account that has none of these says so, and nothing of tokens of others", async () => {
    await make.token(await make.user());
    const ada = await make.user();
    const former = anAddress();
    const token = await linkFor(db, ada, "emailRestore", former);
    ok(await anonymous.post("/auth/email/confirm", { token }));
    const remaining = { tokens: [], providers: [], hasSecondFactor: false };
    expect(await noticesTo(former)).toEqual([{ about: "emailRestored", remaining }]);
  });
});
