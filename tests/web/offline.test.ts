// The board without a network, or without the service: it says so, goes on, and catches up.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { hole } from "../helpers/deadNetwork.js";
import { boardOfThree, cardsIn, connection, openBoard, titlesIn } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { button, heading } from "./people.js";

const testing = await testApp();
const { app, as, make, listening } = testing;

/** What the page has stored of its queues. */
const STORED = `new Promise((resolve) => {
  const opening = indexedDB.open("work-board");
  opening.onsuccess = () => {
    const all = opening.result.transaction("entries").objectStore("entries").getAll();
    all.onsuccess = () => resolve(JSON.stringify(all.result));
  };
})`;

/** The parts that a page of a board has not loaded yet, of those that open offline. */
const MISSING = `["Markdown", "ShareDialog", "KeyList", "ArchiveDialog", "SearchDialog"].filter((part) =>
  !performance.getEntriesByType("resource").some(({ name }) => RegExp("/assets/" + part + "-.*js$", "i").test(name)))
  .concat([...document.querySelectorAll("link[rel=stylesheet]")].filter(({ sheet }) => sheet === null).map(({ href }) => href))`;

/** The size of the scripts, as they are sent, that index.html does not name. */
const LATER_BYTES = `performance.getEntriesByType("resource").reduce((sum, { name, encodedBodySize }) =>
  sum + (name.endsWith(".js") && !document.querySelector('head [src="' + new URL(name).pathname + '"], head [href="' + new URL(name).pathname + '"]')
    ? encodedBodySize : 0), 0)`;

