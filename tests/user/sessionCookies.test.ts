// Sessions by cookie (clients.md section 1, Sessions for pages), over REST and tRPC: when a cookie is set, when it counts, which requests
// may come with it, and when it is removed.

import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { accessToken, account } from "../../src/db/schema/index.js";
import { VERSION } from "../../src/version.js";
import { anAddress, type Client, type Fields, ok, type Person, testApp, unique } from "../helpers/app.js";
import { CALLBACK, comeBack, startIssuer } from "../helpers/issuer.js";
import type { Method, RawRequest } from "../helpers/requests.js";
import { rolesOf } from "./oidc/signIns.js";

const HOST = "board.test:3000";
const issuer = await startIssuer();
const { as, anonymous, make, db, another } = await testApp({ OIDC_PROVIDERS: rolesOf(issuer), METRICS_TOKEN: "m" });

type Headers = Record<string, string>;

interface Face {
  read(headers: Headers): RawRequest;
  write(input: Fields, headers: Headers): RawRequest;
  signIn(input: Fields, headers: Headers): RawRequest;
  signOut(headers: Headers): RawRequest;
  session(headers: Headers): RawRequest;
}

const sent = (method: Method, url: string, headers: Headers, input?: Fields): RawRequest => ({
  method,
  url,
  headers: { host: HOST, ...(input !== undefined && { "content-type": "application/json" }), ...headers },
  ...(input !== undefined && { body: JSON.stringify(input) }),
});

const REST: Face = {
  read: (headers) => sent("GET", "/api/v1/users/me", headers),
  write: (input, headers) => sent("PUT", "/api/v1/users/me", headers, input),
  signIn: (input, headers) => sent("POST", "/api/v1/auth/sign-in", headers, input),
  signOut: (headers) => sent("POST", "/api/v1/auth/sign-out", headers, {}),
  session: (headers) => sent("GET", "/api/v1/auth/session", headers),
};
const TRPC: Face = {
  read: (headers) => sent("GET", "/trpc/user.me", headers),
  write: (input, headers) => sent("POST", "/trpc/user.update", headers, input),
  signIn: (input, headers) => sent("POST", "/trpc/user.signIn", headers, input),
  signOut: (headers) => sent("POST", "/trpc/user.signOut", headers, {}),
  session: (headers) => sent("GET", "/trpc/user.session", headers),
};
const FACES = [
  ["REST", REST],
  ["tRPC", TRPC],
] as const;

/** A request as a page of the service sends it in a secure context. */
const OWN = { "sec-fetch-site": "same-origin" };
/** The same where browsers send no `Sec-Fetch-*`. */
const OWN_ON_LAN = { origin: `http://${HOST}` };

interface Outcome {
  /** `OK` or the code of the failure. */
  code: string;
  data: Fields;
  issues: unknown;
  headers: Headers;
}

/** Sends a request; both faces give the same outcome. */
async function outcomeOf(request: RawRequest, client: Client = anonymous): Promise<Outcome> {
  const { body, status, headers } = await client.send<Fields>(request);
  const { error, result } = Object(body);
  const failure = error === undefined ? body : { ...error.data };
  return {
    code: status === 200 ? "OK" : String(failure.code),
    data: result?.data ?? body,
    issues: failure.issues,
    headers: headers as Headers,
  };
}

const codeOf = async (request: RawRequest, client?: Client) => (await outcomeOf(request, client)).code;

/** A cookie as it is set, and as the browser sends it from then on. */
async function signedIn(person: Person, face: Face = REST, headers: Headers = OWN_ON_LAN, client?: Client) {
  const { email, password } = person;
  const {
    code,
    data,
    headers: answered,
  } = await outcomeOf(face.signIn({ email, password, session: "cookie" }, headers), client);
  const set = answered["set-cookie"] ?? "";
  return { code, data, answered, set, cookie: set.split(";")[0] ?? "" };
}

const nameOf = async ({ publicId }: Person) =>
  (await db.select({ name: account.name }).from(account).where(eq(account.publicId, publicId)))[0]?.name;

const sessionsOf = async ({ publicId }: Person) =>
  db
    .select({ id: accessToken.id })
    .from(accessToken)
    .innerJoin(account, eq(account.id, accessToken.accountId))
    .where(eq(account.publicId, publicId));

