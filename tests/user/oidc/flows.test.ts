// A sign-in at a provider, from its beginning to its end (capabilities section 2): what binds a sign-in to one browser, and what of a provider is believed. Against
// oidc-provider in process, and against a small issuer that commits faults.

import { once } from "node:events";
import { createServer } from "node:http";
import { sql } from "drizzle-orm";
import Provider from "oidc-provider";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { forgetExpiredFlows } from "../../../src/user/oidc/flows.js";
import { anAddress, contentsOf, expectError, type Fields, ok, testApp, unique } from "../../helpers/app.js";
import {
  CALLBACK,
  CLIENT_ID,
  CLIENT_SECRET,
  type Claims,
  comeBack,
  type Faults,
  startIssuer,
} from "../../helpers/issuer.js";
import { linkFor } from "../../helpers/recovery.js";
import { swept } from "../../helpers/sweeping.js";

const issuer = await startIssuer();
const dead = await startIssuer();
await dead.stop();
const mistaken = await startIssuer();
mistaken.metadata.issuer = "https://id.example.org";
const proper = await startProper();

const app = await testApp({
  OIDC_PROVIDERS: JSON.stringify([
    issuer.provider(),
    issuer.provider({ id: "other", name: "Other" }),
    issuer.provider({ id: "stranger", clientSecret: "not the secret" }),
    dead.provider({ id: "dead" }),
    mistaken.provider({ id: "mistaken" }),
    issuer.provider({ id: "proper", issuer: proper }),
  ]),
});
const { anonymous, db, logs, another, make } = app;

/** A provider by the book, which signs in whoever comes as `ada`, after a page of its own was sent. */
async function startProper(): Promise<string> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const provider = new Provider(url, {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [CALLBACK] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: "ada@proper.example.org", email_verified: true, name: "Ada of the book" }),
    }),
  });
  server.on("request", provider.callback());
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}

/** Goes through the pages of a proper provider as a browser does, with its cookies and forms, until it leads back. */
async function browse(authorizationUrl: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = authorizationUrl;
  let body: URLSearchParams | undefined;
  for (let page = 0; page < 20; page += 1) {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(body !== undefined && { method: "POST", body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location?.startsWith(CALLBACK) === true) return location;
    if (location !== null) {
      [url, body] = [new URL(location, url).href, undefined];
      continue;
    }
    const html = await response.text();
    const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1] ?? "";
    const prompt = /name="prompt" value="([^"]+)"/.exec(html)?.[1] ?? "";
    [url, body] = [new URL(action, url).href, new URLSearchParams({ prompt, login: "ada", password: "any" })];
  }
  throw new Error("The provider never led back");
}

interface Flow {
  authorizationUrl: string;
  flowToken: string;
  expiresAt: string;
}

const start = async (providerId = "example") =>
  ok(await anonymous.post<Flow>(`/auth/oidc/${providerId}/start`, { redirectUri: CALLBACK }));
const finish = (body: Fields, providerId = "example") =>
  anonymous.post<{ accessToken: string; user: Fields }>(`/auth/oidc/${providerId}/finish`, body);
const somebody = (): Claims => ({
  sub: unique("subject"),
  email: `${unique("someone").replace(" ", ".")}@example.org`,
  email_verified: true,
});

/** A whole sign-in; the answer to its end. */
async function signIn(faults: Faults = {}, providerId = "example") {
  const { authorizationUrl, flowToken } = await start(providerId);
  return finish({ flowToken, callbackUrl: await comeBack(authorizationUrl, somebody(), faults) }, providerId);
}

async function expectNobody(
  run: () => Promise<Parameters<typeof expectError>[0]>,
  ...error: [Parameters<typeof expectError>[1], string?]
) {
  const before = await contentsOf(db);
  expectError(await run(), ...error);
  const { account, identity, access_token } = await contentsOf(db);
  expect({ account, identity, access_token }).toEqual({
    account: before.account,
    identity: before.identity,
    access_token: before.access_token,
  });
}

test("a provider by the book signs somebody up, and in again, with what its user information says", async () => {
  const sessions = [];
  for (const _ of [1, 2]) {
    const { authorizationUrl, flowToken } = await start("proper");
    sessions.push(ok(await finish({ flowToken, callbackUrl: await browse(authorizationUrl) }, "proper")));
  }
  expect(sessions[0]?.user).toMatchObject({ name: "Ada of the book", email: "ada@proper.example.org" });
  expect(sessions[1]?.user).toEqual(sessions[0]?.user);
});