describe.skipIf(chromiumPath === undefined)(`offline${NO_BROWSER}`, async () => {
  const here = await listening();

  test("a board says so, goes on, and catches up with what was done on both sides", {
    timeout: 90_000,
  }, async () => {
    const { admin, board, list, ids, stored } = await boardOfThree(testing);
    const { page, look, expectNoTrouble } = await openBoard(here, admin, board);
    await page.context().setOffline(true);
    await connection(page).getByText("Offline, 0 waiting").waitFor();
    await button(page, "Add a card to Next").click();
    await page.keyboard.type("Typed offline\n");
    await page.keyboard.press("Escape");
    await cardsIn(page, "Ideas").getByRole("link", { name: "A" }).focus();
    await page.keyboard.press("e");
    await page.keyboard.type("Renamed\n");
    await page.keyboard.press("Alt+ArrowRight");
    await connection(page).getByText("Offline, 3 waiting").waitFor();
    expect(await titlesIn(page, "Next")).toEqual(["Renamed", "Typed offline"]);
    await look("offline");
    ok(await as(admin).post("/cards", { listPublicId: list.publicId, title: "Meanwhile" }));
    ok(await as(admin).put(`/cards/${ids.C}`, { title: "Clear" }));
    await page.context().setOffline(false);
    await connection(page).getByText("Live", { exact: true }).waitFor();
    const both = { Ideas: ["B", "Clear", "Meanwhile"], Next: ["Renamed", "Typed offline"], Done: ["D"] };
    await expect.poll(stored).toEqual(both);
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(both.Ideas);
    await expect.poll(() => titlesIn(page, "Next")).toEqual(both.Next);
    expectNoTrouble();
  });

  test("a card that was not read before says what it lacks, and shows the comments that wait", {
    timeout: 60_000,
  }, async () => {
    const { admin, board, ids } = await boardOfThree(testing);
    const { page, look, expectNoTrouble } = await openBoard(here, admin, board);
    const open = (title = "C") => cardsIn(page, "Ideas").getByRole("link", { name: title }).click();
    // The code of cards may still be loading.
    await open("B");
    await page.getByRole("dialog", { name: "B" }).waitFor();
    await page.keyboard.press("Escape");
    await page.context().setOffline(true);
    await connection(page).getByText("Offline, 0 waiting").waitFor();
    await open();
    const card = page.getByRole("dialog", { name: "C" });
    await card.getByRole("status").getByText("Checklists, comments and activity need a connection.").waitFor();
    await card.getByRole("textbox", { name: "Write a comment" }).fill("Written offline");
    await page.keyboard.press("Control+Enter");
    const comments = card.getByRole("article").getByText("Written offline");
    await comments.waitFor();
    await look("offline-card");
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    await open();
    await comments.waitFor();
    await page.context().setOffline(false);
    await card.getByText("waits to be sent").waitFor({ state: "detached" });
    await card.getByText("need a connection").waitFor({ state: "detached" });
    const stored = async () =>
      ok(await as(admin).get<{ items: { comment: string }[] }>(`/cards/${ids.C}/comments`)).items;
    // The card may be read before what waits is sent.
    await expect.poll(stored).toMatchObject([{ comment: "Written offline" }]);
    await expect.poll(() => comments.count()).toBe(1);
    expectNoTrouble();
  });

  test("a card with a description, and dialogs, that were never opened open offline", { timeout: 90_000 }, async () => {
    const { admin, board, ids } = await boardOfThree(testing);
    ok(await as(admin).put(`/cards/${ids.C}`, { description: "A **bold** plan" }));
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    // What opens seldom is loaded when the page stands.
    await expect.poll(() => page.evaluate(MISSING), { timeout: 20_000 }).toEqual([]);
    expect(await page.evaluate(LATER_BYTES)).toBeLessThan(150_000);
    await page.context().setOffline(true);
    await connection(page).getByText("Offline, 0 waiting").waitFor();
    await cardsIn(page, "Ideas").getByRole("link", { name: "C" }).click();
    await page.getByRole("dialog", { name: "C" }).locator("strong").getByText("bold").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "C" }).waitFor({ state: "detached" });
    const opens = async (name: string | RegExp) => {
      await page.getByRole("dialog", { name }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name }).waitFor({ state: "detached" });
    };
    await page.keyboard.press("?");
    await opens("Keys");
    await button(page, "Share").click();
    await opens(/Share/);
    await button(page, "Board menu").click();
    await page.getByRole("menuitem", { name: "Archived cards" }).click();
    await opens("Archived cards");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search cards, boards and actions" }).waitFor();
    expectNoTrouble();
  });

  test("a service that is gone is told, and the board is live again once it is back", {
    timeout: 90_000,
  }, async () => {
    const { admin, board, list } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    await page.route("**/trpc/**", (route) => route.abort());
    app.server.closeAllConnections();
    await connection(page).getByText("Reconnecting").waitFor();
    await button(page, "Add a card to Next").click();
    await page.keyboard.type("Typed meanwhile\n");
    await connection(page).getByText("Reconnecting, 1 waiting", { exact: true }).waitFor();
    ok(await as(admin).post("/cards", { listPublicId: list.publicId, title: "Made meanwhile" }));
    await page.unrouteAll();
    await cardsIn(page, "Ideas").getByRole("link", { name: "Made meanwhile" }).waitFor({ timeout: 30_000 });
    await connection(page).getByText("Live", { exact: true }).waitFor();
    expectNoTrouble();
  });

  test("a network that swallows packets is told after a change that waits, which is made when the network is back", {
    timeout: 90_000,
  }, async () => {
    const { admin, board, stored } = await boardOfThree(testing);
    const network = await hole(here);
    const { page } = await openBoard(network.url, admin, board);
    network.swallow();
    await button(page, "Add a card to Next").click();
    await page.keyboard.type("Swallowed\n");
    const began = performance.now();
    for (const [words, least, most] of [
      ["Live, 1 waiting", 900, 2500],
      ["Reconnecting, 1 waiting", 2500, 9000],
    ] as const) {
      await connection(page).getByText(words, { exact: true }).waitFor();
      const shownMs = performance.now() - began;
      expect([words, shownMs > least && shownMs < most, shownMs]).toEqual([words, true, shownMs]);
    }
    network.restore();
    // A connection that began in the hole stays there for a while.
    await connection(page).getByText("Live", { exact: true }).waitFor({ timeout: 30_000 });
    expect((await stored()).Next).toEqual(["Swallowed"]);
  });

  test("of more lines than changes may wait, those that are not taken stay in the field, which says so", {
    timeout: 90_000,
  }, async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, look } = await openBoard(here, admin, board);
    await page.context().setOffline(true);
    await connection(page).getByText("Offline, 0 waiting").waitFor();
    await button(page, "Add a card to Next").click();
    const lines = Array.from({ length: 502 }, (_, index) => `Line ${index + 1}`);
    const field = page.getByRole("textbox", { name: "Title of the new card" });
    await field.fill(lines.join("\n"));
    await page.keyboard.press("Enter");
    await connection(page).getByText("Offline, 500 waiting").waitFor();
    await page.getByRole("alert").getByText("Add these lines later").waitFor();
    for (const _ of ["then", "again"]) {
      expect(await field.inputValue()).toBe("Line 501\nLine 502");
      await page.keyboard.press("Enter");
    }
    await look("lines without room");
  });

  test("a reload keeps what waits, and sends it when the service answers", { timeout: 90_000 }, async () => {
    const { admin, board, ids, stored } = await boardOfThree(testing);
    const { page } = await openBoard(here, admin, board);
    await cardsIn(page, "Ideas").getByRole("link", { name: "C" }).focus();
    await page.keyboard.press("l");
    const label = page.getByRole("textbox", { name: "Find or make a label" });
    await label.waitFor();
    await page.context().setOffline(true);
    await label.fill("Later");
    await page.keyboard.press("Enter");
    await label.fill("");
    expect(await page.getByRole("checkbox", { name: "Later" }).isChecked()).toBe(true);
    await page.keyboard.press("Escape");
    await button(page, "Add a card to Next").click();
    await page.keyboard.type("Sent later\n");
    await page.keyboard.press("Escape");
    await cardsIn(page, "Done").getByRole("link", { name: "D" }).focus();
    await page.keyboard.press("c");
    await connection(page).getByText("Offline, 4 waiting").waitFor();
    await page.reload().catch(() => {});
    // When the page is there again, the service takes no change yet.
    await page.route(/trpc\/(?:card|board\.labels)\./, (route) => route.abort());
    await page.context().setOffline(false);
    await page.goto(`${here}/boards/${board.publicId}`);
    await expect.poll(() => titlesIn(page, "Next")).toEqual(["Sent later"]);
    expect((await stored()).Next).toEqual([]);
    await page.unrouteAll();
    await expect.poll(async () => (await stored()).Next, { timeout: 20_000 }).toEqual(["Sent later"]);
    expect(ok(await as(admin).get(`/cards/${ids.C}`)).labels).toMatchObject([{ name: "Later" }]);
    await expect.poll(() => titlesIn(page, "Next")).toEqual(["Sent later"]);
    await cardsIn(page, "Done").getByRole("link", { name: "D" }).focus();
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: "Reopen" }).waitFor();
  });

  test("what waits in a tab that crashed is shown by the next one at once", { timeout: 90_000 }, async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page } = await openBoard(here, admin, board);
    const context = page.context();
    await context.route("**/trpc/card.create*", (route) => route.abort());
    await button(page, "Add a card to Next").click();
    await page.keyboard.type("Waits\n");
    await expect.poll(() => page.evaluate(STORED)).toContain("Waits");
    const crashed = page.waitForEvent("crash");
    void page.goto("chrome://crash").catch(() => {});
    await crashed;
    const next = await context.newPage();
    await next.goto(`${here}/boards/${board.publicId}`);
    await cardsIn(next, "Ideas").getByRole("link", { name: "A" }).waitFor();
    await cardsIn(next, "Next").getByRole("link", { name: "Waits" }).waitFor({ timeout: 2000 });
  });

  test("a board is shown after four others, the changes of which all wait", { timeout: 90_000 }, async () => {
    const { board, owner, workspace } = await make.list({ name: "Ideas" });
    const names = ["One", "Two", "Three", "Four"];
    for (const name of names) await make.list({ board: (await make.board({ workspace, name })).board, name: "Ideas" });
    const { page } = await openBoard(here, owner, board);
    await page.route("**/trpc/card.create*", (route) => route.abort());
    for (const name of [...names, board.name]) {
      await button(page, "Add a card to Ideas").click();
      await page.keyboard.type("Waits\n");
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Boards" }).click();
      await page.getByRole("region", { name: workspace.name }).getByRole("link", { name }).click();
      await heading(page, name).waitFor();
    }
    expect(await titlesIn(page, "Ideas")).toEqual(["Waits"]);
  });

  test("a change that the service refuses is taken back, with the thing's name and the reason, until it is dismissed", async () => {
    const { owner: admin, board, workspace } = await make.list({ name: "Ideas" });
    const member = await make.member(board, "member");
    const { page } = await openBoard(here, member, board);
    // A page that is online hears of the new role, and offers the change no longer.
    await page.context().setOffline(true);
    await page.getByRole("heading", { name: "Ideas" }).getByRole("button").click();
    await page.getByRole("textbox", { name: "Name of the list" }).fill("Mine");
    await page.keyboard.press("Enter");
    await connection(page).getByText("Offline, 1 waiting").waitFor();
    const path = `/workspaces/${workspace.publicId}/members/${member.memberPublicId}/role`;
    ok(await as(admin).put(path, { role: "guest" }));
    await page.context().setOffline(false);
    // The refusal may come before the new role.
    const alert = page.getByRole("alert");
    await expect
      .poll(async () => (await alert.count()) > 0 && (await alert.textContent()))
      .toBe(
        "Ideas: You may no longer change this board. The new name was not saved. Ask an admin of the workspace for access.",
      );
    expect(await page.getByRole("region", { name: "Ideas" }).count()).toBe(1);
    await button(page, "Dismiss").click();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  test("changes that waited for a board that was closed to their person are told of once it is open to them again", {
    timeout: 90_000,
  }, async () => {
    const { admin, board } = await boardOfThree(testing);
    ok(await as(admin).put(`/boards/${board.publicId}`, { visibility: "private" }));
    const member = await make.member(board, "member");
    const { page, expectNoTrouble } = await openBoard(here, member, board);
    await page.context().setOffline(true);
    await button(page, "Add a card to Next").click();
    await page.keyboard.type("Typed offline\n");
    await page.keyboard.press("Escape");
    const members = `/boards/${board.publicId}/members`;
    ok(await as(admin).delete(`${members}/${member.memberPublicId}`));
    await page.context().setOffline(false);
    await heading(page, "This board is not available").waitFor();
    ok(await as(admin).post(members, { memberPublicId: member.memberPublicId }));
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Boards", exact: true }).click();
    await heading(page, "Boards").waitFor();
    await page.goBack();
    await page.getByRole("alert").getByText("Typed offline").waitFor({ timeout: 20_000 });
    expect(await titlesIn(page, "Next")).toEqual([]);
    expectNoTrouble();
  });

  test("a refused change is named by its card, also when that is deleted, and the text in it can be copied after a reload", {
    timeout: 90_000,
  }, async () => {
    const { admin, board, ids } = await boardOfThree(testing);
    const { publicId: checklist } = ok(
      await as(admin).post<{ publicId: string }>(`/cards/${ids.C}/checklists`, { name: "Steps" }),
    );
    ok(await as(admin).post(`/checklists/${checklist}/items`, { title: "One" }));
    const { page, look, expectNoTrouble } = await openBoard(here, admin, board);
    await page.route(/trpc\/card\./, (route) =>
      route.request().method() === "POST" ? route.abort() : route.fallback(),
    );
    await cardsIn(page, "Ideas").getByRole("link", { name: "C" }).click();
    await page.getByRole("checkbox", { name: "One" }).check();
    await button(page, "Close").click();
    await cardsIn(page, "Ideas").getByRole("link", { name: "B" }).click();
    await page.getByRole("textbox", { name: "Write a comment" }).fill("A long thought");
    await page.keyboard.press("Control+Enter");
    await button(page, "Close").click();
    await cardsIn(page, "Done").getByRole("link", { name: "D" }).click();
    await page.getByRole("textbox", { name: "Description" }).fill("A long plan");
    await page.keyboard.press("Control+Enter");
    await button(page, "Close").click();
    await cardsIn(page, "Ideas").getByRole("link", { name: "A" }).focus();
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByRole("region", { name: "Selected cards" }).getByRole("button", { name: "Complete" }).click();
    await page.reload();
    await cardsIn(page, "Ideas").getByRole("link", { name: "A" }).waitFor();
    for (const title of ["A", "B", "C", "D"]) ok(await as(admin).delete(`/cards/${ids[title]}`));
    await page.unrouteAll();
    const alertOf = (name: string) => page.getByRole("alert").filter({ hasText: new RegExp(`^${name}: `) });
    const gone = "The card was deleted, archived, or moved to another board.";
    for (const [name, says] of [
      [
        "A and 1 more",
        "Some of the cards were deleted, archived, or moved to another board. The cards were not changed.",
      ],
      ["B", `${gone} Your comment was not sent. Copy the text if you still need it.`],
      ["D", `${gone} The description was not saved. Copy the text if you still need it.`],
      ["C", "Somebody else deleted it, or you may no longer change it. The item of its checklist was not changed."],
    ] as const)
      await alertOf(name).getByText(`${name}: ${says}`).waitFor({ timeout: 30_000 });
    await look("refused");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    for (const [name, written] of [
      ["B", "A long thought"],
      ["D", "A long plan"],
    ] as const) {
      await alertOf(name).getByRole("button", { name: "Copy the text" }).click();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(written);
    }
    expect(await button(page, "Copy the text").count()).toBe(0);
    expectNoTrouble();
  });
});
