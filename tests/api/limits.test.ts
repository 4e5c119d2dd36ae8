// Rate limits (contract section 2): who is counted, how often, and what the answers say.

import { randomBytes } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { type Answer, appOn, type Client, expectError, ok, testApp } from "../helpers/app.js";
import { countingStatements, openTestDatabase } from "../helpers/databases.js";

const unlimited = await testApp();
const { make, another } = unlimited;
const LIMIT = 3;
const limits = { RATE_LIMIT_PER_MINUTE: String(LIMIT), AUTH_RATE_LIMIT_PER_MINUTE: "2", TRUST_PROXY: "true" };

const limited = () => another(limits);
const from = (address: string) => ({ "x-forwarded-for": address });

function expectLimited(res: Answer<unknown>, limit = LIMIT): void {
  expectError(res, "TOO_MANY_REQUESTS");
  expect(Number(res.headers["retry-after"])).toBeGreaterThan(0);
  expect(Number(res.headers["retry-after"])).toBeLessThanOrEqual(60);
  expect(res.headers).toMatchObject({ "ratelimit-limit": String(limit), "ratelimit-remaining": "0" });
  expect(Number(res.headers["ratelimit-reset"])).toBeGreaterThan(0);
}

const batch = (client: Client, ...paths: string[]) =>
  client.send({ method: "GET", url: `/trpc/${paths.join(",")}?batch=1&input=%7B%7D` });

describe("per user", () => {
  test("what remains is told with every answer, and the call after the last is refused", async () => {
    const { as } = await limited();
    const ada = await make.user();
    for (const remaining of [2, 1, 0]) {
      const res = await as(ada).get("/users/me");
      ok(res);
      expect(res.headers).toMatchObject({ "ratelimit-limit": "3", "ratelimit-remaining": String(remaining) });
      expect(Number(res.headers["ratelimit-reset"])).toBeGreaterThan(0);
      expect(res.headers).not.toHaveProperty("retry-after");
    }
    expectLimited(await as(ada).get("/users/me"));
    expectLimited(await as(ada).get("/users/me"));
  });

  test("all tokens and addresses of a user count together, and nobody else's", async () => {
    const { as } = await limited();
    const [ada, bob] = [await make.user(), await make.user()];
    const second = await make.token(ada);
    ok(await as(ada).get("/users/me", from("10.0.0.1")));
    ok(await as(second).get("/users/me", from("10.0.0.2")));
    ok(await as(ada).get("/users/me", from("10.0.0.3")));
    expectLimited(await as(second).get("/users/me", from("10.0.0.4")));
    ok(await as(bob).get("/users/me", from("10.0.0.1")));
  });

  test("whoever has a valid token can sign out beyond every limit, by token and by cookie, over REST and tRPC", async () => {
    const app = await another({ ...limits, RATE_LIMIT_PER_MINUTE: "1" });
    const here = from("10.1.0.1");
    const unknown = { token: `wb_${randomBytes(32).toString("base64url")}` };
    const own = { ...here, host: "board.test:3000", "sec-fetch-site": "same-origin" };
    const json = { ...own, "content-type": "application/json" };
    for (const url of ["/api/v1/auth/sign-out", "/trpc/user.signOut"]) {
      const send = (client: Client, headers: Record<string, string>) =>
        client.send({ method: "POST", url, body: "{}", headers: { ...json, ...headers } });
      const [ada, bob] = [await make.user(), await make.user()];
      ok(await app.as(ada).get("/users/me"));
      expectLimited(await app.as(ada).get("/users/me"), 1);
      // The limit of the address before a token is looked up.
      while ((await app.as(unknown).get("/users/me", here)).status === 401);
      expectLimited(await app.as(bob).get("/users/me", here), 10);
      expect((await send(app.as(unknown), {})).status).toBe(429);
      expect((await send(app.as(ada), {})).status).toBe(200);
      expect((await send(app.anonymous, { cookie: `work-board-3000=${bob.token}` })).status).toBe(200);
      for (const { token } of [ada, bob]) expectError(await unlimited.as({ token }).get("/users/me"), "UNAUTHORIZED");
    }
  });

  test("refused calls count: wrong input, a broken body, a body too large", async () => {
    const { as } = await limited();
    const ada = await make.user();
    expectError(await as(ada).post("/tokens", {}), "BAD_REQUEST");
    const json = { "content-type": "application/json" };
    const send = (body: string) => as(ada).send({ method: "POST", url: "/api/v1/tokens", body, headers: json });
    expectError(await send("{"), "BAD_REQUEST");
    expectError(await send("a".repeat(2 ** 21)), "PAYLOAD_TOO_LARGE");
    expectLimited(await as(ada).get("/users/me"));
    expectLimited(await send("{"));
  });
});

