// Sessions by cookie in a real browser, on localhost and as on a LAN (http://board.test:PORT, which is no secure context): what pages of
// other origins can do with the cookie, which is nothing.
//
// @module-tag slow

import { once } from "node:events";
import { createServer } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fields, ok, testApp } from "../helpers/app.js";
import { chromiumPath, NO_BROWSER, openContext } from "../helpers/browser.js";

const TIMEOUT_MS = 90_000;

const { as, make, listening } = await testApp();

/** Runs a function, given as text since it is of the page, with arguments of JSON. */
const run = <Result>(page: Page, script: string, ...args: unknown[]): Promise<Result> =>
  page.evaluate<Result>(`(${script})(...${JSON.stringify(args)})`);

/** A request of a page; what a script reads of the answer, or why it reads none. */
const fetched = (page: Page, url: string, init: Fields = {}) =>
  run<{ status: number; text: string }>(
    page,
    `async (url, init) => {
      try {
        const res = await fetch(url, init);
        return { status: res.status, text: await res.text() };
      } catch (error) {
        return { status: -1, text: String(error) };
      }
    }`,
    url,
    init,
  );

const STREAM = `(url) => new Promise((resolve) => {
  const stream = new EventSource(url, { withCredentials: true });
  stream.onopen = () => resolve(true);
  stream.onerror = () => resolve(false);
})`;

const IMAGE = `(src) => new Promise((resolve) => {
  Object.assign(new Image(), { onload: () => resolve(true), onerror: () => resolve(false), src });
})`;

/** Posts a form whose body reads as JSON, into a frame. */
const FORM = `(action, enctype) => {
  const form = Object.assign(document.createElement("form"), { action, method: "post", enctype, target: enctype });
  form.append(Object.assign(document.createElement("input"), { name: '{"name":"Theirs","x":"', value: '"}' }));
  document.body.append(Object.assign(document.createElement("iframe"), { name: enctype }), form);
  form.submit();
}`;

/** Whether a page reads what it shows in a frame. */
const FRAME = `(src) => new Promise((resolve) => {
  const frame = Object.assign(document.createElement("iframe"), { src });
  frame.addEventListener("load", () => resolve(frame.contentDocument !== null));
  document.body.append(frame);
})`;

