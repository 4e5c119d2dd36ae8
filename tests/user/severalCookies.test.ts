// Several session cookies in one request: other ports and subdomains can set cookies of the same name for longer paths, which browsers
// send first, or for a whole domain (clients.md section 1, Sessions for pages). None of them acts for the person or locks them out.

import { eq, sql } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { accessToken, account, auditEntry } from "../../src/db/schema/index.js";
import { anAddress, appOn, type Client, type Fields, type Person } from "../helpers/app.js";
import { countingStatements, openTestDatabase } from "../helpers/databases.js";
import type { RawRequest } from "../helpers/requests.js";

const NAME = "work-board-3000";
const { through, during } = countingStatements();
const { db, close } = await openTestDatabase(through);
afterAll(close);
const { anonymous, make, another } = await appOn(db, {});

type Headers = Record<string, string>;

const OWN = { host: "board.test:3000", "sec-fetch-site": "same-origin" };

const [REST, TRPC] = [
  {
    me: "/api/v1/users/me",
    session: "/api/v1/auth/session",
    signOut: "/api/v1/auth/sign-out",
    signIn: "/api/v1/auth/sign-in",
  },
  { me: "/trpc/user.me", session: "/trpc/user.session", signOut: "/trpc/user.signOut", signIn: "/trpc/user.signIn" },
];