const COOKIE = /^work-board-3000=wb_[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/;

describe.each(FACES)("over %s", (_name, face) => {
  test("a sign-in that asks for a cookie gets it, and the token nowhere else", async () => {
    const ada = await make.user();
    const { code, data, set, cookie, answered } = await signedIn(ada, face);
    expect(code).toBe("OK");
    expect(Object.keys(data).sort()).toEqual(["expiresAt", "user"]);
    expect(set).toMatch(COOKIE);
    expect(answered).not.toHaveProperty("x-access-token");
    expect(await outcomeOf(face.read({ cookie }))).toMatchObject({ code: "OK", data: { publicId: ada.publicId } });
    expect(await codeOf(face.write({ name: "Changed" }, { cookie, ...OWN_ON_LAN }))).toBe("OK");
    expect(await nameOf(ada)).toBe("Changed");
  });

  test("a sign-in that does not ask for one gets the token and no cookie", async () => {
    const { email, password } = await make.user();
    for (const asked of [{}, { session: "token" }]) {
      const { data, headers } = await outcomeOf(face.signIn({ email, password, ...asked }, OWN));
      expect(data.accessToken).toMatch(/^wb_/);
      expect(headers).not.toHaveProperty("set-cookie");
    }
    expect(await codeOf(face.signIn({ email, password, session: "both" }, OWN))).toBe("BAD_REQUEST");
  });

  /** Requests by the headers that a browser adds, and what a reading and a writing call answer. */
  const SITES: [Headers, read: string, write: string][] = [
    [{ "sec-fetch-site": "same-origin" }, "OK", "OK"],
    [{ "sec-fetch-site": "same-origin", origin: "https://evil.example" }, "OK", "OK"],
    [{ "sec-fetch-site": "none" }, "OK", "FORBIDDEN"],
    [{ "sec-fetch-site": "none", ...OWN_ON_LAN }, "OK", "FORBIDDEN"],
    [{ "sec-fetch-site": "same-site", origin: "http://board.test:4000" }, "FORBIDDEN", "FORBIDDEN"],
    [{ "sec-fetch-site": "same-site", ...OWN_ON_LAN }, "FORBIDDEN", "FORBIDDEN"],
    [
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
      "FORBIDDEN",
      "FORBIDDEN",
    ],
    [
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
      "FORBIDDEN",
      "FORBIDDEN",
    ],
    [{ "sec-fetch-site": "" }, "FORBIDDEN", "FORBIDDEN"],
    [{ "sec-fetch-site": "same-origin, same-origin" }, "FORBIDDEN", "FORBIDDEN"],
    [{}, "OK", "FORBIDDEN"],
    [{ origin: `http://${HOST}` }, "OK", "OK"],
    [{ origin: `https://${HOST}` }, "OK", "OK"],
    [{ origin: "http://board.test:4000" }, "OK", "FORBIDDEN"],
    [{ origin: "http://board.test" }, "OK", "FORBIDDEN"],
    [{ origin: "http://evil.test:3000" }, "OK", "FORBIDDEN"],
    [{ origin: `http://${HOST}.evil.example` }, "OK", "FORBIDDEN"],
    [{ origin: "null" }, "OK", "FORBIDDEN"],
    [{ origin: "" }, "OK", "FORBIDDEN"],
    [{ origin: HOST }, "OK", "FORBIDDEN"],
    [{ origin: "file://" }, "OK", "FORBIDDEN"],
    [{ referer: `http://${HOST}/` }, "OK", "FORBIDDEN"],
  ];

  test.each(SITES)("a call by cookie with %j: reading %s, writing %s", async (headers, read, write) => {
    const ada = await make.user();
    const { cookie } = await signedIn(ada);
    expect(await codeOf(face.read({ cookie, ...headers }))).toBe(read);
    const { code, data } = await outcomeOf(face.write({ name: "Changed" }, { cookie, ...headers }));
    expect(code).toBe(write);
    expect(await nameOf(ada)).toBe(write === "OK" ? "Changed" : ada.name);
    if (write !== "OK") expect(JSON.stringify(data)).not.toContain(ada.email);
  });

  test.each(SITES)("a sign-in that asks for a cookie with %j", async (headers, _read, write) => {
    const ada = await make.user();
    const before = await sessionsOf(ada);
    for (const beside of [{}, { authorization: `Bearer ${(await make.token(ada)).token}` }] as Headers[]) {
      const { code, set } = await signedIn(ada, face, { ...headers, ...beside });
      expect(code).toBe(write);
      if (write !== "OK") expect(set).toBe("");
    }
    if (write !== "OK") expect((await sessionsOf(ada)).length).toBe(before.length + 1);
  });

  test("a call with a token is nobody else's business: pages of other origins may make it", async () => {
    const ada = await make.user();
    const headers = {
      authorization: `Bearer ${ada.token}`,
      "sec-fetch-site": "cross-site",
      origin: "https://a.example",
    };
    expect(await codeOf(face.write({ name: "Changed" }, headers))).toBe("OK");
    const { email, password } = ada;
    expect(await codeOf(face.signIn({ email, password }, { "sec-fetch-site": "cross-site" }))).toBe("OK");
  });

  test("with a token and a cookie the token counts, valid or not", async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    const { cookie } = await signedIn(ada);
    const asBob = { cookie, authorization: `Bearer ${bob.token}`, "sec-fetch-site": "cross-site" };
    expect(await outcomeOf(face.read(asBob))).toMatchObject({ code: "OK", data: { publicId: bob.publicId } });
    for (const authorization of ["Bearer", "Bearer nothing", `bearer wb_${"x".repeat(43)}`]) {
      expect(await codeOf(face.read({ cookie, authorization }))).toBe("UNAUTHORIZED");
    }
    const out = await outcomeOf(face.signOut({ cookie, authorization: `Bearer ${bob.token}`, ...OWN }));
    expect(out.code).toBe("OK");
    expect(out.headers).not.toHaveProperty("set-cookie");
    expect(await codeOf(face.read({ cookie }))).toBe("OK");
  });

  test("Authorization of another scheme, as a proxy asks for, changes nothing", async () => {
    const ada = await make.user();
    const { cookie } = await signedIn(ada);
    for (const authorization of ["Basic YTpi", 'Digest username="a"', "Bearish x", ""]) {
      const read = await outcomeOf(face.read({ cookie, authorization }));
      expect(read).toMatchObject({ code: "OK", data: { publicId: ada.publicId } });
      expect(await codeOf(face.read({ authorization }))).toBe("UNAUTHORIZED");
    }
    const out = await outcomeOf(face.signOut({ cookie, authorization: "Basic YTpi", ...OWN }));
    expect(out.headers["set-cookie"]).toMatch(/Max-Age=0/);
  });

  test("without token and cookie, or with a cookie of another name or port, a call is UNAUTHORIZED", async () => {
    const { cookie } = await signedIn(await make.user());
    const [, value] = cookie.split("=");
    for (const other of [
      "",
      `work-board-4000=${value}`,
      `work-board=${value}`,
      `__Host-work-board=${value}`,
      `x${cookie}`,
    ]) {
      expect(await codeOf(face.read({ cookie: other })), other).toBe("UNAUTHORIZED");
    }
    expect(await codeOf(face.read({ cookie: `a=b; ${cookie}; c="d"` }))).toBe("OK");
    expect(await codeOf(face.read({}))).toBe("UNAUTHORIZED");
  });

  test("signing out removes the cookie and ends its session", async () => {
    const { cookie } = await signedIn(await make.user());
    const { code, headers } = await outcomeOf(face.signOut({ cookie, ...OWN }));
    expect(code).toBe("OK");
    expect(headers["set-cookie"]).toBe("work-board-3000=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
    const again = await outcomeOf(face.read({ cookie, ...OWN }));
    expect(again.code).toBe("UNAUTHORIZED");
    expect(again.headers).not.toHaveProperty("set-cookie");
    expect((await outcomeOf(face.session({ cookie, ...OWN }))).data).toEqual({ user: null, version: VERSION });
  });

  test("a page that believes to act as somebody else is told so, and nothing is done", async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    const { cookie } = await signedIn(bob);
    for (const headers of [OWN, OWN_ON_LAN]) {
      const refused = await outcomeOf(
        face.write({ name: "Changed" }, { cookie, "acting-as": ada.publicId, ...headers }),
      );
      expect(refused.code).toBe("UNAUTHORIZED");
      expect(refused.issues).toEqual([{ path: ["Acting-As"], message: expect.any(String) }]);
    }
    expect(await codeOf(face.read({ cookie, "acting-as": ada.publicId }))).toBe("UNAUTHORIZED");
    expect([await nameOf(ada), await nameOf(bob)]).toEqual([ada.name, bob.name]);
    expect(await codeOf(face.write({ name: "Mine" }, { cookie, "acting-as": bob.publicId, ...OWN }))).toBe("OK");
    // A call with a token says who calls itself, and somebody who is told so finds out who it is.
    expect(await codeOf(face.read({ authorization: `Bearer ${ada.token}`, "acting-as": bob.publicId }))).toBe("OK");
    const session = await outcomeOf(face.session({ cookie, "acting-as": ada.publicId }));
    expect(session.data).toMatchObject({ user: { publicId: bob.publicId } });
  });

  test("who is signed in, by token, cookie or not at all", async () => {
    const ada = await make.user();
    const { cookie } = await signedIn(ada);
    for (const headers of [{ cookie }, { authorization: `Bearer ${ada.token}` }] as Headers[]) {
      expect(await outcomeOf(face.session(headers))).toMatchObject({
        code: "OK",
        data: { user: { publicId: ada.publicId }, version: VERSION },
      });
    }
    for (const headers of [{}, { authorization: "nonsense" }, { cookie: "work-board-3000=nonsense" }] as Headers[]) {
      expect((await outcomeOf(face.session(headers))).data).toEqual({ user: null, version: VERSION });
    }
    expect(await codeOf(face.session({ cookie, "sec-fetch-site": "same-site" }))).toBe("FORBIDDEN");
  });
});