const json = (body: unknown) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** A page of nobody in particular, under every name of this machine. */
async function strangers() {
  const server = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<title>Elsewhere</title>"),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  afterAll(() => server.close());
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

describe.skipIf(chromiumPath === undefined)(`in a browser${NO_BROWSER}`, () => {
  let port: string;
  let otherPort: number;
  beforeAll(async () => {
    port = new URL(await listening()).port;
    otherPort = await strangers();
  }, TIMEOUT_MS);

  async function signedIn(host: string) {
    const ada = await make.user();
    const context = await openContext();
    const page = await context.newPage();
    const here = `http://${host}:${port}`;
    await page.goto(`${here}/account/reset`);
    const { email, password } = ada;
    const answer = await fetched(page, "/api/v1/auth/sign-in", json({ email, password, session: "cookie" }));
    expect(answer.status, answer.text).toBe(200);
    return { ada, context, page, here };
  }

  const nameOf = async (person: { token: string }) => ok(await as(person).get("/users/me")).name;

  describe.each(["localhost", "board.test"])("at http://%s:PORT", (host) => {
    test(
      "a page of the service signs in, reads, writes, streams and signs out by cookie, over REST and tRPC",
      async () => {
        const { ada, context, page } = await signedIn(host);
        expect(await page.evaluate("isSecureContext")).toBe(host === "localhost");
        expect(await page.evaluate("document.cookie")).toBe("");
        expect(JSON.parse((await fetched(page, "/api/v1/auth/session")).text)).toMatchObject({
          user: { publicId: ada.publicId },
        });
        const put = { ...json({ name: "By REST" }), method: "PUT" };
        expect((await fetched(page, "/api/v1/users/me", put)).status).toBe(200);
        expect(await nameOf(ada)).toBe("By REST");
        expect((await fetched(page, "/trpc/user.update", json({ name: "By tRPC" }))).status).toBe(200);
        expect(await nameOf(ada)).toBe("By tRPC");
        expect(await run(page, STREAM, "/api/v1/notifications/stream")).toBe(true);
        const headers = { ...put.headers, "acting-as": "0".repeat(12) };
        expect((await fetched(page, "/api/v1/users/me", { ...put, headers })).status).toBe(401);
        expect((await fetched(page, "/api/v1/auth/sign-out", json({}))).status).toBe(200);
        expect(await context.cookies()).toEqual([]);
        expect((await fetched(page, "/api/v1/users/me")).status).toBe(401);
        await context.close();
      },
      TIMEOUT_MS,
    );

    test.each([
      ["another origin", "evil.test"],
      ["another port of the same host", host],
    ])(
      "a page at %s can do nothing with the cookie",
      async (_where, otherHost) => {
        const { ada, context, here } = await signedIn(host);
        const { board } = await make.board({ owner: ada });
        const page = await context.newPage();
        await page.goto(`http://${otherHost}:${otherPort}/`);

        const api = `${here}/api/v1`;
        const tries: [string, Fields][] = [
          [`${api}/users/me`, {}],
          [`${api}/boards/${board.publicId}`, {}],
          [`${here}/trpc/user.me`, {}],
          [`${api}/users/me`, { ...json({ name: "Theirs" }), method: "PUT" }],
          [`${here}/trpc/user.update`, json({ name: "Theirs" })],
          [`${here}/trpc/user.update`, { method: "POST", body: '{"name":"Theirs"}', mode: "no-cors" }],
          [`${api}/boards/${board.publicId}/archive`, { method: "POST", mode: "no-cors" }],
          [`${api}/auth/sign-out`, { method: "POST", mode: "no-cors" }],
          [`${api}/auth/sign-in`, json({ email: ada.email, password: ada.password, session: "cookie" })],
        ];
        for (const [url, init] of tries) {
          const { status, text } = await fetched(page, url, { ...init, credentials: "include" });
          expect([-1, 0], `${url}: ${text}`).toContain(status);
          expect(text).not.toContain(ada.publicId);
        }

        // A form, a picture, a frame, a stream.
        for (const enctype of ["text/plain", "application/x-www-form-urlencoded"]) {
          const answered = page.waitForResponse(`${here}/trpc/user.update`);
          await run(page, FORM, `${here}/trpc/user.update`, enctype);
          expect([401, 403]).toContain((await answered).status());
        }
        expect(await run(page, IMAGE, `${api}/boards/${board.publicId}/export`)).toBe(false);
        expect(await run(page, STREAM, `${api}/notifications/stream`)).toBe(false);
        expect(await run(page, FRAME, `${api}/users/me`)).toBe(false);

        expect(await nameOf(ada)).toBe(ada.name);
        expect(ok(await as(ada).get(`/boards/${board.publicId}`)).isArchived).toBe(false);
        const own = await context.newPage();
        await own.goto(`${here}/account/reset`);
        expect((await fetched(own, "/api/v1/users/me")).status).toBe(200);
        await context.close();
      },
      TIMEOUT_MS,
    );
  });

  test(
    "in Swagger UI, Try it out acts by the cookie where no token is given",
    async () => {
      const { ada, context, page, here } = await signedIn("board.test");
      await page.goto(`${here}/docs#/Accounts/user_me`);
      const operation = page.locator("#operations-Accounts-user_me");
      await operation.locator("button.execute").click();
      await operation
        .locator(".live-responses-table .response-col_description")
        .getByText(ada.publicId)
        .first()
        .waitFor();
      await page.goto(`${here}/docs#/Accounts/user_update`);
      await page.reload();
      const change = page.locator("#operations-Accounts-user_update");
      await change.locator("textarea").fill('{"name":"From the document"}');
      await change.locator("button.execute").click();
      await expect.poll(() => nameOf(ada)).toBe("From the document");
      await context.close();
    },
    TIMEOUT_MS,
  );
});
