// Search and commands on the page, the numbers of cards as links, and the list of keys, in a real browser.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Board, ok, type Person, testApp, unique, type Workspace } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { isSideBarOpen } from "./boards.js";
import { LAN_HOST, NO_BROWSER, openAs } from "./harness.js";
import { button, heading } from "./people.js";

const { as, make, listening } = await testApp();

const field = (page: Page) => page.getByRole("combobox", { name: "Search cards, boards and actions" });
const option = (page: Page, name: string | RegExp) => page.getByRole("option", { name });
const card = (page: Page, title: string) => page.getByRole("dialog", { name: title, exact: true });

async function find(page: Page, text: string): Promise<void> {
  // The one that is open keeps the key from the page.
  await field(page).waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await field(page).fill(text);
}

describe.skipIf(chromiumPath === undefined)(`search${NO_BROWSER}`, async () => {
  const here = await listening();

  const open = (person: Person, path: string, origin = here) => openAs(person, origin + path);

  async function prefixOf(person: Person, { publicId }: Workspace): Promise<string> {
    return String(ok(await as(person).get(`/workspaces/${publicId}`)).cardPrefix);
  }

  /** Two boards of a workspace: "Harbour" with a list "Quay", and another one with the card "Paint the lighthouse". */
  async function aHarbour() {
    const { owner: admin, workspace, board } = await make.board({ name: "Harbour" });
    const { list } = await make.list({ board, name: "Quay" });
    const { board: other } = await make.board({ workspace, name: "Über die Küste" });
    const far = await make.card({ list: (await make.list({ board: other })).list, title: "Paint the lighthouse" });
    return { admin, workspace, board, list, other, lighthouse: far.card };
  }

  test("Ctrl+K finds cards of every board and boards by the beginnings of words, whatever their accents, and Enter opens the chosen one", async () => {
    const { admin, board, lighthouse } = await aHarbour();
    const { page, expectNoTrouble } = await open(admin, `/boards/${board.publicId}`);
    await heading(page, "Harbour").waitFor();
    await find(page, "light pai");
    await option(page, /Paint the lighthouse/).waitFor();
    await page.keyboard.press("Enter");
    await card(page, "Paint the lighthouse").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/cards/${lighthouse.publicId}`);
    await page.getByRole("textbox", { name: "Write a comment" }).waitFor();
    expect(await page.getByRole("heading", { level: 1, includeHidden: true }).textContent()).toBe("Über die Küste");
    expect(await page.getByText("This card is archived").count()).toBe(0);
    // The open board has it at once, and the service finds it, too.
    await find(page, "light");
    await page
      .getByRole("status")
      .getByText(/^1 card/)
      .waitFor({ state: "attached" });
    expect(await option(page, /Paint the lighthouse/).count()).toBe(1);
    await page.keyboard.press("Escape");
    await find(page, "uber");
    await option(page, /Über die Küste/).waitFor();
    await page.keyboard.press("Escape");
    await card(page, "Paint the lighthouse").waitFor();
    await find(page, "harb");
    await option(page, /Harbour/)
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await heading(page, "Harbour").waitFor();
    expectNoTrouble();
  });

  test("the number of a card jumps to it: in the field, in a description, and at an address", async () => {
    const { admin, workspace, board, list, lighthouse } = await aHarbour();
    const key = `${await prefixOf(admin, workspace)}-${lighthouse.cardNumber}`;
    const copied = `[the lighthouse](${here}/cards/${lighthouse.publicId})`;
    const description = `See ${key}, not UTF-8 and not \`${key}\`. x${key} ${copied}`;
    const { card: near } = await make.card({ list, title: "Order paint", description });
    const { page, expectNoTrouble } = await open(admin, `/cards/${near.publicId}`);
    const links = card(page, "Order paint").getByRole("region", { name: "Description" }).getByRole("link");
    await links.first().waitFor();
    expect(await links.allTextContents()).toEqual([key, "the lighthouse"]);
    for (const link of [links.first(), links.last()]) {
      await link.click();
      await card(page, "Paint the lighthouse").waitFor();
      await page.goBack();
      await card(page, "Order paint").waitFor();
    }
    await page.goto(`${here}/boards/${board.publicId}`);
    await heading(page, "Harbour").waitFor();
    await find(page, key.toLowerCase());
    await option(page, new RegExp(key)).waitFor();
    await page.keyboard.press("Enter");
    await card(page, "Paint the lighthouse").waitFor();
    await page.goto(`${here}/search?jump=${key}`);
    await card(page, "Paint the lighthouse").waitFor();
    expectNoTrouble();
  });

  test("neither a card that was archived while it is open is found, nor one of another workspace by its number", async () => {
    const { admin, workspace, board, list } = await aHarbour();
    const { card: near } = await make.card({ list, title: "Order paint" });
    const prefix = await prefixOf(admin, workspace);
    const { page } = await open(admin, `/cards/${near.publicId}`);
    await card(page, "Order paint").waitFor();
    ok(await as(admin).post(`/cards/${near.publicId}/archive`));
    await page.getByText("This card is archived").waitFor();
    await find(page, "order paint");
    await page.getByText("No card and no board has these words.").waitFor();
    await page.goto(`${here}/boards/${board.publicId}`);
    await make.card({ list, title: "Scrub the deck" });
    await page.getByRole("link", { name: "Scrub the deck" }).waitFor();
    await find(page, `X${prefix.slice(1)}X-3`);
    await page.getByText("No card and no board has these words.").waitFor();
  });

  test("actions make a card of the text, lead home and change the theme, and a guest is offered no new card", async () => {
    const { admin, board } = await aHarbour();
    const { page, expectNoTrouble } = await open(admin, `/boards/${board.publicId}`);
    await heading(page, "Harbour").waitFor();
    await find(page, "Mend the nets");
    await option(page, "New card “Mend the nets” in Quay").click();
    await page.getByRole("link", { name: "Mend the nets" }).waitFor();
    await find(page, "dark");
    await option(page, "Theme: Dark").click();
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    await button(page, admin.name).click();
    await expect.poll(() => page.getByRole("menuitemradio", { checked: true }).allTextContents()).toEqual(["Dark"]);
    await page.keyboard.press("Escape");
    await find(page, "go to");
    await page.keyboard.press("Enter");
    await heading(page, "Boards").waitFor();
    expectNoTrouble();
    const guest = await make.member(board, "guest");
    const { page: guests } = await open(guest, `/boards/${board.publicId}`);
    await heading(guests, "Harbour").waitFor();
    await find(guests, "dark");
    await option(guests, "Theme: Dark").waitFor();
    expect(await option(guests, /^New/).count()).toBe(0);
  });

  test("a board is made of the text; one that the service refuses leaves the field open, with the reason", async () => {
    const { workspace } = await aHarbour();
    const member = await make.member(workspace, "member");
    const role = (role: string) =>
      as(workspace.owner).put(`/workspaces/${workspace.publicId}/members/${member.memberPublicId}/role`, { role });
    const { page } = await open(member, "/");
    await heading(page, "Boards").waitFor();
    await find(page, "Dry dock");
    await option(page, /^New board “Dry dock”/).waitFor();
    ok(await role("guest"));
    await option(page, /^New board “Dry dock”/).click();
    await page
      .getByRole("status")
      .filter({ hasText: /^New board “Dry dock” in .*: You have insufficient access\. .* Nothing was made\.$/ })
      .waitFor();
    expect(await field(page).inputValue()).toBe("Dry dock");
    ok(await role("member"));
    await option(page, /^New board “Dry dock”/).click();
    await heading(page, "Dry dock").waitFor();
    expect(await field(page).count()).toBe(0);
  });

  test("the arrow keys choose, round and round, and the chosen option is the active one", async () => {
    const { admin } = await aHarbour();
    const { page, expectNoTrouble } = await open(admin, "/search?query=theme");
    await option(page, "Theme: Light").waitFor();
    const active = () =>
      page.evaluate<string>(
        "document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).textContent",
      );
    const seen = [await active()];
    for (const key of ["ArrowDown", "ArrowUp", "ArrowUp"]) {
      await field(page).press(key);
      seen.push(await active());
    }
    expect(seen.slice(0, 3)).toEqual(["Theme: Light", "Theme: Dark", "Theme: Light"]);
    expect(seen[3]).toMatch(/^New board “theme”/);
    expectNoTrouble();
  });

  test("Enter makes nothing of a text that finds nothing before an arrow key has chosen it, also if the text before found something", async () => {
    const { admin, workspace } = await aHarbour();
    const { page } = await open(admin, "/");
    await heading(page, "Boards").waitFor();
    await find(page, "theme");
    await page.getByRole("option", { name: "Theme: Light", selected: true }).waitFor();
    await field(page).fill("xyzzy");
    await page.getByRole("status").getByText("No card and no board has these words.").waitFor();
    expect(await page.getByRole("option", { selected: true }).count()).toBe(0);
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: /^New board “xyzzy”/, selected: true }).waitFor();
    expect(ok(await as(admin).get<unknown[]>(`/workspaces/${workspace.publicId}/boards`))).toHaveLength(2);
    await page.keyboard.press("Enter");
    await heading(page, "xyzzy").waitFor();
  });

  test("? lists the keys, also over a card; the keys that act anywhere can be switched off, and stay off", async () => {
    const { list } = await aHarbour();
    const { card: near } = await make.card({ list, title: "Order paint" });
    const { page, look, expectNoTrouble } = await open(list.owner, `/cards/${near.publicId}`);
    const keys = page.getByRole("dialog", { name: "Keys", exact: true });
    await button(page, "Copy link").focus();
    await page.keyboard.press("?");
    await keys.waitFor();
    await look("keys");
    const choice = page.getByRole("checkbox", { name: /Keys without Ctrl/ });
    await choice.uncheck();
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
    await card(page, "Order paint").waitFor();
    await page.reload();
    await button(page, "Copy link").focus();
    await page.keyboard.press("?");
    await page.keyboard.press("s");
    expect(await isSideBarOpen(page)).toBe(true);
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search and commands" }).waitFor();
    expect(await keys.count()).toBe(0);
    await page.keyboard.type("all keys");
    await page.keyboard.press("Enter");
    await choice.check();
    await button(page, "Close the list of keys").click();
    await button(page, "Copy link").focus();
    await page.keyboard.press("?");
    await keys.waitFor();
    expectNoTrouble();
  });

  test("what is found looks well as on a LAN: many results, long words, right-to-left text, and nothing at all", async () => {
    const { owner: admin, board } = await make.board({ name: "Steuererklärung 2026" });
    await manyCards(board, admin);
    const { page, look, expectNoTrouble } = await open(
      admin,
      `/boards/${board.publicId}`,
      `http://${LAN_HOST}:${new URL(here).port}`,
    );
    await heading(page, board.name).waitFor();
    await page.keyboard.press("Control+k");
    await option(page, /Go to all boards/).waitFor();
    await look("search-empty");
    await page.keyboard.type("steuer");
    await option(page, /Steuererklärungsunterlagen/)
      .first()
      .waitFor();
    await look("search-found");
    await page.goto(new URL("/search?query=xyzzy", page.url()).href);
    await page.getByRole("status").getByText("No card and no board has these words.").waitFor();
    await page.keyboard.press("Enter");
    await look("search-none");
    expect(ok(await as(admin).get<unknown[]>(`/workspaces/${board.workspace.publicId}/boards`))).toHaveLength(1);
    expectNoTrouble();
  });

  async function manyCards(board: Board, admin: Person): Promise<void> {
    const { list } = await make.list({ board, name: "Eingang" });
    for (const title of [
      "Steuer-Unterlagen einscannen",
      `Steuererklärungsunterlagenaufbewahrungsfristenübersicht für ${unique("Kundendatenverarbeitungsverzeichnisse")}`,
      "مراجعة Steuer قبل نهاية الأسبوع",
    ]) {
      ok(await as(admin).post("/cards", { listPublicId: list.publicId, title }));
    }
  }
});
