// Home: the boards of a person, and the first board of a new one, in a real browser.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { ok, testApp, unique } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { announced } from "./boards.js";
import { NO_BROWSER, openAs, openTab } from "./harness.js";
import { button, heading, signUp } from "./people.js";

const { as, make, listening } = await testApp();

describe.skipIf(chromiumPath === undefined)(`home${NO_BROWSER}`, async () => {
  const here = await listening();

  test("a new person finds a first board with cards that teach, in a workspace of their own", async () => {
    const { page, look, expectNoTrouble } = await openTab(here);
    await signUp(page, "Ada Lovelace");
    await page.getByRole("link", { name: "Boards" }).click();
    const workspace = page.getByRole("region", { name: "Ada Lovelace's workspace" });
    await workspace.getByRole("link", { name: "First steps" }).waitFor();
    expect(await workspace.getByRole("link", { name: "First steps" }).textContent()).toContain("5 cards");
    await look("home-first");
    expectNoTrouble();
  });

  test("a new board is made with three lists, and is in the side bar", async () => {
    const { page, expectNoTrouble } = await openTab(here);
    await signUp(page, "Ada Lovelace");
    await page.getByRole("link", { name: "Boards" }).click();
    await button(page, "New board in Ada Lovelace's workspace").click();
    await page.getByLabel("Name of the new board").fill("Voyage");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/boards\/\w{12}$/);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Voyage" }).waitFor();
    expectNoTrouble();
  });

  test("a new board takes the focus that its field had, and each page that is opened is announced", async () => {
    const { owner, workspace } = await make.workspace();
    const { page, expectNoTrouble } = await openAs(owner, here);
    await button(page, `New board in ${workspace.name}`).press("Enter");
    expect(await page.locator("[data-announcements]").getByText("Voyage").count()).toBe(0);
    await page.keyboard.type("Voyage");
    await page.keyboard.press("Enter");
    await announced(page, "Voyage");
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("content");
    const link = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Notifications" });
    await link.press("Enter");
    await announced(page, "Notifications");
    expect(await page.evaluate("document.activeElement.textContent")).toBe(await link.textContent());
    expectNoTrouble();
  });

  test("a guest sees the boards they were invited to, favourites first, and is offered no new board", async () => {
    const { board, workspace } = await make.list();
    const guest = await make.member(board, "guest");
    ok(await as(guest).put(`/boards/${board.publicId}`, { isFavourite: true }));
    const { page, expectNoTrouble } = await openAs(guest, here);
    await heading(page, "Boards").waitFor();
    await page.getByRole("region", { name: "Favourites" }).getByRole("link", { name: board.name }).waitFor();
    expect(await page.getByRole("region", { name: workspace.name }).getByRole("button").count()).toBe(0);
    expectNoTrouble();
  });

  test("the first load of home asks once for the account, its workspaces, and the boards opened last, which come first", async () => {
    const { owner: admin, board: first, workspace } = await make.list();
    const { board: second } = await make.board({ workspace });
    const { page, expectNoTrouble } = await openAs(admin, `${here}/boards/${first.publicId}`);
    await heading(page, first.name).waitFor();
    await page.getByRole("link", { name: second.name }).first().click();
    await heading(page, second.name).waitFor();
    await button(page, "Favourite").click();
    await page.getByRole("link", { name: "Boards" }).click();
    const opened = page.getByRole("region", { name: "Last opened" }).getByRole("link");
    await expect.poll(() => opened.allTextContents()).toEqual([second.name, first.name]);
    await page.getByRole("region", { name: "Favourites" }).getByRole("link", { name: second.name }).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/trpc/") && !pathname.endsWith(".stream")) asked.push(pathname);
    });
    await page.reload();
    await page.getByRole("region", { name: workspace.name }).getByRole("link", { name: second.name }).waitFor();
    expect(asked).toEqual(["/trpc/user.start", "/trpc/board.list"]);
    expect(await opened.allTextContents()).toEqual([second.name, first.name]);
    expectNoTrouble();
  });

  test("home holds many boards, long names, tags and right-to-left text", async () => {
    const ada = await make.user();
    for (const name of ["Nordlicht Studio", "Haus und Garten"]) {
      const workspace = ok(await as(ada).post("/workspaces", { name: unique(name) }));
      const path = `/workspaces/${workspace.publicId}`;
      const tag = ok(await as(ada).post(`${path}/tags`, { name: "Every week", colourCode: "#ffb224" }));
      const names = [
        "Autumn launch",
        "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz",
        "قائمة المهام",
        "Q4",
      ];
      for (const [index, board] of names.entries()) {
        const visibility = index === 3 ? "private" : "workspace";
        const { publicId } = ok(await as(ada).post(`${path}/boards`, { name: board, lists: ["Inbox"], visibility }));
        ok(await as(ada).put(`/boards/${publicId}`, { isFavourite: index === 0 }));
        if (index < 2) ok(await as(ada).put(`/boards/${publicId}/tags/${tag.publicId}`));
      }
    }
    const { page, look, expectNoTrouble } = await openAs(ada, here);
    await page.getByRole("link", { name: "Autumn launch" }).first().waitFor();
    await look("home-many");
    expectNoTrouble();
  });
});