describe("per address without a token", () => {
  test("calls without a token and with a wrong one count, whoever else calls from elsewhere", async () => {
    const { anonymous, as } = await limited();
    const here = from("10.1.0.1");
    expectError(await anonymous.get("/users/me", here), "UNAUTHORIZED");
    expectError(await as({ token: `wb_${"A".repeat(43)}` }).get("/users/me", here), "UNAUTHORIZED");
    expectError(await anonymous.get("/users/me", here), "UNAUTHORIZED");
    expectLimited(await anonymous.get("/users/me", here));
    expectError(await anonymous.get("/users/me", from("10.1.0.2")), "UNAUTHORIZED");
  });

  test("an IPv6 network of 64 bits counts as one, and IPv4 written as IPv6 as what it is", async () => {
    const { anonymous } = await limited();
    for (const address of ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:0DB8:0001:0002:3::4"]) {
      expectError(await anonymous.get("/users/me", from(address)), "UNAUTHORIZED");
    }
    expectLimited(await anonymous.get("/users/me", from("2001:db8:1:2::ffff")));
    expectError(await anonymous.get("/users/me", from("2001:db8:1:3::1")), "UNAUTHORIZED");

    for (const address of ["10.9.0.1", "::ffff:10.9.0.1", "::ffff:a09:1"]) {
      expectError(await anonymous.get("/users/me", from(address)), "UNAUTHORIZED");
    }
    expectLimited(await anonymous.get("/users/me", from("10.9.0.1")));
    expectError(await anonymous.get("/users/me", from("::ffff:10.9.0.2")), "UNAUTHORIZED");
  });

  test("the header of a proxy changes nothing unless proxies are trusted", async () => {
    const { anonymous } = await another({ RATE_LIMIT_PER_MINUTE: "1" });
    expectError(await anonymous.get("/users/me", from("10.2.0.1")), "UNAUTHORIZED");
    expectLimited(await anonymous.get("/users/me", from("10.2.0.2")), 1);
  });
});

describe("before a token is looked up", () => {
  const unknown = (letter: string) => ({ token: `wb_${letter.repeat(43)}` });

  test("an unknown token counts ten times, and those that are remembered are still answered", async () => {
    const { as } = await limited();
    const [ada, bob] = [await make.user(), await make.user()];
    const here = from("10.6.0.1");
    ok(await as(ada).get("/users/me", here));
    for (const letter of ["A", "B", "C"]) expectError(await as(unknown(letter)).get("/users/me", here), "UNAUTHORIZED");
    expectLimited(await as(unknown("D")).get("/users/me", here), 10 * LIMIT);
    expectLimited(await as(bob).get("/users/me", here), 10 * LIMIT);
    ok(await as(ada).get("/users/me", here));
    ok(await as(bob).get("/users/me", from("10.6.0.2")));
  });

  test("a caller beyond the limit hears of that, and not that the token has ended meanwhile", async () => {
    const { as } = await limited();
    const ada = await make.user();
    for (let call = 0; call < LIMIT; call += 1) ok(await as(ada).get("/users/me"));
    ok(await unlimited.as(ada).post("/auth/sign-out"));
    expectLimited(await as(ada).get("/users/me"));
  });
});

describe("beyond the limit a call runs no statement", async () => {
  const counted = countingStatements();
  const database = await openTestDatabase(counted.through);
  afterAll(() => database.close());
  const { as, make } = await appOn(database.db, limits);

  test("whatever token it carries: each of them another, that nobody has", async () => {
    const here = from("10.7.0.1");
    const withRandomToken = () => as({ token: `wb_${randomBytes(32).toString("base64url")}` }).get("/users/me", here);
    for (let call = 0; call < LIMIT; call += 1) expectError(await withRandomToken(), "UNAUTHORIZED");

    const statements = await counted.during(async () => {
      for (let call = 0; call < 50; call += 1) expectLimited(await withRandomToken(), 10 * LIMIT);
    });

    expect(statements).toBe(0);
  });

  test("of a caller whose token was looked up before", async () => {
    const ada = await make.user();
    const here = from("10.7.0.2");
    const statementsOfFirst = await counted.during(async () => ok(await as(ada).get("/users/me", here)));
    expect(statementsOfFirst).toBeGreaterThan(0);
    for (let call = 1; call < LIMIT; call += 1) ok(await as(ada).get("/users/me", here));

    const statements = await counted.during(async () => {
      for (let call = 0; call < 10; call += 1) {
        expectLimited(await as(ada).get("/users/me", here));
        // An operation that requires no token verifies the one that it gets.
        expectLimited(await as(ada).get("/public/boards/unknown00000", here));
      }
    });

    expect(statements).toBe(0);
  });
});