describe("beginning", () => {
  test("leads to the provider with PKCE, state and nonce, and lasts 10 minutes", async () => {
    const { authorizationUrl, flowToken, expiresAt } = await start();
    const { origin, searchParams } = new URL(authorizationUrl);
    expect(origin).toBe(issuer.url);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: CLIENT_ID,
      redirect_uri: CALLBACK,
      response_type: "code",
      scope: "openid email profile",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    expect(authorizationUrl).not.toContain(flowToken);
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 600_000)).toBeLessThan(60_000);
  });

  test.each(["https://evil.example.org/callback", `${CALLBACK}/`, `${CALLBACK}?a=1`, CALLBACK.toUpperCase()])(
    "with the redirect URI %s, which is not registered, is BAD_REQUEST",
    async (redirectUri) => {
      expectError(await anonymous.post("/auth/oidc/example/start", { redirectUri }), "BAD_REQUEST", "redirectUri");
    },
  );

  test("at an unknown provider is FORBIDDEN", async () => {
    expectError(await anonymous.post("/auth/oidc/unknown/start", { redirectUri: CALLBACK }), "FORBIDDEN");
  });

  test.each(["dead", "mistaken"])(
    "at a provider that is %s is SERVICE_UNAVAILABLE; the service works on",
    async (id) => {
      const res = await anonymous.post(`/auth/oidc/${id}/start`, { redirectUri: CALLBACK });
      expectError(res, "SERVICE_UNAVAILABLE");
      expect(Number(res.headers["retry-after"])).toBeGreaterThan(0);
      expect(logs.some((line) => line.includes(`Provider ${id} cannot be used`))).toBe(true);
      ok(await signIn());
    },
  );

  test("at a provider that never answers is SERVICE_UNAVAILABLE, and holds nobody else up", {
    tags: ["slow"],
  }, async () => {
    const hanging = await startIssuer();
    hanging.hang();
    const own = await another({ OIDC_PROVIDERS: JSON.stringify([hanging.provider()]) });
    const begun = Date.now();
    const starting = own.anonymous.post("/auth/oidc/example/start", { redirectUri: CALLBACK });
    ok(await own.anonymous.get("/auth/methods"));
    expect(Date.now() - begun).toBeLessThan(3000);
    expectError(await starting, "SERVICE_UNAVAILABLE");
  });

  test("after the provider changed its keys goes on, once the old ones are a minute old", async () => {
    const rotating = await startIssuer();
    const own = await another({ OIDC_PROVIDERS: JSON.stringify([rotating.provider()]) });
    const enter = async () => {
      const flow = ok(await own.anonymous.post<Flow>("/auth/oidc/example/start", { redirectUri: CALLBACK }));
      const callbackUrl = await comeBack(flow.authorizationUrl, somebody());
      return own.anonymous.post("/auth/oidc/example/finish", { flowToken: flow.flowToken, callbackUrl });
    };
    ok(await enter());
    await rotating.rotateKeys();
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    ok(await enter());
    expect(rotating.requests.filter((path) => path === "/keys")).toHaveLength(2);
  });

  test("reads the metadata of a provider once, and its keys once", async () => {
    const fresh = await startIssuer();
    const own = await another({ OIDC_PROVIDERS: JSON.stringify([fresh.provider()]) });
    const begin = () => own.anonymous.post<Flow>("/auth/oidc/example/start", { redirectUri: CALLBACK });
    for (const res of await Promise.all([begin(), begin(), begin()])) {
      const { authorizationUrl, flowToken } = ok(res);
      const callbackUrl = await comeBack(authorizationUrl, somebody());
      ok(await own.anonymous.post("/auth/oidc/example/finish", { flowToken, callbackUrl }));
    }
    expect(fresh.requests.filter((path) => path.includes("well-known"))).toHaveLength(1);
    expect(fresh.requests.filter((path) => path === "/keys")).toHaveLength(1);
  });
});

