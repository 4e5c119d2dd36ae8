// The pages that links lead to (capabilities section 1), used in a real browser with the keyboard alone, and looked at by axe. With
// `SCREENSHOTS=<folder>` the test leaves pictures of what it saw.
//
// @module-tag slow

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { count, eq } from "drizzle-orm";
import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { accessToken, account } from "../../src/db/schema/index.js";
import { ok, testApp, unique } from "../helpers/app.js";
import { chromiumPath, openBrowser } from "../helpers/browser.js";
import { startIssuer } from "../helpers/issuer.js";
import { codeOf, linkFor, RECOVERY_ENVIRONMENT, switchOn } from "../helpers/recovery.js";

const app = await testApp(RECOVERY_ENVIRONMENT);
const { as, anonymous, make, db, listening, another } = app;

const NEW = "another horse battery";
const PATHS = ["/account/reset", "/account/confirm", "/account/unsubscribe", "/invite/4kTq8hJ3sVbNRw6yLpDXc5nG"];

test.each(PATHS)(
  "GET %s is a page that runs nothing inline, sends no referrer and is framed by nobody",
  async (url) => {
    const page = await anonymous.send({ method: "GET", url });
    expect(page.status).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.headers["referrer-policy"]).toBe("no-referrer");
    expect(page.headers["content-security-policy"]).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(page.headers["content-security-policy"]).not.toContain("unsafe");
    expect(page.text).not.toMatch(/<style|<script(?![^>]*src=)|\son\w+=|style=/);
    for (const [, at = ""] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const file = await anonymous.send({ method: "GET", url: new URL(at, `http://localhost${url}`).pathname });
      expect(file.status).toBe(200);
    }
  },
);

const NO_BROWSER = chromiumPath === undefined ? " (left out: no Chromium in PATH or CHROMIUM_PATH)" : "";