describe("tRPC", () => {
  test("a batch counts as many calls as it holds", async () => {
    const { as } = await limited();
    const ada = await make.user();
    expect((await batch(as(ada), "user.me", "user.me")).status).toBe(200);
    const res = await batch(as(ada), "user.me", "user.me");
    expect(res.status).toBe(429);
    expect(res.headers).toMatchObject({ "ratelimit-limit": "3", "ratelimit-remaining": "0" });
    expect(Number(res.headers["retry-after"])).toBeGreaterThan(0);
    expect(res.body).toMatchObject({
      error: { message: "Too many requests", data: { code: "TOO_MANY_REQUESTS", httpStatus: 429, issues: [] } },
    });
  });

  test("REST and tRPC count together", async () => {
    const { as } = await limited();
    const ada = await make.user();
    expect((await batch(as(ada), "user.me", "user.me", "user.me")).status).toBe(200);
    expectLimited(await as(ada).get("/users/me"));
  });

  test("sign-ins in a batch each count under their own limit", async () => {
    const { anonymous } = await limited();
    const call = { email: "nobody@example.org", password: "a" };
    const res = await anonymous.send({
      method: "POST",
      url: "/trpc/user.signIn,user.signIn,user.signIn?batch=1",
      body: JSON.stringify({ 0: call, 1: call, 2: call }),
      headers: { "content-type": "application/json" },
    });
    expect(res.status).toBe(429);
    const encoded = await anonymous.send({
      method: "POST",
      url: "/trpc/user.signIn%2Cuser%2EsignIn%2Cuser.signIn?batch=1",
      body: JSON.stringify({ 0: call, 1: call, 2: call }),
      headers: { "content-type": "application/json", ...from("10.3.0.9") },
    });
    expect(encoded.status).toBe(429);
  });
});

describe("sign-in and sign-up", () => {
  const signIn = (client: Client, address: string) =>
    client.post("/auth/sign-in", { email: "nobody@example.org", password: "a" }, from(address));
  const signUp = (client: Client, address: string) => client.post("/auth/sign-up", {}, from(address));

  test("have a limit together per address, with or without a token", async () => {
    const { anonymous, as } = await another({ ...limits, RATE_LIMIT_PER_MINUTE: "0" });
    const ada = await make.user();
    expectError(await signIn(anonymous, "10.4.0.1"), "UNAUTHORIZED");
    expectError(await signUp(as(ada), "10.4.0.1"), "BAD_REQUEST");
    expectLimited(await signIn(anonymous, "10.4.0.1"), 2);
    expectLimited(await signUp(anonymous, "10.4.0.1"), 2);
    expectLimited(await signIn(as(ada), "10.4.0.1"), 2);
    expectError(await signIn(anonymous, "10.4.0.2"), "UNAUTHORIZED");
    ok(await as(ada).get("/users/me", from("10.4.0.1")));
  });

  test("count under the general limit as well", async () => {
    const { anonymous } = await another({ ...limits, AUTH_RATE_LIMIT_PER_MINUTE: "0" });
    for (let call = 0; call < LIMIT; call += 1) {
      expectError(await signUp(anonymous, "10.5.0.1"), "BAD_REQUEST");
    }
    expectLimited(await signUp(anonymous, "10.5.0.1"));
  });
});

test("the defaults are 300 calls a minute and 10 sign-ins", async () => {
  const { anonymous, as } = await another({ RATE_LIMIT_PER_MINUTE: "", AUTH_RATE_LIMIT_PER_MINUTE: "" });
  const ada = await make.user();
  expect((await as(ada).get("/users/me")).headers["ratelimit-limit"]).toBe("300");
  expect((await anonymous.post("/auth/sign-in", {})).headers["ratelimit-limit"]).toBe("10");
});

test("0 turns the limits off", async () => {
  const ada = await make.user();
  for (let call = 0; call < 400; call += 1) ok(await unlimited.as(ada).get("/users/me"));
  for (let call = 0; call < 20; call += 1) {
    expectError(await unlimited.anonymous.post("/auth/sign-in", {}), "BAD_REQUEST");
  }
});

test("probes, the document and unknown paths are not counted", async () => {
  const { anonymous, as } = await limited();
  const ada = await make.user();
  for (let call = 0; call < 10; call += 1) {
    for (const url of ["/health", "/ready", "/openapi.json"]) {
      expect((await as(ada).send({ method: "GET", url })).status).toBe(200);
    }
    expectError(await anonymous.get("/nothing"), "NOT_FOUND");
  }
  ok(await as(ada).get("/users/me"));
});