const get = (url: string, headers: Headers): RawRequest => ({ method: "GET", url, headers: { ...OWN, ...headers } });
const post = (url: string, body: Fields, headers: Headers): RawRequest => ({
  method: "POST",
  url,
  headers: { ...OWN, "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** Sends a request; both faces give the same outcome. */
async function outcomeOf(request: RawRequest, client: Client = anonymous) {
  const { body, status, headers } = await client.send<Fields>(request);
  const { error, result } = Object(body);
  const failure = error === undefined ? body : error.data;
  return {
    code: status === 200 ? "OK" : String(failure.code),
    data: result?.data ?? body,
    issues: failure.issues,
    headers,
  };
}

const UNKNOWN = `wb_${"x".repeat(43)}`;

/** The header of cookies with some values, in the order in which a browser sends them. */
const sent = (...values: string[]) => ({ cookie: values.map((value) => `${NAME}=${value}`).join("; ") });

/** Ends a session as another process does: this one still remembers it. */
const endElsewhere = ({ publicId }: Person) =>
  db
    .delete(accessToken)
    .where(
      sql`${accessToken.accountId} = (select ${account.id} from ${account} where ${account.publicId} = ${publicId}::text)`,
    );

const signedOutOf = async ({ publicId }: Person) =>
  (await db.select().from(auditEntry).where(eq(auditEntry.type, "account.signedOut"))).filter(
    ({ target }) => target?.publicId === publicId,
  ).length;

describe.each([
  ["REST", REST],
  ["tRPC", TRPC],
])("over %s", (_face, { me, session, signOut, signIn }) => {
  test("the session of the account in Acting-As counts, wherever it stands", async () => {
    const [ada, eve] = [await make.user(), await make.user()];
    for (const values of [
      [eve.token, ada.token],
      [ada.token, eve.token],
      ["", "garbage", UNKNOWN, ada.token],
      [ada.token, UNKNOWN, "garbage", ""],
    ]) {
      for (const url of [me, session]) {
        const { code, data } = await outcomeOf(get(url, { ...sent(...values), "acting-as": ada.publicId }));
        expect(code).toBe("OK");
        expect(data.user ?? data).toMatchObject({ publicId: ada.publicId });
      }
    }
  });

  test("without Acting-As the last valid session counts, also if one behind it has just ended", async () => {
    const [ada, bob, eve] = [await make.user(), await make.user(), await make.user()];
    const actor = async (...values: string[]) => (await outcomeOf(get(me, sent(...values)))).data.publicId;
    expect(await actor(eve.token, ada.token)).toBe(ada.publicId);
    expect(await actor(ada.token, UNKNOWN, "garbage")).toBe(ada.publicId);
    expect(await actor(ada.token, bob.token)).toBe(bob.publicId);
    await endElsewhere(bob);
    expect(await actor(ada.token, bob.token)).toBe(ada.publicId);
  });

  test("if none is of the account in Acting-As, the call is UNAUTHORIZED and names the header", async () => {
    const [ada, bob, eve] = [await make.user(), await make.user(), await make.user()];
    await endElsewhere(ada);
    const values = sent(eve.token, ada.token, bob.token);
    const { code, issues } = await outcomeOf(get(me, { ...values, "acting-as": ada.publicId }));
    expect(code).toBe("UNAUTHORIZED");
    expect(issues).toEqual([{ path: ["Acting-As"], message: expect.any(String) }]);
    const { data } = await outcomeOf(get(session, { ...values, "acting-as": ada.publicId }));
    expect(data.user).toMatchObject({ publicId: bob.publicId });
  });

  test("the last four count, and are looked up in one statement", async () => {
    const [ada, eve] = [await make.user(), await make.user()];
    const planted = [UNKNOWN, UNKNOWN.replace("x", "y"), eve.token];
    const request = get(me, { ...sent(ada.token, ...planted), "acting-as": ada.publicId });
    expect(await outcomeOf(request)).toMatchObject({ code: "OK", data: { publicId: ada.publicId } });
    expect(await during(() => outcomeOf(request))).toBe(1);
    const fifth = get(me, { ...sent(ada.token, "garbage", ...planted), "acting-as": ada.publicId });
    expect((await outcomeOf(fifth)).code).toBe("UNAUTHORIZED");
  });

  test("a planted cookie never keeps anybody from signing in", async () => {
    const [ada, eve] = [await make.user(), await make.user()];
    const { email, password } = ada;
    for (const planted of ["garbage", UNKNOWN, eve.token]) {
      const { code, headers } = await outcomeOf(post(signIn, { email, password, session: "cookie" }, sent(planted)));
      expect(code).toBe("OK");
      const [, value = ""] = /=(wb_[^;]+);/.exec(headers["set-cookie"] ?? "") ?? [];
      const { data } = await outcomeOf(get(me, { ...sent(planted, value), "acting-as": ada.publicId }));
      expect(data).toMatchObject({ publicId: ada.publicId });
    }
  });

  test("signing out ends the sessions of all of them, which the audit log has for each person, and removes the cookie", async () => {
    const [ada, bob, eve] = [await make.user(), await make.user(), await make.user()];
    const cookies = { ...sent("garbage", eve.token, bob.token, ada.token), "acting-as": ada.publicId };
    const { code, headers } = await outcomeOf(post(signOut, {}, cookies));
    expect(code).toBe("OK");
    expect(headers["set-cookie"]).toBe(`${NAME}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`);
    for (const person of [ada, bob, eve]) {
      expect((await outcomeOf(get(me, sent(person.token)))).code).toBe("UNAUTHORIZED");
      expect(await signedOutOf(person)).toBe(1);
    }
  });

  test("signing out with a token leaves the sessions of the cookies alone", async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    const headers = { ...sent(bob.token, bob.token), authorization: `Bearer ${ada.token}` };
    expect((await outcomeOf(post(signOut, {}, headers))).code).toBe("OK");
    expect((await outcomeOf(get(me, sent(bob.token)))).code).toBe("OK");
  });

  test("a signing out that is refused ends none", async () => {
    const [ada, bob, eve] = [await make.user(), await make.user(), await make.user()];
    const cookies = { ...sent(eve.token, bob.token), "acting-as": ada.publicId };
    expect((await outcomeOf(post(signOut, {}, cookies))).code).toBe("UNAUTHORIZED");
    for (const person of [bob, eve]) expect((await outcomeOf(get(me, sent(person.token)))).code).toBe("OK");
  });
});

test("a planted session is not kept alive by the calls of the person", async () => {
  const [ada, eve] = [await make.user(), await make.user()];
  const hourAgo = sql`now() - interval '1 hour'`;
  await db.update(accessToken).set({ lastUsedAt: hourAgo });
  await outcomeOf(get(REST.me, { ...sent(eve.token, ada.token), "acting-as": ada.publicId }));
  const usedAgain = async ({ publicId }: Person) => {
    const [row] = await db.rows<{ isUsed: boolean }>(sql`
      select last_used_at > now() - interval '1 minute' as "isUsed" from access_token
      where account_id = (select id from account where public_id = ${publicId}::text)`);
    return row?.isUsed;
  };
  await expect.poll(() => usedAgain(ada)).toBe(true);
  expect(await usedAgain(eve)).toBe(false);
});

test("beside a valid cookie none counts as an unknown token; without one the call counts as one", async () => {
  const people = [await make.user(), await make.user(), await make.user(), await make.user(), await make.user()];
  const limited = (await another({ RATE_LIMIT_PER_MINUTE: "2" })).anonymous;
  for (const { token } of people) {
    for (const values of [sent(UNKNOWN, token), sent(token, UNKNOWN)]) {
      expect((await outcomeOf(get(REST.me, values), limited)).code).toBe("OK");
    }
  }
  expect((await outcomeOf(get(REST.me, sent(UNKNOWN, UNKNOWN)), limited)).code).toBe("UNAUTHORIZED");
  expect((await outcomeOf(get(REST.me, sent(UNKNOWN, UNKNOWN)), limited)).code).toBe("TOO_MANY_REQUESTS");
});

test("a planted cookie keeps nobody from signing up", async () => {
  const fields = { name: "Ada", email: anAddress(), password: "correct horse battery", session: "cookie" };
  const url = "/api/v1/auth/sign-up";
  expect((await outcomeOf(post(url, fields, sent(UNKNOWN, "garbage")))).code).toBe("OK");
});
