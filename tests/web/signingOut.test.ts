// Signing out when the service does not confirm it, and session cookies that nobody began with the page.
//
// @module-tag slow

import type { BrowserContext, Page, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { NO_BROWSER, openTab } from "./harness.js";
import { button, fill, heading, signIn } from "./people.js";

const { as, make, listening } = await testApp();
const TIMEOUT = { timeout: 90_000 };
const SIGN_OUT = "**/trpc/user.signOut*";
const UNCONFIRMED = "the service has not confirmed it";

async function signOut(page: Page, { name }: Person): Promise<void> {
  await button(page, name).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await heading(page, "Sign in").waitFor();
}

const sessionsOf = async (person: Person) => ok(await as(person).get<unknown[]>("/users/me/sessions")).length;

const refusal = (status: number, code: string) => (route: Route) =>
  route.fulfill({
    status,
    headers: { "service-version": "0.1.0" },
    json: { error: { message: code, code: -32000, data: { code, httpStatus: status, issues: [] } } },
  });

describe.skipIf(chromiumPath === undefined)(`signing out${NO_BROWSER}`, async () => {
  const here = await listening();
  const { hostname: domain, port } = new URL(here);
  const cookie = { name: `work-board-${port}`, domain, httpOnly: true, secure: false, sameSite: "Lax" as const };
  const plant = (context: BrowserContext, value: string, path: string) =>
    context.addCookies([{ ...cookie, value, path }]);

  test.each<[string, (route: Route) => Promise<void>]>([
    ["500", refusal(500, "INTERNAL_SERVER_ERROR")],
    ["403", refusal(403, "FORBIDDEN")],
    ["429", refusal(429, "TOO_MANY_REQUESTS")],
    ["no answer", (route) => route.abort()],
    ["the page of somebody else's proxy", (route) => route.fulfill({ status: 200, body: "<h1>Welcome</h1>" })],
  ])(
    "that ends in %s says so, stays signed out over reloads, and is sent before anything else",
    TIMEOUT,
    async (_case, refuse) => {
      const ada = await make.user();
      const { page, look } = await openTab(here);
      await signIn(page, ada);
      expect(await sessionsOf(ada)).toBe(2);
      await page.route(SIGN_OUT, refuse);
      await signOut(page, ada);
      await page.getByRole("alert").getByText(UNCONFIRMED).waitFor();
      await look("sign-out-unconfirmed");
      await page.reload();
      await page.getByRole("alert").getByText(UNCONFIRMED).waitFor();
      await heading(page, "Sign in").waitFor();
      expect(await sessionsOf(ada)).toBe(2);

      await page.unroute(SIGN_OUT);
      const calls: string[] = [];
      page.on("request", (request) => request.url().includes("/trpc/") && calls.push(new URL(request.url()).pathname));
      await page.reload();
      await heading(page, "Sign in").waitFor();
      expect(calls[0]).toBe("/trpc/user.signOut");
      expect(await sessionsOf(ada)).toBe(1);
      expect(await page.getByText(UNCONFIRMED).count()).toBe(0);
      expect((await page.context().cookies()).length).toBe(0);
    },
  );

  test("without a network is sent once there is one again", TIMEOUT, async () => {
    const ada = await make.user();
    const { page } = await openTab(here);
    await signIn(page, ada);
    await button(page, ada.name).click();
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("alert").getByText(UNCONFIRMED).waitFor();
    await page.context().setOffline(false);
    await expect.poll(() => sessionsOf(ada)).toBe(1);
    await page.getByText(UNCONFIRMED).waitFor({ state: "detached" });
  });

  test("that is not confirmed signs out the other tabs, and lets the next person sign in", TIMEOUT, async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    const { page } = await openTab(here);
    await signIn(page, ada);
    const other = await page.context().newPage();
    await other.goto(here);
    await button(other, ada.name).waitFor();
    await page.context().route(SIGN_OUT, refusal(500, "INTERNAL_SERVER_ERROR"));
    await signOut(page, ada);
    await heading(other, "Sign in").waitFor();
    await fill(page, { "E-mail": bob.email, Password: bob.password });
    await button(page, "Sign in").click();
    await button(page, bob.name).waitFor();
    await page.reload();
    await button(page, bob.name).waitFor();
    expect(await page.getByText(UNCONFIRMED).count()).toBe(0);
  });

  test("leaves nothing that is tried again to the next person", TIMEOUT, async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    const { page } = await openTab(here);
    await signIn(page, ada);
    const tries: unknown[] = [];
    await page.route("**/trpc/workspace.create*", (route) => {
      tries.push(route.request().headers()["acting-as"]);
      return refusal(503, "SERVICE_UNAVAILABLE")(route);
    });
    await button(page, "New workspace").click();
    await page.keyboard.type("Ada's own\n");
    await expect.poll(() => tries).toEqual([ada.publicId]);
    await signOut(page, ada);
    await fill(page, { "E-mail": bob.email, Password: bob.password });
    await button(page, "Sign in").click();
    await button(page, bob.name).waitFor();
    const before = tries.length;
    // A change of the network has everything tried at once.
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByRole("link", { name: "Boards", exact: true }).click();
    await button(page, "New workspace").click();
    await page.keyboard.type("Bob's own\n");
    await expect.poll(() => tries.length).toBeGreaterThan(before);
    expect(tries.slice(before)).toEqual([bob.publicId]);
  });

  test("a session that another port set for a longer path changes nothing", TIMEOUT, async () => {
    const [ada, eve] = [await make.user(), await make.user()];
    const { page, expectNoTrouble } = await openTab(here);
    await signIn(page, ada);
    for (const value of [eve.token, "garbage"]) {
      await plant(page.context(), value, "/trpc");
      await page.reload();
      await button(page, ada.name).waitFor();
    }
    await plant(page.context(), eve.token, "/trpc");
    await signOut(page, ada);
    await page.reload();
    await heading(page, "Sign in").waitFor();
    expectNoTrouble();
  });

  test("a planted cookie keeps nobody from signing in", TIMEOUT, async () => {
    const ada = await make.user();
    const { page } = await openTab(here);
    for (const path of ["/", "/trpc"]) await plant(page.context(), "garbage", path);
    await signIn(page, ada);
    await page.reload();
    await button(page, ada.name).waitFor();
  });

  test(
    "a session that nobody began with the page is announced until a button answers, also if the page is open, and can be ended",
    TIMEOUT,
    async () => {
      const [ada, eve, mallory] = [await make.user(), await make.user(), await make.user()];
      const { page, look } = await openTab(here);
      const announced = ({ name }: Person) => page.getByRole("alertdialog", { name: `You are signed in as ${name}` });
      await signIn(page, ada);
      await plant(page.context(), eve.token, "/");
      // What the page asks now is refused, and it loads anew by itself.
      await page.getByRole("link", { name: /^Notifications/ }).click();
      await announced(eve).waitFor();
      await look("unexpected-account");
      await page.keyboard.press("Escape");
      await page.mouse.click(5, 5);
      await announced(eve).waitFor();
      await page.reload();
      await announced(eve).getByRole("button", { name: "Continue" }).click();
      await announced(eve).waitFor({ state: "detached" });
      await page.reload();
      await button(page, eve.name).waitFor();
      expect(await announced(eve).count()).toBe(0);

      await signOut(page, eve);
      await plant(page.context(), mallory.token, "/");
      await page.reload();
      await announced(mallory).getByRole("button", { name: "Sign out" }).click();
      await heading(page, "Sign in").waitFor();
      await expect.poll(async () => (await as(mallory).get("/users/me")).status).toBe(401);
    },
  );
});