describe("a flow", () => {
  test("is finished once: of two at once one signs in", async () => {
    const { authorizationUrl, flowToken } = await start();
    const body = { flowToken, callbackUrl: await comeBack(authorizationUrl, somebody()) };
    const both = await Promise.all([finish(body), finish(body)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    expectError(await finish(body), "BAD_REQUEST", "flowToken");
  });

  test("is used up by a failure", async () => {
    const { authorizationUrl, flowToken } = await start();
    const callbackUrl = await comeBack(authorizationUrl, somebody());
    expectError(await finish({ flowToken, callbackUrl: `${callbackUrl}x&state=other` }), "BAD_REQUEST", "callbackUrl");
    expectError(await finish({ flowToken, callbackUrl }), "BAD_REQUEST", "flowToken");
  });

  test("of another browser, of another provider, or that has expired, signs nobody in", async () => {
    const { authorizationUrl, flowToken } = await start();
    const callbackUrl = await comeBack(authorizationUrl, somebody());
    const stranger = await start();
    await expectNobody(() => finish({ flowToken: stranger.flowToken, callbackUrl }), "BAD_REQUEST", "callbackUrl");
    await expectNobody(() => finish({ flowToken: "guessed", callbackUrl }), "BAD_REQUEST", "flowToken");
    await expectNobody(() => finish({ flowToken, callbackUrl }, "other"), "BAD_REQUEST", "flowToken");
    await db.rows(sql`update oidc_flow set expires_at = now() - interval '1 second'`);
    await expectNobody(() => finish({ flowToken, callbackUrl }), "BAD_REQUEST", "flowToken");
  });

  test("stores no token, and the sweep removes it once it has expired", async () => {
    const { flowToken } = await start();
    const rows = await db.rows(sql`select * from oidc_flow`);
    expect(JSON.stringify(rows)).not.toContain(flowToken);
    await db.rows(sql`update oidc_flow set expires_at = now() - interval '1 second'`);
    const kept = await start();
    await swept(forgetExpiredFlows, db);
    expect(await db.rows(sql`select id from oidc_flow`)).toHaveLength(1);
    expectError(await finish({ flowToken: kept.flowToken, callbackUrl: CALLBACK }), "BAD_REQUEST", "callbackUrl");
  });
});

describe("what comes back", () => {
  test.each<[string, Faults]>([
    ["a wrong nonce", { idToken: { nonce: "another" } }],
    ["no nonce", { idToken: { nonce: null } }],
    ["an ID token of another issuer", { idToken: { iss: "https://evil.example.org" } }],
    ["an ID token for another client", { idToken: { aud: "another" } }],
    ["another issuer in the address", { callbackIssuer: "https://evil.example.org" }],
    ["a refusal", { refusal: "access_denied" }],
  ])("with %s signs nobody in", async (_, faults) => {
    const logged = logs.length;
    await expectNobody(() => signIn(faults), "BAD_REQUEST", "callbackUrl");
    expect(logs.slice(logged).filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test.each<[string, Faults]>([
    ["an expired ID token", { idToken: { exp: 1 } }],
    ["an ID token that another key has signed", { isForged: true }],
    ["a subject that is too long", { idToken: { sub: "x".repeat(300) } }],
  ])("with %s is the provider's fault, and signs nobody in", async (_, faults) => {
    await expectNobody(() => signIn(faults), "SERVICE_UNAVAILABLE");
  });

  test("with a code that was used before signs nobody in", async () => {
    const first = await start();
    const callback = await comeBack(first.authorizationUrl, somebody());
    ok(await finish({ flowToken: first.flowToken, callbackUrl: callback }));
    const second = await start();
    const replayed = new URL(callback);
    replayed.searchParams.set("state", new URL(second.authorizationUrl).searchParams.get("state") ?? "");
    const body = { flowToken: second.flowToken, callbackUrl: replayed.href };
    await expectNobody(() => finish(body), "BAD_REQUEST", "callbackUrl");
  });

  test("to another address, or without a code, is BAD_REQUEST", async () => {
    for (const change of [
      (url: URL) => url.searchParams.delete("code"),
      (url: URL) => (url.hostname = "evil.example.org"),
    ]) {
      const { authorizationUrl, flowToken } = await start();
      const url = new URL(await comeBack(authorizationUrl, somebody()));
      change(url);
      await expectNobody(() => finish({ flowToken, callbackUrl: url.href }), "BAD_REQUEST", "callbackUrl");
    }
  });

  test("from a provider that states its issuer, without it or with two of it, is BAD_REQUEST and no fault in the log", async () => {
    for (const change of [
      (query: URLSearchParams) => query.delete("iss"),
      (query: URLSearchParams) => query.append("iss", "https://evil.example.org"),
    ]) {
      const { authorizationUrl, flowToken } = await start("proper");
      const url = new URL(await browse(authorizationUrl));
      expect(url.searchParams.get("iss")).toBe(proper);
      change(url.searchParams);
      const logged = logs.length;
      const body = { flowToken, callbackUrl: url.href };
      await expectNobody(() => finish(body, "proper"), "BAD_REQUEST", "callbackUrl");
      expect(logs.slice(logged).filter((line) => line.includes('"level":50'))).toEqual([]);
    }
  });

  test("in an answer of more than 512 KiB is refused, and read no further", async () => {
    const signInWith = (padding: number) => signIn({ userInfo: { email: anAddress(), email_verified: true }, padding });
    ok(await signInWith(500 * 1024));
    await expectNobody(() => signInWith(513 * 1024), "SERVICE_UNAVAILABLE");
  });

  test("while the provider is gone, or does not accept the client, is SERVICE_UNAVAILABLE", async () => {
    await expectNobody(() => signIn({}, "stranger"), "SERVICE_UNAVAILABLE");
    const leaving = await startIssuer();
    const own = await another({ OIDC_PROVIDERS: JSON.stringify([leaving.provider()]) });
    const flow = ok(await own.anonymous.post<Flow>("/auth/oidc/example/start", { redirectUri: CALLBACK }));
    const callbackUrl = await comeBack(flow.authorizationUrl, somebody());
    await leaving.stop();
    const body = { flowToken: flow.flowToken, callbackUrl };
    await expectNobody(() => own.anonymous.post("/auth/oidc/example/finish", body), "SERVICE_UNAVAILABLE");
  });
});

test("sign-ins at providers count under the limit of sign-ins", async () => {
  const limited = await another({ AUTH_RATE_LIMIT_PER_MINUTE: "2" });
  const begin = () => limited.anonymous.post("/auth/oidc/example/start", { redirectUri: CALLBACK });
  expect([(await begin()).status, (await begin()).status, (await begin()).status]).toEqual([200, 200, 429]);
});

test("PASSWORD_SIGN_IN=off refuses passwords, and asks for a young session where it asked for one", async () => {
  const off = await another({ PASSWORD_SIGN_IN: "off" });
  const ada = await make.user();
  const { email, password } = ada;
  expectError(await off.anonymous.post("/auth/sign-in", { email, password }), "FORBIDDEN");
  expectError(await off.anonymous.post("/auth/sign-up", { name: "Bob", email: `b${email}`, password }), "FORBIDDEN");
  expectError(await off.anonymous.post("/auth/password-reset", { email }), "FORBIDDEN");
  const reset = { token: await linkFor(db, ada, "passwordReset"), password: "another horse battery" };
  expectError(await off.anonymous.post("/auth/password-reset/confirm", reset), "FORBIDDEN");
  const change = { currentPassword: password, newPassword: "another horse battery" };
  expectError(await off.as(ada).put("/users/me/password", change), "FORBIDDEN");
  await db.rows(sql`update access_token set created_at = now() - interval '11 minutes'`);
  expectError(await off.as(ada).post("/users/me/delete", {}), "FORBIDDEN", "currentPassword");
  await db.rows(sql`update access_token set created_at = now()`);
  ok(await off.as(ada).post("/users/me/delete", {}));
});

test("no line of the log holds a flow token, a code, a secret or an address", async () => {
  logs.length = 0;
  const claims = somebody();
  const { authorizationUrl, flowToken } = await start();
  const callbackUrl = await comeBack(authorizationUrl, claims);
  ok(await finish({ flowToken, callbackUrl }));
  await finish({ flowToken, callbackUrl });
  await signIn({ isForged: true });
  await signIn({}, "stranger");
  const params = [...new URL(callbackUrl).searchParams.values(), ...new URL(authorizationUrl).searchParams.values()];
  const text = logs.join("");
  expect(logs.length).toBeGreaterThan(6);
  const secrets = params.filter((value) => value.length > 20 && value !== CALLBACK);
  for (const secret of [...secrets, flowToken, String(claims.email), CLIENT_SECRET, "not the secret", "wb_"]) {
    expect(text).not.toContain(secret);
  }
});