describe.skipIf(chromiumPath === undefined)(`in a browser, by keyboard,${NO_BROWSER}`, async () => {
  // Not when the tests are collected, which they are even where they are left out.
  let browser: Promise<Browser> | undefined;
  const here = await listening();
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const troubles: string[] = [];

  async function open(path: string, colorScheme: "light" | "dark" = "light", base = here): Promise<Page> {
    browser ??= openBrowser();
    const page = await (await browser).newPage({ viewport: { width: 480, height: 760 }, colorScheme, locale: "en" });
    page.on("pageerror", (error) => troubles.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${base}/`)) troubles.push(`elsewhere: ${request.url()}`);
    });
    await page.goto(base + path);
    await page.waitForLoadState("networkidle");
    return page;
  }

  /** Has axe look at the page, and takes a picture. */
  async function expectSound(page: Page, name: string): Promise<void> {
    const folder = process.env.SCREENSHOTS;
    if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
    // Evaluated by the debugger, which no policy of the page binds.
    await page.evaluate(axe);
    const found = await page.evaluate<{ id: string; target: string }[]>(
      "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, target: String(nodes[0]?.target) })))",
    );
    expect(found).toEqual([]);
  }

  /** Types into the field that has the focus after as many tabs as it takes. */
  async function fill(page: Page, label: string, text: string): Promise<void> {
    for (let tabs = 0; tabs < 8; tabs += 1) {
      const focused = await page.evaluate<string>("document.activeElement?.labels?.[0]?.textContent ?? ''");
      if (focused === label) break;
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Control+A");
    await page.keyboard.type(text);
  }

  /** The code of an invitation to the workspace "Engines". */
  async function makeInvite(): Promise<string> {
    const { workspace, owner } = await make.workspace({ name: "Engines" });
    const made = await as(owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`);
    return ok(made).inviteCode;
  }

  const heading = (page: Page, text: string) => page.getByRole("heading", { name: text }).waitFor();

  test("a password is reset, with a second factor, and the token leaves the address bar", async () => {
    const ada = await make.user();
    const { secret } = await switchOn(app, ada);
    const page = await open(`/account/reset#token=${await linkFor(db, ada, "passwordReset")}`);
    expect(new URL(page.url()).hash).toBe("");
    await expectSound(page, "reset");
    await fill(page, "New password", NEW);
    await page.keyboard.press("Enter");
    await page.getByLabel("Code of your authenticator application").waitFor();
    await expectSound(page, "reset-code");
    await fill(page, "Code of your authenticator application", codeOf(secret, 1));
    await page.keyboard.press("Enter");
    await heading(page, "Your password is set");
    await expectSound(page, "reset-done");
    const { status } = await anonymous.post("/auth/sign-in", { email: ada.email, password: ada.password });
    expect(status).toBe(401);
  });

  test("a used link is refused in words, in dark colours too", async () => {
    const page = await open(`/account/reset#token=${"A".repeat(43)}`, "dark");
    await fill(page, "New password", NEW);
    await page.keyboard.press("Enter");
    await page.getByText("The link is not valid any more").waitFor();
    await expectSound(page, "reset-refused-dark");
  });

  test("an address is confirmed by a button, not by opening the page", async () => {
    const ada = await make.unverified();
    const page = await open(`/account/confirm#token=${await linkFor(db, ada, "emailVerification", ada.email)}`);
    await expectSound(page, "confirm");
    expect(ok(await as(ada).get("/users/me")).emailVerifiedAt).toBeNull();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await heading(page, "The address is confirmed");
    expect(ok(await as(ada).get("/users/me")).emailVerifiedAt).not.toBeNull();
  });

  test("an invitation is accepted by signing in", async () => {
    const inviteCode = await makeInvite();
    const ada = await make.user();
    const page = await open(`/invite/${inviteCode}`);
    await heading(page, "Join Engines");
    await expectSound(page, "invite");
    await fill(page, "E-mail address", ada.email);
    await fill(page, "Password", ada.password);
    await page.keyboard.press("Enter");
    await heading(page, "You joined Engines");
    expect(ok(await as(ada).get<unknown[]>("/workspaces"))).toHaveLength(1);
    expect(ok(await as(ada).get<unknown[]>("/users/me/sessions"))).toHaveLength(1);
  });

  test("an invitation offers no account where sign-up is closed, and no form where passwords are switched off", async () => {
    const invitePath = `/invite/${await makeInvite()}`;
    const closed = await (await another({ SIGN_UP: "closed" })).listening();
    const page = await open(invitePath, "light", closed);
    await page.getByRole("button", { name: "Sign in and join" }).waitFor();
    expect(await page.getByRole("button").count()).toBe(1);
    const issuer = await startIssuer();
    const providers = { OIDC_PROVIDERS: JSON.stringify([issuer.provider()]) };
    const both = await open(invitePath, "light", await (await another(providers)).listening());
    await both.getByText("Or sign in with Example in your application").waitFor();
    await both.getByRole("button", { name: "Sign in and join" }).waitFor();
    await expectSound(both, "invite-both");
    const passwordless = { ...providers, PASSWORD_SIGN_IN: "off" };
    const elsewhere = await open(invitePath, "light", await (await another(passwordless)).listening());
    await heading(elsewhere, "Join Engines");
    await expectSound(elsewhere, "invite-elsewhere");
    expect(await elsewhere.locator("code").textContent()).toBe(invitePath.slice("/invite/".length));
    expect(await elsewhere.getByRole("button").count()).toBe(0);
  });

  test("an invitation is accepted by signing up, in dark colours too", async () => {
    const page = await open(`/invite/${await makeInvite()}`, "dark");
    await page.getByRole("button", { name: "Create an account instead" }).press("Enter");
    const email = `${unique("ada").replace(" ", "-")}@example.org`;
    await fill(page, "Your name", "Ada");
    await fill(page, "E-mail address", email);
    await fill(page, "Password", NEW);
    await expectSound(page, "sign-up-dark");
    await page.keyboard.press("Enter");
    await heading(page, "You joined Engines");
    const [left] = await db
      .select({ sessions: count() })
      .from(accessToken)
      .innerJoin(account, eq(account.id, accessToken.accountId))
      .where(eq(account.email, email));
    expect(left).toEqual({ sessions: 0 });
  });

  test("an invitation that nobody made, and a link without its token, say so", async () => {
    const page = await open(PATHS[3] ?? "");
    await heading(page, "The invitation cannot be used");
    await expectSound(page, "invite-unknown");
    const cut = await open("/account/unsubscribe");
    await heading(cut, "The link is not complete");
    await expectSound(cut, "incomplete");
    const whole = await open(`/account/unsubscribe#token=${"A".repeat(43)}`);
    await heading(whole, "Stop these mails");
    await expectSound(whole, "unsubscribe");
  });

  test("nothing of it fails or asks another host", () => {
    expect(troubles).toEqual([]);
  });
});
