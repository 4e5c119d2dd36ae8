// What was typed on a card and not sent, and descriptions that two people edit at once, in real browsers.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Card, ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { NO_BROWSER, openTab } from "./harness.js";
import { button, signIn } from "./people.js";

const { as, make, listening } = await testApp();

const dialog = (page: Page, title: string) => page.getByRole("dialog", { name: title, exact: true });
const description = (page: Page) => page.getByRole("textbox", { name: "Description" });
const comment = (page: Page) => page.getByRole("textbox", { name: "Write a comment" });
const text = (page: Page) => page.getByRole("region", { name: "Description" });

describe.skipIf(chromiumPath === undefined)(`drafts and conflicts${NO_BROWSER}`, async () => {
  const here = await listening();

  async function open(person: Person, { publicId, title }: Pick<Card, "publicId" | "title">, init?: string) {
    const tab = await openTab(here);
    if (init !== undefined) await tab.page.addInitScript(init);
    await tab.page.goto(`${here}/cards/${publicId}`);
    await signIn(tab.page, person);
    await dialog(tab.page, title).waitFor();
    return tab;
  }

  const stored = async (person: Person, { publicId }: Pick<Card, "publicId">) =>
    ok(await as(person).get<{ description: string; title: string }>(`/cards/${publicId}`));

  async function reopen(page: Page, title: string) {
    await button(page, "Close").click();
    await page.getByRole("main").getByRole("link", { name: title }).click();
    await dialog(page, title).waitFor();
  }

  test("unsent texts survive closing the card, a reload and the end of the session, for their own account, and go when they are sent", {
    timeout: 90_000,
  }, async () => {
    const { owner, board, card } = await make.card({ title: "A card" });
    const member = await make.member(board, "member");
    const { page, expectNoTrouble } = await open(owner, card);
    await description(page).fill("Half a description");
    await comment(page).fill("Half a comment");
    const expectBoth = async () => {
      await expect.poll(() => comment(page).inputValue()).toBe("Half a comment");
      expect(await description(page).inputValue()).toBe("Half a description");
    };
    await reopen(page, "A card");
    await expectBoth();
    await page.reload();
    await expectBoth();
    await page.context().clearCookies();
    await page.reload();
    await signIn(page, member);
    await dialog(page, "A card").waitFor();
    expect(await comment(page).inputValue()).toBe("");
    expect(await description(page).inputValue()).toBe("");
    await page.context().clearCookies();
    await page.reload();
    await signIn(page, owner);
    await expectBoth();
    await comment(page).press("Control+Enter");
    await description(page).press("Control+Enter");
    await text(page).getByText("Half a description").waitFor();
    await expect.poll(async () => (await stored(owner, card)).description).toBe("Half a description");
    await page.reload();
    await text(page).getByText("Half a description").waitFor();
    expect(await comment(page).inputValue()).toBe("");
    expect(await description(page).count()).toBe(0);
    expectNoTrouble();
  });

  test("without storage, or where it is full, texts stay as long as the page, and everything works", async () => {
    const { owner, card } = await make.card({ title: "A card" });
    const full = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }";
    const off =
      "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('off', 'SecurityError'); } })";
    for (const init of [full, off]) {
      const { page, expectNoTrouble } = await open(owner, card, init);
      await comment(page).fill("Half");
      await reopen(page, "A card");
      expect(await comment(page).inputValue()).toBe("Half");
      await comment(page).press("Control+Enter");
      await page.getByRole("list", { name: "Activity" }).getByText("Half").first().waitFor();
      await reopen(page, "A card");
      expect(await comment(page).inputValue()).toBe("");
      expectNoTrouble();
    }
  });

  test("of two people who edit one description, the second sees both and chooses; a change of something else is no conflict, and of titles the last one wins", {
    timeout: 90_000,
  }, async () => {
    const { owner, board, card } = await make.card({ title: "A card", description: "First" });
    const member = await make.member(board, "member");
    const { page, look, expectNoTrouble } = await open(owner, card);
    const other = await open(member, card);
    const edit = async (tab: Page, next: string) => {
      await button(tab, "Edit description").click();
      await description(tab).fill(next);
    };
    await edit(page, "Mine");
    await as(member).put(`/cards/${card.publicId}`, { priority: "high" });
    await edit(other.page, "Theirs");
    await other.page.keyboard.press("Control+Enter");
    await text(other.page).getByText("Theirs").waitFor();
    await text(page).getByText("Somebody else changed the description meanwhile.").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("region", { name: "Theirs" }).getByText("Theirs").last().waitFor();
    await page.getByRole("region", { name: "Mine" }).getByRole("paragraph").getByText("Mine").waitFor();
    expect((await stored(owner, card)).description).toBe("Theirs");
    await look("conflict");
    // It waits, also over a reload, and the board says so.
    await page.reload();
    await button(page, "Edit mine").click();
    expect(await description(page).inputValue()).toBe("Mine");
    await description(page).fill("Both");
    await page.keyboard.press("Control+Enter");
    await text(other.page).getByText("Both").waitFor();
    expect((await stored(owner, card)).description).toBe("Both");

    // Whichever is chosen, nothing of the other comes back when the card is opened again.
    for (const [choice, kept] of [
      ["Keep theirs", "Their second"],
      ["Keep mine", "My second"],
    ] as const) {
      await edit(page, "My second");
      ok(await as(member).put(`/cards/${card.publicId}`, { description: "Their second" }));
      await text(page).getByText("Somebody else changed the description meanwhile.").waitFor();
      await page.keyboard.press("Control+Enter");
      await button(page, choice).click();
      await text(page).getByText(kept).waitFor();
      await reopen(page, "A card");
      await text(page).getByText(kept).waitFor();
      expect(await description(page).count()).toBe(0);
      ok(await as(member).put(`/cards/${card.publicId}`, { description: "Third" }));
      await text(page).getByText("Third").waitFor();
    }

    await page.getByRole("textbox", { name: "Title" }).fill("The last");
    for (const tab of [other.page, page]) {
      if (tab === other.page) await tab.getByRole("textbox", { name: "Title" }).fill("The first");
      await tab.keyboard.press("Enter");
      await expect.poll(async () => (await stored(owner, card)).title).toBe(tab === page ? "The last" : "The first");
    }
    for (const tab of [{ expectNoTrouble }, other]) tab.expectNoTrouble();
  });

  test("a card that is deleted while somebody writes on it leaves them their texts to copy", async () => {
    const { owner, board, card } = await make.card({ title: "A card", description: "First" });
    const { page, expectNoTrouble } = await open(await make.member(board, "member"), card);
    await button(page, "Edit description").click();
    await description(page).fill("Half a description");
    await comment(page).fill("Half a comment");
    ok(await as(owner).delete(`/cards/${card.publicId}`));
    await page.getByText("This text was not sent. Copy it if you need it.").first().waitFor();
    expect(await description(page).inputValue()).toBe("Half a description");
    expect(await comment(page).inputValue()).toBe("Half a comment");
    expect(await button(page, "Copy").count()).toBe(2);
    expect(await button(page, "Comment").count()).toBe(0);
    expect(await page.getByRole("textbox", { name: "Title" }).isEditable()).toBe(false);
    expectNoTrouble();
  });

  test("a text that is typed in one tab stands in another one, and goes there, too, when it is sent", async () => {
    const { owner, card } = await make.card({ title: "A card" });
    const { page, expectNoTrouble } = await open(owner, card);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await comment(second).waitFor();
    await comment(page).fill("Half a comment");
    await expect.poll(() => comment(second).inputValue()).toBe("Half a comment");
    await comment(second).press("Control+Enter");
    await expect.poll(() => comment(page).inputValue()).toBe("");
    expectNoTrouble();
  });

  test("a comment that the service refuses is there again to be sent, unless another one was begun", async () => {
    const { owner, card } = await make.card({ title: "A card" });
    const { page } = await open(owner, card);
    let refuse = () => {};
    const isAsked = () =>
      page.route("**/card.comments.create**", async (route) => {
        await new Promise<void>((resolve) => {
          refuse = resolve;
        });
        const data = { code: "BAD_REQUEST", httpStatus: 400, issues: [] };
        await route.fulfill({ status: 400, json: { error: { code: -32600, message: "Not now", data } } });
      });
    await isAsked();
    const refused = page.getByRole("alert").filter({ hasText: "A card: Not now" });
    for (const [typed, kept] of [
      ["", "The first"],
      ["The second", "The second"],
    ] as const) {
      await comment(page).fill("The first");
      const sent = page.waitForRequest("**/card.comments.create**");
      await comment(page).press("Control+Enter");
      await sent;
      await comment(page).fill(typed);
      refuse();
      await refused.first().waitFor();
      await expect.poll(() => comment(page).inputValue()).toBe(kept);
      await refused.getByRole("button", { name: "Dismiss" }).click();
      await refused.waitFor({ state: "detached" });
    }
  });
});
