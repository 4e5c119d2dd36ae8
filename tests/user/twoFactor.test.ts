// Two-factor authentication (capabilities section 3): setting up, signing in with codes, and the ways back.

import { createHash } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { auditEntry, recoveryCode, twoFactor } from "../../src/db/schema/index.js";
import { expectError, ok, type Person, testApp } from "../helpers/app.js";
import { accountIdOf, codeOf, mailsTo, RECOVERY_ENVIRONMENT, switchOn } from "../helpers/recovery.js";

const app = await testApp(RECOVERY_ENVIRONMENT);
const { as, anonymous, make, db, another, logs } = app;

const signIn = ({ email, password }: Pick<Person, "email" | "password">, code?: string, client = anonymous) =>
  client.post<{ accessToken: string }>("/auth/sign-in", { email, password, ...(code !== undefined && { code }) });

/** Somebody with two-factor authentication, whose last code lies long ago. */
async function secured() {
  const ada = await make.user();
  const factor = await switchOn(app, ada);
  await db
    .update(twoFactor)
    .set({ lastStep: 0 })
    .where(eq(twoFactor.accountId, await accountIdOf(db, ada)));
  return { ada, ...factor };
}

const failuresOf = async (person: Person) => {
  const id = await accountIdOf(db, person);
  const [row] = await db.rows<{ count: number }>(
    sql`select count(*)::int as count from sign_in_failure where email = ${person.email}::text or account_id = ${id}::bigint`,
  );
  return row?.count;
};

describe("switching on two-factor authentication", () => {
  test("takes a first code, ends the other sessions, keeps personal tokens and tells by mail", async () => {
    const ada = await make.user();
    const other = ok(await signIn(ada)).accessToken;
    const personal = await make.token(ada);

    const begun = ok(
      await as(ada).post<{ secret: string; otpauthUrl: string }>("/users/me/two-factor", {
        currentPassword: ada.password,
      }),
    );
    ok(await signIn(ada));
    expect(begun.secret).toMatch(/^[A-Z2-7]{32}$/);
    const url = new URL(begun.otpauthUrl);
    expect(url.protocol).toBe("otpauth:");
    expect(url.searchParams.get("secret")).toBe(begun.secret);
    expect(decodeURIComponent(url.pathname)).toContain(ada.email);
    expectError(await as(ada).post("/users/me/two-factor/confirm", { code: "abcdef" }), "BAD_REQUEST", "code");
    const code = codeOf(begun.secret);
    const wrong = code === "000000" ? "000001" : "000000";
    expectError(await as(ada).post("/users/me/two-factor/confirm", { code: wrong }), "BAD_REQUEST", "code");
    const { recoveryCodes } = ok(
      await as(ada).post<{ recoveryCodes: string[] }>("/users/me/two-factor/confirm", { code }),
    );

    expect(new Set(recoveryCodes).size).toBe(10);
    for (const one of recoveryCodes) expect(one).toMatch(/^[2-9a-z]{4}(-[2-9a-z]{4}){3}$/);
    expectError(await as({ token: other }).get("/users/me"), "UNAUTHORIZED");
    ok(await as(ada).get("/users/me"));
    ok(await as(personal).get("/users/me"));
    const [notice] = await mailsTo(db, ada.email, "notice");
    expect(notice).toEqual({ status: "pending", data: { about: "twoFactorEnabled" } });
  });

  test("takes the first code as applications show it, with a space in the middle", async () => {
    const ada = await make.user();
    const { secret } = ok(
      await as(ada).post<{ secret: string }>("/users/me/two-factor", { currentPassword: ada.password }),
    );
    const code = codeOf(secret).replace(/^.../, "$& ");
    ok(await as(ada).post("/users/me/two-factor/confirm", { code }));
    expectError(await signIn(ada), "UNAUTHORIZED", "code");
  });

  test("needs the password, and a secret that waits", async () => {
    const ada = await make.user();
    const begin = (currentPassword?: string) => as(ada).post("/users/me/two-factor", { currentPassword });
    expectError(await begin("wrong"), "BAD_REQUEST", "currentPassword");
    expectError(await begin(), "BAD_REQUEST", "currentPassword");
    expectError(await as(ada).post("/users/me/two-factor/confirm", { code: "123456" }), "BAD_REQUEST", "code");
    await switchOn(app, ada);
    expectError(await begin(ada.password), "BAD_REQUEST");
  });

  test("stores the secret encrypted and recovery codes as hashes", async () => {
    const { ada, secret, recoveryCodes } = await secured();
    const accountId = await accountIdOf(db, ada);
    const [stored] = await db.select().from(twoFactor).where(eq(twoFactor.accountId, accountId));
    const codes = await db.select().from(recoveryCode).where(eq(recoveryCode.accountId, accountId));
    expect(stored?.secret).not.toContain(secret);
    expect(Buffer.from(stored?.secret ?? "", "base64").toString("latin1")).not.toContain(secret);
    const plain = recoveryCodes[0]?.replaceAll("-", "") ?? "";
    expect(codes.map(({ codeHash }) => codeHash)).toContain(createHash("sha256").update(plain).digest("hex"));
    expect(codes).toHaveLength(10);
  });

  test("is PRECONDITION_FAILED without SECRET_KEY, and closed to accountless guests", async () => {
    const without = await another({ SECRET_KEY: "" });
    const ada = await make.user();
    const body = { currentPassword: ada.password };
    expectError(await without.as(ada).post("/users/me/two-factor", body), "PRECONDITION_FAILED");
    expect(ok(await without.anonymous.get("/auth/methods"))).toMatchObject({ twoFactor: false });
    expect(ok(await anonymous.get("/auth/methods"))).toMatchObject({ twoFactor: true });
  });
});

