// Signing up, in and out with a password (contract section 2), and guessing one.

import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { signInFailure } from "../../src/db/schema/index.js";
import { HASH_COST, hashing } from "../../src/user/passwords.js";
import {
  anAddress,
  contentsOf,
  expectError,
  expectTrpcError,
  type Fields,
  ok,
  type Person,
  testApp,
  unique,
} from "../helpers/app.js";

const { as, anonymous, make, db, trpcClient, logs, another } = await testApp();

const PASSWORD = "correct horse battery";
const signIn = (email: string, password: string) =>
  anonymous.post<{ accessToken: string; expiresAt: string; user: Fields }>("/auth/sign-in", { email, password });

const DAY_MS = 86_400_000;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function expectInDays(instant: unknown, days: number): void {
  expect(instant).toMatch(ISO);
  expect(Math.abs(Date.parse(String(instant)) - Date.now() - days * DAY_MS)).toBeLessThan(60_000);
}

describe("signing up", () => {
  test("answers a session of 30 days and the account as GET /users/me shows it", async () => {
    const email = anAddress();
    const body = ok(await anonymous.post("/auth/sign-up", { name: "  Ada Lovelace ", email, password: PASSWORD }));

    expect(body).toEqual({
      accessToken: expect.stringMatching(/^wb_[\w-]{43}$/),
      expiresAt: expect.any(String),
      user: {
        publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
        name: "Ada Lovelace",
        email,
        emailVerifiedAt: null,
        pendingEmail: null,
        timeZone: "UTC",
        image: null,
        isGuest: false,
        createdAt: expect.stringMatching(ISO),
      },
    });
    expectInDays(body.expiresAt, 30);
    expect(ok(await as({ token: String(body.accessToken) }).get("/users/me"))).toEqual(body.user);
  });

  test("stores the address trimmed and in lower case, and finds it however it is written", async () => {
    const email = anAddress();
    const ada = await make.user({ email: ` ${email.toUpperCase()}  ` });
    expect(ada.email).toBe(email);
    expect(ok(await signIn(`\t${email.replace("s", "S")} `, ada.password)).user).toMatchObject({ email });
  });

  test("with a taken address, in whatever case, is BAD_REQUEST and makes nothing", async () => {
    const ada = await make.user();
    const before = await contentsOf(db);
    for (const email of [ada.email, ada.email.toUpperCase(), ` ${ada.email}`]) {
      const res = await anonymous.post("/auth/sign-up", { name: "Other", email, password: PASSWORD });
      expectError(res, "BAD_REQUEST", "email");
    }
    expect(await contentsOf(db)).toEqual(before);
    expect(ok(await as(ada).get("/users/me"))).toMatchObject({ name: ada.name });
  });

  test("twice at once with one address makes one account", async () => {
    const email = anAddress();
    const body = { name: "Twin", email, password: PASSWORD };
    const both = await Promise.all([1, 2].map(() => anonymous.post("/auth/sign-up", body)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test.each([
    ["nine characters", "a".repeat(9)],
    ["nine characters of two code units", "😀".repeat(9)],
    ["201 characters", "a".repeat(201)],
  ])("with a password of %s is refused", async (_, password) => {
    const res = await anonymous.post("/auth/sign-up", { name: "Ada", email: anAddress(), password });
    expectError(res, "BAD_REQUEST", "password");
  });

  test.each([
    ["ten characters", "a".repeat(10)],
    ["ten code points outside the basic plane", "😀".repeat(10)],
    ["200 of them", "😀".repeat(200)],
    ["spaces, which are kept", "          "],
  ])("with a password of %s works, and only exactly that one signs in", async (_, password) => {
    const ada = await make.user({ password });
    ok(await signIn(ada.email, password));
    expectError(await signIn(ada.email, `${[...password].slice(1).join("")}b`), "UNAUTHORIZED");
  });

  test.each([
    "",
    "ada",
    "ada@",
    "@example.org",
    "a b@example.org",
    "ada@exa mple.org",
    "ada@-a.org",
    "ada@a..org",
    `${"a".repeat(65)}@a.org`,
    "ada@example.org\nbcc:x@y.z",
  ])("with %j, which is no address, is refused", async (email) => {
    const res = await anonymous.post("/auth/sign-up", { name: "Ada", email, password: PASSWORD });
    expectError(res, "BAD_REQUEST", "email");
  });

  test("with a token is BAD_REQUEST and makes no account", async () => {
    const ada = await make.user();
    const before = await contentsOf(db);
    const body = { name: "Ada", email: anAddress(), password: PASSWORD };
    for (const person of [ada, await make.token(ada, { scope: "read" })]) {
      expectError(await as(person).post("/auth/sign-up", body), "BAD_REQUEST");
    }
    expect((await contentsOf(db)).account).toBe(before.account);
  });

  test("with an unknown invite code is BAD_REQUEST and makes no account", async () => {
    const email = anAddress();
    const body = { name: "Ada", email, password: PASSWORD, inviteCode: "A".repeat(24) };
    expectError(await anonymous.post("/auth/sign-up", body), "BAD_REQUEST", "inviteCode");
    expectError(await signIn(email, PASSWORD), "UNAUTHORIZED");
  });

  test("is FORBIDDEN where it is closed, and needs an invite code where it is for the invited", async () => {
    const body = { name: "Ada", email: anAddress(), password: PASSWORD };
    const closed = await another({ SIGN_UP: "closed" });
    expectError(await closed.anonymous.post("/auth/sign-up", body), "FORBIDDEN");
    const invited = await another({ SIGN_UP: "invited" });
    expectError(await invited.anonymous.post("/auth/sign-up", body), "BAD_REQUEST", "inviteCode");
    expectError(await signIn(body.email, PASSWORD), "UNAUTHORIZED");
  });

  test("stores neither the password nor the token, only their hashes", async () => {
    const { cost } = hashing;
    hashing.cost = HASH_COST;
    onTestFinished(() => {
      hashing.cost = cost;
    });
    const ada = await make.user({ name: "Ada" });
    const rows = await db.rows(sql`
      select a.*, t.* from account a join access_token t on t.account_id = a.id
      where a.public_id = ${ada.publicId}::text`);
    const stored = JSON.stringify(rows);
    expect(stored).toContain("$argon2id$v=19$m=19456,t=2,p=1");
    expect(stored).not.toContain(ada.password);
    expect(stored).not.toContain(ada.token);
    expect(stored).not.toContain(ada.token.slice(3));
  });
});

describe("signing in", () => {
  test("answers a session of its own each time", async () => {
    const ada = await make.user();
    const [first, second] = [ok(await signIn(ada.email, ada.password)), ok(await signIn(ada.email, ada.password))];
    expect(first.accessToken).not.toBe(second.accessToken);
    expectInDays(first.expiresAt, 30);
    expect(first.user).toEqual(ok(await as({ token: second.accessToken }).get("/users/me")));
  });

  test("with a wrong password, to an unknown address and to a deleted account is UNAUTHORIZED, alike to the byte", async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    ok(await as(bob).post("/users/me/delete", { password: bob.password }));
    const answers = [
      await signIn(ada.email, "wrong"),
      await signIn(anAddress(), PASSWORD),
      await signIn(bob.email, bob.password),
    ];
    for (const res of answers) expectError(res, "UNAUTHORIZED");
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const names = answers.map(({ headers }) => Object.keys(headers).sort().join());
    expect(new Set(names).size).toBe(1);
  });

  test("does the same work for an unknown address as for a wrong password", async () => {
    const ada = await make.user();
    const work = { wrong: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
    for (let attempt = 0; attempt < 9; attempt += 1) {
      for (const [kind, email] of [["wrong", ada.email] as const, ["unknown", anAddress()] as const]) {
        const start = process.cpuUsage();
        expectError(await signIn(email, "wrong"), "UNAUTHORIZED");
        const { user, system } = process.cpuUsage(start);
        work[kind] = Math.min(work[kind], user + system);
      }
    }
    // Hashing is most of it; without it one of the two would be several times less.
    expect(work.unknown / work.wrong).toBeGreaterThan(0.6);
    expect(work.unknown / work.wrong).toBeLessThan(1.6);
  });
});

describe("guessing passwords", () => {
  let ada: Person;
  beforeEach(async () => {
    ada = await make.user();
  });

  const expectBlocked = (res: Awaited<ReturnType<typeof signIn>>) => {
    expectError(res, "TOO_MANY_REQUESTS");
    expect(Number(res.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(res.headers["retry-after"])).toBeLessThanOrEqual(900);
  };
  const failed = (statuses: number[]) => statuses.filter((status) => status === 401).length;
  const fail = async (times: number) => {
    for (let attempt = 0; attempt < times; attempt += 1) expectError(await signIn(ada.email, "wrong"), "UNAUTHORIZED");
  };

  test("ends after ten failures for an address, whoever calls, and even with the right password", async () => {
    await fail(10);
    expectBlocked(await signIn(ada.email, "wrong"));
    expectBlocked(await signIn(ada.email, ada.password));
    expectBlocked(await signIn(ada.email.toUpperCase(), ada.password));
    expectBlocked(
      await anonymous.post(
        "/auth/sign-in",
        { email: ada.email, password: ada.password },
        { "x-forwarded-for": "203.0.113.9" },
      ),
    );
    const { email, password } = ada;
    await expectTrpcError(trpcClient(null).user.signIn.mutate({ email, password }), "TOO_MANY_REQUESTS");
    const overTrpc = await anonymous.send({
      method: "POST",
      url: "/trpc/user.signIn",
      body: JSON.stringify({ email, password }),
    });
    expect(Number(overTrpc.headers["retry-after"])).toBeGreaterThan(0);
    const other = await make.user();
    ok(await signIn(other.email, other.password));
    ok(await as(ada).get("/users/me"));
  });

  test("waits until the oldest of ten failures is 15 minutes old, whenever the last was", async () => {
    await fail(1);
    await db
      .update(signInFailure)
      .set({ failedAt: sql`now() - interval '10 minutes'` })
      .where(eq(signInFailure.email, ada.email));
    await fail(9);
    const wait = Number((await signIn(ada.email, ada.password)).headers["retry-after"]);
    expect(wait).toBeLessThanOrEqual(300);
    expect(wait).toBeGreaterThan(240);
  });

  test("the right password, compared while ten others fail, signs nobody in", async () => {
    const wrong = Array.from({ length: 14 }, () => signIn(ada.email, "wrong"));
    const right = signIn(ada.email, ada.password);
    await Promise.all(wrong);
    expectBlocked(await right);
  });

  test("of sixty wrong and fifteen right sign-ins at once none gets 503, and at most ten learn that they were wrong", async () => {
    const logged = logs.length;
    const wrong = Promise.all(Array.from({ length: 60 }, () => signIn(ada.email, "wrong")));
    const right = Promise.all(Array.from({ length: 15 }, () => signIn(ada.email, ada.password)));
    const statuses = (await wrong).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 401)).toEqual(Array(statuses.length - failed(statuses)).fill(429));
    expect(failed(statuses)).toBeGreaterThan(0);
    expect(failed(statuses)).toBeLessThanOrEqual(10);
    for (const { status } of await right) expect([200, 429]).toContain(status);
    expectBlocked(await signIn(ada.email, ada.password));
    expect(logs.slice(logged).filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test("does not hold up the right password: of 14 sign-ins at once none counts as a failure", async () => {
    const signIns = await Promise.all(Array.from({ length: 14 }, () => signIn(ada.email, ada.password)));
    expect(signIns.map(({ status }) => status)).toEqual(Array(14).fill(200));
  });

  test("tells nothing of the right password among many guesses once ten have failed", async () => {
    const wrong = Array.from({ length: 20 }, () => signIn(ada.email, "wrong"));
    await Promise.any(wrong.map(async (guess) => expect((await guess).status).toBe(429)));
    const right = await signIn(ada.email, ada.password);
    expect(failed((await Promise.all(wrong)).map(({ status }) => status))).toBeLessThanOrEqual(10);
    expect(right.status).toBe(429);
    expectBlocked(await signIn(ada.email, ada.password));
  });

  test.each([
    ["changing the password", "PUT", "/users/me/password", { currentPassword: "wrong", newPassword: "another secret" }],
    ["deleting the account", "POST", "/users/me/delete", { password: "wrong" }],
  ] as const)("is no quicker by %s", async (_, method, path, body) => {
    const right = "password" in body ? { password: ada.password } : { currentPassword: ada.password };
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expectError(await as(ada).call(method)(path, body), "BAD_REQUEST");
    }
    expectBlocked(await as(ada).call(method)(path, body));
    expectBlocked(await as(ada).call(method)(path, { ...body, ...right }));
  });

  test("from outside keeps nobody from protecting an account in an open session", async () => {
    await fail(10);
    expectBlocked(await signIn(ada.email, ada.password));
    const newPassword = "another secret";
    ok(await as(ada).put("/users/me/password", { currentPassword: ada.password, newPassword }));
    ok(await as(ada).post("/users/me/delete", { password: newPassword }));
  });

  test("in a session keeps nobody from signing in", async () => {
    const body = { currentPassword: "wrong", newPassword: "another secret" };
    for (let attempt = 0; attempt < 10; attempt += 1) await as(ada).put("/users/me/password", body);
    expectBlocked(await as(ada).put("/users/me/password", body));
    ok(await signIn(ada.email, ada.password));
  });

  test("is no quicker for an address without an account", async () => {
    const email = anAddress();
    for (let attempt = 0; attempt < 10; attempt += 1) expectError(await signIn(email, "wrong"), "UNAUTHORIZED");
    expectBlocked(await signIn(email, "wrong"));
  });

  test("nine failures leave the right password its turn, and a success does not count as one", async () => {
    await fail(9);
    for (let attempt = 0; attempt < 3; attempt += 1) ok(await signIn(ada.email, ada.password));
    await fail(1);
    expectBlocked(await signIn(ada.email, ada.password));
  });

  test("may begin again after 15 minutes", async () => {
    await fail(10);
    await db.rows(sql`
      update sign_in_failure set failed_at = failed_at - interval '14 minutes' where email = ${ada.email}::text`);
    const blocked = await signIn(ada.email, ada.password);
    expectBlocked(blocked);
    expect(Number(blocked.headers["retry-after"])).toBeLessThanOrEqual(60);
    await db.rows(sql`
      update sign_in_failure set failed_at = failed_at - interval '2 minutes' where email = ${ada.email}::text`);
    ok(await signIn(ada.email, ada.password));
  });
});

describe("signing out", () => {
  test("ends the token it was called with and no other", async () => {
    const ada = await make.user();
    const { accessToken } = ok(await signIn(ada.email, ada.password));
    expect(ok(await as(ada).post("/auth/sign-out"))).toEqual({ success: true });
    expectError(await as(ada).get("/users/me"), "UNAUTHORIZED");
    expectError(await as(ada).post("/auth/sign-out"), "UNAUTHORIZED");
    ok(await as({ token: accessToken }).get("/users/me"));
  });

  test("ends a personal token too", async () => {
    const ada = await make.user();
    const token = await make.token(ada);
    ok(await as(token).post("/auth/sign-out"));
    expectError(await as(token).get("/users/me"), "UNAUTHORIZED");
    expect(ok(await as(ada).get("/tokens"))).toEqual([]);
  });
});

test("no line of the log holds a password, a token, an address, a body or a query", async () => {
  logs.length = 0;
  const ada = await make.user({ password: "a password for the log" });
  const secret = unique("secret");
  await signIn(ada.email, "a wrong password for the log");
  await as(ada).get(`/users/me?token=${ada.token}&secret=${secret}`);
  await as(ada).get(`/unknown/${ada.token}`);
  await as(ada).put("/users/me", { name: secret });
  await as(ada).post("/tokens", { name: secret, scope: "wrong" });
  const token = await make.token(ada, { name: secret });
  await as(ada).delete(`/tokens/${token.publicId}`);
  await trpcClient(ada).user.me.query();

  const text = logs.join("");
  expect(logs.length).toBeGreaterThanOrEqual(8);
  expect(text).toContain('"route":"/api/v1/tokens/:tokenPublicId"');
  for (const word of [ada.token, ada.email, "for the log", secret, token.token, token.publicId, "wb_"]) {
    expect(text).not.toContain(word);
  }
});