describe("https and the name of the cookie", () => {
  const PUBLIC = { PUBLIC_URL: "https://board.example.org" };
  const AT_PUBLIC = { host: "board.example.org" };
  const BY_PROXY = { "x-forwarded-proto": "https", "x-forwarded-host": "board.example.org" };
  const SECURE = "__Host-work-board";
  test.each<[string, Record<string, string>, Headers, string]>([
    ["the port of Host", {}, {}, "work-board-3000"],
    ["a Host without a port", {}, { host: "board.test" }, "work-board-80"],
    ["IPv6", {}, { host: "[::1]:3000" }, "work-board-3000"],
    ["IPv6 without a port", {}, { host: "[::1]" }, "work-board-80"],
    ["X-Forwarded-Proto of nobody trusted", {}, BY_PROXY, "work-board-3000"],
    ["X-Forwarded-Proto of a trusted proxy", { TRUST_PROXY: "true" }, BY_PROXY, SECURE],
    ["http at a trusted proxy", { TRUST_PROXY: "true" }, { ...BY_PROXY, "x-forwarded-proto": "http" }, "work-board-80"],
    ["the Host of an https PUBLIC_URL", PUBLIC, AT_PUBLIC, SECURE],
    ["another Host than that of an https PUBLIC_URL", PUBLIC, {}, "work-board-3000"],
    ["the Host of an http PUBLIC_URL", { PUBLIC_URL: "http://board.example.org" }, AT_PUBLIC, "work-board-80"],
    ["the Host of an https APP_URL", { APP_URL: "https://board.example.org" }, AT_PUBLIC, "work-board-80"],
  ])("%s", async (_case, env, headers, name) => {
    const place = await another(env);
    const ada = await make.user();
    const { set, cookie } = await signedIn(ada, REST, { ...OWN, ...headers }, place.anonymous);
    expect(set.startsWith(`${name}=wb_`), set).toBe(true);
    expect(set.endsWith("; Secure")).toBe(name === SECURE);
    expect(set).not.toContain("Domain");
    expect(await codeOf(REST.read({ cookie, ...headers }), place.anonymous)).toBe("OK");
  });

  test.each<[string, Record<string, string>, Headers, string]>([
    ["a trusted proxy's X-Forwarded-Host", { TRUST_PROXY: "true" }, BY_PROXY, "OK"],
    ["the Host of nobody trusted", {}, BY_PROXY, "FORBIDDEN"],
    ["a rewritten Host behind PUBLIC_URL", PUBLIC, { host: "127.0.0.1:3000" }, "OK"],
    ["a rewritten Host without it", {}, { host: "127.0.0.1:3000" }, "FORBIDDEN"],
    ["a Host with the default port", {}, { host: "board.example.org:443" }, "OK"],
  ])("the Origin https://board.example.org and %s", async (_case, env, headers, expected) => {
    const place = await another(env);
    const ada = await make.user();
    const origin = "https://board.example.org";
    expect((await signedIn(ada, REST, { ...headers, origin }, place.anonymous)).code).toBe(expected);
    expect((await signedIn(ada, TRPC, { ...headers, origin }, place.anonymous)).code).toBe(expected);
  });
});