describe("signing in with two-factor authentication", () => {
  test("the right password without a code is UNAUTHORIZED with the issue code, and counts as no failure", async () => {
    const { ada } = await secured();
    expectError(await signIn(ada), "UNAUTHORIZED", "code");
    expect(await failuresOf(ada)).toBe(0);
  });

  test("a wrong password tells nothing of the second factor, whatever code comes with it", async () => {
    const { ada, secret } = await secured();
    const res = await signIn({ ...ada, password: "wrong" }, codeOf(secret));
    expectError(res, "UNAUTHORIZED");
    expect(res.body).toMatchObject({ issues: [] });
    ok(await signIn(ada, codeOf(secret)));
  });

  test("a code works once", async () => {
    const { ada, secret } = await secured();
    const code = codeOf(secret);
    ok(await signIn(ada, `${code.slice(0, 3)} ${code.slice(3)}`));
    expectError(await signIn(ada, code), "UNAUTHORIZED", "code");
    ok(await signIn(ada, codeOf(secret, 1)));
  });

  test("a code may be one step early or late, and not two", async () => {
    const signInWith = async (steps: number) => {
      const { ada, secret } = await secured();
      const step = () => Math.floor(Date.now() / 30_000);
      let [asked, res] = [step(), await signIn(ada, codeOf(secret, steps))];
      // A step that ends in between is another one.
      while (step() !== asked) [asked, res] = [step(), await signIn(ada, codeOf(secret, steps))];
      return res;
    };
    for (const steps of [-1, 1]) ok(await signInWith(steps));
    for (const steps of [-2, 2]) expectError(await signInWith(steps), "UNAUTHORIZED", "code");
  });

  test("twenty sign-ins at once with one code give one session", async () => {
    const { ada, secret } = await secured();
    const code = codeOf(secret);
    const all = await Promise.all(Array.from({ length: 20 }, () => signIn(ada, code)));
    const statuses = all.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.every((status) => [200, 401, 429].includes(status))).toBe(true);
  });

  test("a recovery code works once, however it is written", async () => {
    const { ada, recoveryCodes } = await secured();
    const [code = ""] = recoveryCodes;
    ok(await signIn(ada, code.toUpperCase().replaceAll("-", "")));
    expectError(await signIn(ada, code), "UNAUTHORIZED", "code");
  });

  test("wrong codes count like wrong passwords: after ten even the right one is refused", async () => {
    const { ada, secret } = await secured();
    const right = codeOf(secret);
    const wrong = right === "111111" ? "222222" : "111111";
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expectError(await signIn(ada, wrong), "UNAUTHORIZED", "code");
    }
    expectError(await signIn(ada, right), "TOO_MANY_REQUESTS");
  });

  test.each(["12345", "1234567", "abc", "", "1".repeat(41)])("%j is no code", async (code) => {
    const { email, password } = await make.user();
    expectError(await anonymous.post("/auth/sign-in", { email, password, code }), "BAD_REQUEST", "code");
  });
});

