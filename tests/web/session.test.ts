// A session that ends while its page is open, and several people and tabs of one browser.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, type Person, testApp, unique } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardsIn, connection, openBoard, titlesIn } from "./boards.js";
import { NO_BROWSER, openTab } from "./harness.js";
import { button, fill, heading, signIn } from "./people.js";

/** At a heartbeat, the service ends the streams of sessions that have ended. */
const testing = await testApp({}, { heartbeatMs: 1000 });
const { as, anonymous, make, listening } = testing;

/** The person in a session of its own, beside that of the calls of the test. */
async function inBrowser({ email, password, ...person }: Person): Promise<Person> {
  const session = ok(await anonymous.post<{ accessToken: string }>("/auth/sign-in", { email, password }));
  return { ...person, email, password, token: session.accessToken };
}

/** Ends the sessions that a person has in browsers. */
async function endSessions(person: Person): Promise<void> {
  const sessions = ok(await as(person).get<{ publicId: string; isCurrent: boolean }[]>("/users/me/sessions"));
  for (const { publicId, isCurrent } of sessions) {
    if (!isCurrent) ok(await as(person).delete(`/users/me/sessions/${publicId}`));
  }
}

const again = (page: Page) => page.getByRole("dialog", { name: "Sign in again" });

async function signInAgain(page: Page, { email, password }: Person): Promise<void> {
  const dialog = again(page);
  await dialog.getByLabel("E-mail", { exact: true }).fill(email);
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

const isLive = (page: Page) => connection(page).getByText("Live", { exact: true }).waitFor();

describe.skipIf(chromiumPath === undefined)(`a session that ends${NO_BROWSER}`, async () => {
  const here = await listening();

  test("is begun again over the page: the caret is where it was, others' changes arrive, and what was typed is sent", {
    timeout: 90_000,
  }, async () => {
    const { admin, board, list, workspace } = await boardOfThree(testing);
    const { board: beside } = await make.board({ workspace });
    const other = await make.member(board, "member");
    const { page, look, expectNoTrouble } = await openBoard(here, await inBrowser(admin), board);
    await button(page, "Add a card to Ideas").click();
    await page.keyboard.type("A tle");
    for (let letter = 0; letter < 3; letter += 1) await page.keyboard.press("ArrowLeft");
    await endSessions(admin);
    await again(page).waitFor();
    await connection(page).getByText("Signed out").waitFor();
    await look("sign-in-again");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await again(page).getByLabel("Password", { exact: true }).fill("wrong horse battery");
    await page.keyboard.press("Enter");
    await again(page).getByRole("alert").waitFor();
    ok(await as(other).post("/cards", { listPublicId: list.publicId, title: "Meanwhile" }));
    const name = unique("Renamed");
    ok(await as(admin).put(`/boards/${beside.publicId}`, { name }));
    await signInAgain(page, admin);
    await isLive(page);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).waitFor();
    await page.keyboard.type("ti");
    await page.keyboard.press("Enter");
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["A", "B", "C", "Meanwhile", "A title"]);
    expectNoTrouble();
  });

  test("loses neither a name that is edited, nor the text of an open card, nor what waits to be sent", {
    timeout: 90_000,
  }, async () => {
    const { admin, board, stored, ids } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, await inBrowser(admin), board);
    await page.context().setOffline(true);
    await button(page, "Add a card to Next").click();
    await page.keyboard.type("Typed offline\n");
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Done" }).getByRole("button").click();
    await page.keyboard.type("Shipp");
    await endSessions(admin);
    await page.context().setOffline(false);
    await again(page).waitFor();
    expect((await stored()).Next).toEqual([]);
    await signInAgain(page, admin);
    await page.keyboard.type("ed\n");
    await expect.poll(stored).toEqual({ Ideas: ["A", "B", "C"], Next: ["Typed offline"], Shipped: ["D"] });

    await cardsIn(page, "Ideas").getByRole("link", { name: "B" }).click();
    const card = page.getByRole("dialog", { name: "B" });
    await card.getByRole("textbox", { name: "Description" }).click();
    await page.keyboard.type("Half a ");
    await endSessions(admin);
    await signInAgain(page, admin);
    await page.keyboard.type("sentence");
    await card.getByRole("button", { name: "Save" }).click();
    const described = async () => ok(await as(admin).get(`/cards/${ids.B}`)).description;
    await expect.poll(described).toBe("Half a sentence");
    expectNoTrouble();
  });

  test("leaves nothing to somebody else who signs in, who sends nothing in the name of the first, and the first goes on later", {
    timeout: 90_000,
  }, async () => {
    const { admin, board, stored } = await boardOfThree(testing);
    const stranger = await make.user();
    const { page, expectNoTrouble } = await openBoard(here, await inBrowser(admin), board);
    await page.context().setOffline(true);
    await button(page, "Add a card to Next").click();
    await page.keyboard.type("Ada's own\n");
    await endSessions(admin);
    await page.context().setOffline(false);
    await signInAgain(page, stranger);
    await button(page, stranger.name).waitFor();
    await heading(page, "This board is not available").waitFor();
    expect(await page.getByText("Ada's own").count()).toBe(0);
    await button(page, stranger.name).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await fill(page, { "E-mail": admin.email, Password: admin.password });
    expect((await stored()).Next).toEqual([]);
    await button(page, "Sign in").click();
    await expect.poll(() => titlesIn(page, "Next")).toEqual(["Ada's own"]);
    await expect.poll(async () => (await stored()).Next, { timeout: 20_000 }).toEqual(["Ada's own"]);
    expectNoTrouble();
  });

  test("is begun again for all tabs by one of them, and who signs out in one leaves nothing in the others", {
    timeout: 90_000,
  }, async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, await inBrowser(admin), board);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await isLive(second);
    await endSessions(admin);
    await again(page).waitFor();
    await signInAgain(second, admin);
    await again(page).waitFor({ state: "detached" });
    await isLive(page);
    await button(second, admin.name).click();
    await second.getByRole("menuitem", { name: "Sign out" }).click();
    await heading(second, "Sign in").waitFor();
    await heading(page, "Sign in").waitFor();
    expect(await page.getByText("Ideas").count()).toBe(0);
    expectNoTrouble();
  });

  test("is not asked for what it may no longer read, until it is begun again", { timeout: 90_000 }, async () => {
    const person = await make.user();
    const { page, expectNoTrouble } = await openTab(`${here}/`);
    await page.clock.install();
    await signIn(page, person);
    await endSessions(person);
    const calls: string[] = [];
    page.on("request", (request) => calls.push(new URL(request.url()).pathname));
    // What was read counts as old by now, and is read again when somebody comes back to the page.
    await page.clock.fastForward("01:00");
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await again(page).waitFor();
    expect(calls).toContain("/trpc/user.start");
    calls.length = 0;
    await page.clock.runFor("01:00");
    // The answer to this call comes behind those to any calls before.
    await page.evaluate("fetch('/health')");
    expect(calls.filter((path) => path.startsWith("/trpc/"))).toEqual([]);
    await page.clock.resume();
    await signInAgain(page, person);
    await expect.poll(() => calls).toContain("/trpc/user.start");
    expectNoTrouble();
  });

  test("leaves nothing that is tried again to somebody else who signs in", { timeout: 90_000 }, async () => {
    const [first, other] = [await make.user(), await make.user()];
    const { page, expectNoTrouble } = await openTab(`${here}/`);
    await signIn(page, first);
    const tries: unknown[] = [];
    await page.route("**/trpc/workspace.create*", (route) => {
      tries.push([route.request().headers()["acting-as"], route.request().postDataJSON().name]);
      const data = { code: "SERVICE_UNAVAILABLE", httpStatus: 503, issues: [] };
      return route.fulfill({
        status: 503,
        headers: { "retry-after": "50" },
        json: { error: { message: "Busy", code: -32000, data } },
      });
    });
    await button(page, "New workspace").click();
    await page.keyboard.type("The first one's\n");
    await expect.poll(() => tries).toEqual([[first.publicId, "The first one's"]]);
    await endSessions(first);
    await page.getByRole("link", { name: /^Notifications/ }).click();
    await again(page).waitFor();
    await signInAgain(page, other);
    await button(page, other.name).waitFor();
    // A change of the network has everything tried at once.
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByRole("link", { name: "Boards", exact: true }).click();
    await button(page, "New workspace").click();
    await page.keyboard.type("The other one's\n");
    await expect.poll(() => tries.length).toBeGreaterThan(1);
    expect(tries.slice(1)).toEqual([[other.publicId, "The other one's"]]);
    expectNoTrouble();
  });

  test("opens a board that is read beside its account, by calls that say as whom they act", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    const asked = page.waitForRequest("**/trpc/board.get*");
    await page.route("**/trpc/user.start*", async (route) => {
      await asked;
      await route.continue();
    });
    await page.reload();
    await page.getByRole("listitem").getByRole("link", { name: "A", exact: true }).waitFor();
    expect((await asked).headers()["acting-as"]).toBe(admin.publicId);
    expectNoTrouble();
  });

  test("opens a board as who is signed in by now, although another account was the last one of the browser", async () => {
    const { admin, board } = await boardOfThree(testing);
    const other = await make.member(board, "member");
    const [first, now] = [await inBrowser(admin), await inBrowser(other)];
    const { page } = await openBoard(here, { ...first, token: now.token }, board);
    // Nobody signed in to it with the page.
    await page.getByRole("alertdialog").getByRole("button", { name: "Continue" }).click();
    await button(page, other.name).waitFor();
    expect(await titlesIn(page, "Ideas")).toEqual(["A", "B", "C"]);
    await button(page, "Add a card to Ideas").click();
    await page.keyboard.type("Mine\n");
    await expect
      .poll(
        async () =>
          (await as(other).get<{ lists: { cards: { title: string }[] }[] }>(`/boards/${board.publicId}`)).text,
      )
      .toContain("Mine");
  });
});