describe("every operation that begins a session", () => {
  const cookieOf = (res: { headers: Record<string, string | undefined> }) =>
    (res.headers["set-cookie"] ?? "").split(";")[0];
  const invitation = async () => {
    const { workspace, owner } = await make.workspace();
    const { publicId } = workspace;
    const { inviteCode } = ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${publicId}/invites`));
    return { publicId, inviteCode };
  };
  const whoIs = async (cookie = "") => (await outcomeOf(REST.session({ cookie }))).data.user;

  test("signing up, also of an accountless guest with a cookie", async () => {
    const { publicId: workspacePublicId, inviteCode } = await invitation();
    const headers = { host: HOST, ...OWN };
    const joined = await anonymous.post("/invites/accept", { inviteCode, session: "cookie" }, headers);
    expect(ok(joined)).toMatchObject({ success: true, workspacePublicId });
    expect(joined.headers).not.toHaveProperty("x-access-token");
    const guest = cookieOf(joined) ?? "";
    expect(await whoIs(guest)).toMatchObject({ isGuest: true });
    const fields = { name: "Ada", email: anAddress(), password: "correct horse battery", session: "cookie" };
    const signedUp = await anonymous.post("/auth/sign-up", fields, { ...headers, cookie: guest });
    expect(ok(signedUp)).not.toHaveProperty("accessToken");
    expect(await whoIs(cookieOf(signedUp))).toMatchObject({ email: fields.email, isGuest: false });
    expect(await whoIs(guest)).toBeNull();
  });

  test("finishing a sign-in at a provider", async () => {
    const start = { redirectUri: CALLBACK };
    const flow = ok(
      await anonymous.post<{ authorizationUrl: string; flowToken: string }>("/auth/oidc/plain/start", start),
    );
    const email = anAddress();
    const callbackUrl = await comeBack(flow.authorizationUrl, { sub: unique("subject"), email, email_verified: true });
    const finish = { flowToken: flow.flowToken, callbackUrl, session: "cookie" };
    const res = await anonymous.post("/auth/oidc/plain/finish", finish, { host: HOST, ...OWN });
    expect(ok(res)).not.toHaveProperty("accessToken");
    expect(await whoIs(cookieOf(res))).toMatchObject({ email });
  });

  test("joining with a cookie joins its account, and a dead cookie counts as none", async () => {
    const { publicId, inviteCode } = await invitation();
    const ada = await make.user();
    const { cookie } = await signedIn(ada);
    const headers = { host: HOST, cookie, ...OWN };
    const joined = await anonymous.post("/invites/accept", { inviteCode }, headers);
    ok(joined);
    expect(joined.headers).not.toHaveProperty("x-access-token");
    ok(await as(ada).get(`/workspaces/${publicId}`));
    ok(await anonymous.post("/auth/sign-out", {}, headers));
    const asGuest = await anonymous.post("/invites/accept", { inviteCode }, headers);
    ok(asGuest);
    expect(asGuest.headers["x-access-token"]).toMatch(/^wb_/);
    const fields = { name: "Eve", email: anAddress(), password: "correct horse battery" };
    expect(ok(await anonymous.post("/auth/sign-up", fields, headers)).accessToken).toMatch(/^wb_/);
  });
});

describe("a cookie", async () => {
  const ada = await make.user();
  const { cookie } = await signedIn(ada);

  test("stays when another session ends, the password changes, or its own session is ended from the list", async () => {
    const bob = await make.user();
    const own = await signedIn(bob);
    const headers = { host: HOST, cookie: own.cookie, ...OWN };
    const newPassword = { currentPassword: bob.password, newPassword: "another horse battery" };
    const changed = await anonymous.put("/users/me/password", newPassword, headers);
    ok(changed);
    const listed = ok(await anonymous.get<{ publicId: string; isCurrent: boolean }[]>("/users/me/sessions", headers));
    const current = listed.find(({ isCurrent }) => isCurrent)?.publicId;
    const ended = await anonymous.delete(`/users/me/sessions/${current}`, undefined, headers);
    ok(ended);
    for (const res of [changed, ended]) expect(res.headers).not.toHaveProperty("set-cookie");
    expect(await codeOf(REST.read(headers))).toBe("UNAUTHORIZED");
  });

  test("goes with its account", async () => {
    const bob = await make.user();
    const own = await signedIn(bob);
    const headers = { host: HOST, cookie: own.cookie, ...OWN };
    const deleted = await anonymous.post("/users/me/delete", { password: bob.password }, headers);
    ok(deleted);
    expect(deleted.headers["set-cookie"]).toMatch(/^work-board-3000=; .*Max-Age=0/);
  });

  test("opens no metrics and no path outside of the API", async () => {
    expect((await anonymous.send(sent("GET", "/metrics", { cookie, ...OWN }))).status).toBe(401);
    for (const url of ["/mcp", "/feeds/calendar"]) {
      for (const method of ["GET", "POST"] as const) {
        const headers = { cookie, ...OWN, authorization: "" };
        expect((await anonymous.send(sent(method, url, headers))).status).toBe(404);
      }
    }
  });

  test("downloads files that a person opens from anywhere, and no picture of another page does", async () => {
    const { board } = await make.board({ owner: ada });
    const opened = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    const download = (headers: Headers, path = `/boards/${board.publicId}/export`) =>
      codeOf(sent("GET", `/api/v1${path}`, { cookie, ...headers }));
    expect(await download({ "sec-fetch-site": "cross-site", ...opened })).toBe("OK");
    expect(await download({ "sec-fetch-site": "cross-site", ...opened, "sec-fetch-dest": "iframe" })).toBe("FORBIDDEN");
    expect(await download({ "sec-fetch-site": "cross-site", ...opened, "sec-fetch-mode": "no-cors" })).toBe(
      "FORBIDDEN",
    );
    expect(await download({ "sec-fetch-site": "same-site", "sec-fetch-dest": "image" })).toBe("FORBIDDEN");
    expect(await download({ "sec-fetch-site": "cross-site", ...opened }, `/boards/${board.publicId}`)).toBe(
      "FORBIDDEN",
    );
    expect(
      (await anonymous.send(sent("GET", "/api/v1/users/me/export", { cookie, "sec-fetch-site": "none" }))).status,
    ).toBe(200);
  });

  test("posts no form of another page, whatever its type", async () => {
    const { workspace } = await make.workspace({ owner: ada });
    const { publicId } = workspace;
    for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", ""]) {
      for (const origin of ["null", "http://board.test:4000", "https://evil.example"]) {
        const headers = { host: HOST, cookie, origin, ...(type !== "" && { "content-type": type }) };
        const request = { method: "POST" as const, url: `/api/v1/workspaces/${publicId}/boards`, headers };
        expect(await codeOf({ ...request, body: '{"name":"Mine"}' })).toBe("FORBIDDEN");
      }
    }
    expect(ok(await as(ada).get(`/workspaces/${publicId}/boards`))).toEqual([]);
    const headers = { cookie, ...OWN_ON_LAN, "content-type": "text/plain" };
    const own = await anonymous.send(sent("POST", `/api/v1/workspaces/${publicId}/boards`, headers));
    expect(own.status).toBe(400);
  });

  test("opens streams of its own pages alone, over both faces", async () => {
    const { board } = await make.board({ owner: ada });
    const listening = await another({});
    const base = await listening.listening();
    const { port } = new URL(base);
    const own = cookie.replace("work-board-3000", `work-board-${port}`);
    const input = encodeURIComponent(JSON.stringify({ boardPublicId: board.publicId }));
    for (const path of [`/api/v1/boards/${board.publicId}/stream`, `/trpc/board.stream?input=${input}`]) {
      const leaving = new AbortController();
      const res = await fetch(base + path, { headers: { cookie: own }, signal: leaving.signal });
      expect(res.headers.get("content-type")).toContain("text/event-stream");
      expect(res.status).toBe(200);
      leaving.abort();
      const headers = { cookie: own, "sec-fetch-site": "same-site" };
      expect((await fetch(base + path, { headers })).status).toBe(403);
    }
  });

  test("is never for scripts of configured origins", async () => {
    const origin = "https://app.example.org";
    const open = await another({ CORS_ORIGIN: origin });
    for (const method of ["OPTIONS", "GET"] as const) {
      const headers = { origin, cookie, "access-control-request-method": "GET" };
      const res = await open.anonymous.send(sent(method, "/api/v1/users/me", headers));
      expect(res.headers["access-control-allow-origin"]).toBe(origin);
      expect(res.headers).not.toHaveProperty("access-control-allow-credentials");
    }
    expect(await codeOf(REST.write({ name: "X" }, { cookie, origin }), open.anonymous)).toBe("FORBIDDEN");
  });

  test("serves instance admins", async () => {
    await db.rows(sql`update account set is_admin = true where public_id = ${ada.publicId}::text`);
    expect(await codeOf(sent("GET", "/api/v1/admin/status", { cookie, ...OWN }))).toBe("OK");
    expect(await codeOf(sent("GET", "/api/v1/admin/status", { cookie, "sec-fetch-site": "cross-site" }))).toBe(
      "FORBIDDEN",
    );
  });
});