describe("SECRET_KEY", () => {
  const OLD = RECOVERY_ENVIRONMENT.SECRET_KEY;
  const NEW = Buffer.alloc(32, 9).toString("base64");

  test("can be replaced: the old one decrypts behind the new one, and each use encrypts anew", async () => {
    const { ada, secret } = await secured();
    const both = await another({ SECRET_KEY: `${NEW},${OLD}` });
    ok(await signIn(ada, codeOf(secret), both.anonymous));
    const onlyNew = await another({ SECRET_KEY: NEW });
    ok(await signIn(ada, codeOf(secret, 1), onlyNew.anonymous));
  });

  test("lost: codes are PRECONDITION_FAILED with a clear line in the log; recovery codes work", async () => {
    const { ada, secret, recoveryCodes } = await secured();
    const lost = await another({ SECRET_KEY: NEW });
    const code = codeOf(secret);
    expectError(await signIn(ada, code, lost.anonymous), "PRECONDITION_FAILED");
    const line = lost.logs.find((one) => one.includes("SECRET_KEY")) ?? "";
    expect(line).toContain("remove-two-factor");
    for (const hidden of [code, secret, NEW, OLD]) expect(line).not.toContain(hidden);
    ok(await signIn(ada, recoveryCodes[0] ?? "", lost.anonymous));
    ok(await signIn(ada, code));
  });
});

describe("switching off two-factor authentication", () => {
  test("needs the password and a code, after which the password alone signs in", async () => {
    const { ada, secret } = await secured();
    const disable = (body: object) => as(ada).post("/users/me/two-factor/disable", body);
    const code = codeOf(secret);
    expectError(await disable({ currentPassword: "wrong", code }), "BAD_REQUEST", "currentPassword");
    const wrong = code === "333333" ? "444444" : "333333";
    expectError(await disable({ currentPassword: ada.password, code: wrong }), "BAD_REQUEST", "code");
    expect(await failuresOf(ada)).toBe(2);

    ok(await disable({ currentPassword: ada.password, code }));

    ok(await signIn(ada));
    expectError(await disable({ currentPassword: ada.password, code }), "BAD_REQUEST");
    const accountId = await accountIdOf(db, ada);
    expect(await db.$count(recoveryCode, eq(recoveryCode.accountId, accountId))).toBe(0);
    const entries = await db.select().from(auditEntry).where(eq(auditEntry.actorId, accountId)).orderBy(auditEntry.id);
    expect(entries.map(({ type }) => type)).toEqual([
      "account.signedUp",
      "twoFactor.enabled",
      "account.signInFailed",
      "account.signInFailed",
      "twoFactor.disabled",
      "account.signedIn",
    ]);
  });

  test("new recovery codes replace the old ones", async () => {
    const { ada, secret, recoveryCodes } = await secured();
    const path = "/users/me/two-factor/recovery-codes";
    const made = ok(await as(ada).post<{ recoveryCodes: string[] }>(path, { code: codeOf(secret) })).recoveryCodes;
    expectError(await signIn(ada, recoveryCodes[0] ?? ""), "UNAUTHORIZED", "code");
    ok(await signIn(ada, made[0] ?? ""));
    expectError(await as(await make.user()).post(path, { code: "123456" }), "BAD_REQUEST");
  });
});

test("no log line holds a secret, a code or a key", async () => {
  const { ada, secret, recoveryCodes } = await secured();
  ok(await signIn(ada, recoveryCodes[0] ?? ""));
  const all = logs.join("\n");
  for (const hidden of [secret, ...recoveryCodes, RECOVERY_ENVIRONMENT.SECRET_KEY]) expect(all).not.toContain(hidden);
});
