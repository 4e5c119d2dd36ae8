// The sentences that people with a screen reader hear.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { anAddress, ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { announced, boardOfThree, cardNamed, openBoard, titlesIn } from "./boards.js";
import { announcedOn } from "./focusNet.js";
import { NO_BROWSER, openTab } from "./harness.js";
import { button, fill } from "./people.js";

const testing = await testApp();
const { as, make, listening } = testing;

/** Whatever the page says from now on, in order. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  const { length } = await announcedOn(page);
  return async () => (await announcedOn(page)).slice(length);
}

const region = (page: Page, urgency: "polite" | "assertive") => page.locator(`[data-announcements=${urgency}]`);

describe.skipIf(chromiumPath === undefined)(`what is heard${NO_BROWSER}`, async () => {
  const here = await listening();
  const open = async () => {
    const made = await boardOfThree(testing);
    return { ...made, ...(await openBoard(here, made.admin, made.board)) };
  };

  test("two regions without a name stand in the page, empty, and a pair of its own in each modal dialog", async () => {
    const { page, expectNoTrouble } = await open();
    for (const urgency of ["polite", "assertive"] as const) {
      expect(await region(page, urgency).count()).toBe(1);
      expect(await region(page, urgency).getAttribute("aria-live")).toBe(urgency);
      expect(await region(page, urgency).getAttribute("aria-label")).toBeNull();
    }
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keys" });
    expect(await dialog.locator("[data-announcements]").allTextContents()).toEqual(["", ""]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    // An open card hides the page below it, but not what speaks.
    await cardNamed(page, "A").click();
    await page.getByRole("dialog", { name: "A", exact: true }).waitFor();
    expect(await page.locator("[data-announcements]").count()).toBe(2);
    expect(await page.locator(":is([aria-hidden=true], [inert]) [data-announcements]").count()).toBe(0);
    expectNoTrouble();
  });

  test("the same sentence is said twice: the region is empty in between", async () => {
    const { page } = await open();
    const heard = await listen(page);
    await cardNamed(page, "A").focus();
    for (let time = 0; time < 2; time += 1) {
      await page.keyboard.press("Alt+ArrowUp");
      await announced(page, "First in Ideas");
      await expect.poll(heard).toHaveLength(time + 1);
    }
    expect(await heard()).toEqual(["First in Ideas", "First in Ideas"]);
  });

  test("one hears what one adds, completes, takes back and makes again, and that there is nothing left to do so", async () => {
    const { page, stored, expectNoTrouble } = await open();
    const heard = await listen(page);
    await button(page, "Add a card to Ideas").click();
    await page.keyboard.type("E");
    await page.keyboard.press("Enter");
    await announced(page, "Added E, 4 of 4 in Ideas");
    await page.getByRole("textbox", { name: "Title of the new card" }).fill("F\nG");
    await page.keyboard.press("Enter");
    await announced(page, "Added 2 cards, 6 of 6 in Ideas");
    await page.keyboard.press("Escape");
    await button(page, "Add a list").click();
    await page.keyboard.type("Later");
    await page.keyboard.press("Enter");
    await announced(page, "Added Later, 4 of 4");
    await page.keyboard.press("Escape");
    await cardNamed(page, "B").focus();
    await page.keyboard.press("c");
    await announced(page, "Completed B. Ctrl+Z takes it back");
    await page.keyboard.press("a");
    await announced(page, "Archived B. Ctrl+Z takes it back");
    await page.keyboard.press("Control+z");
    await announced(page, "Taken back: Archived B");
    await page.keyboard.press("Control+z");
    await announced(page, "Taken back: Completed B");
    await page.keyboard.press("Control+z");
    await announced(page, "Nothing to take back");
    await page.keyboard.press("Control+Shift+z");
    await announced(page, "Made again: Completed B");
    await page.keyboard.press("Control+Shift+z");
    await announced(page, "Made again: Archived B");
    await page.keyboard.press("Control+Shift+z");
    await announced(page, "Nothing to make again");
    await expect.poll(async () => (await stored()).Ideas).toEqual(["A", "C", "E", "F", "G"]);
    expect(await heard()).toHaveLength(11);
    expectNoTrouble();
  });

  test("a comment that was sent is heard, and statuses that are seen say nothing themselves", async () => {
    const { page } = await open();
    await cardNamed(page, "A").click();
    const dialog = page.getByRole("dialog", { name: "A", exact: true });
    await dialog.getByRole("textbox", { name: "Write a comment" }).fill("Done soon");
    await page.keyboard.press("Control+Enter");
    await announced(page, "Comment sent");
    await button(page, "Complete").click();
    const lastChange = page.getByRole("status", { name: "Last change" });
    await lastChange.getByText("Completed A").waitFor();
    expect(await lastChange.getAttribute("aria-live")).toBe("off");
    expect(await page.getByRole("status", { name: "Connection" }).getAttribute("aria-live")).toBe("off");
  });

  test("the connection is heard when it stops being live, and when it is live again", async () => {
    const { page } = await open();
    const heard = await listen(page);
    await page.context().setOffline(true);
    await announced(page, /^Offline/);
    await cardNamed(page, "A").focus();
    await page.keyboard.press("c");
    await announced(page, "Completed A. Ctrl+Z takes it back");
    await page.context().setOffline(false);
    await announced(page, "Live");
    expect(await heard()).toEqual([expect.stringMatching(/^Offline/), "Completed A. Ctrl+Z takes it back", "Live"]);
  });

  test("of two hundred changes by others nothing is heard", async () => {
    const { page, admin, board, list } = await open();
    const other = await make.member(board, "member");
    const heard = await listen(page);
    const cards = Array.from({ length: 10 }, (_, index) => `Card ${index}`);
    for (const title of cards) {
      const { card } = await make.card({ list, title });
      for (let turn = 0; turn < 19; turn += 1) {
        ok(await as(other).put(`/cards/${card.publicId}`, { title: `${title}, ${turn}` }));
      }
    }
    await cardNamed(page, "Card 9, 18").waitFor();
    expect(admin.publicId).not.toBe(other.publicId);
    expect(await heard()).toEqual([]);
  });

  test("no step of a move takes the held card out of the document", async () => {
    const { page, stored, expectNoTrouble } = await open();
    await cardNamed(page, "B").focus();
    await page.evaluate(`window.held = document.activeElement; window.removals = 0;
      new MutationObserver((changes) => {
        for (const { removedNodes } of changes)
          for (const node of removedNodes) if (node.contains(held)) removals += 1;
      }).observe(document.body, { subtree: true, childList: true })`);
    for (const [key, said] of [
      [" ", /^B picked up/],
      ["ArrowDown", "3 of 3 in Ideas"],
      ["ArrowUp", "2 of 3 in Ideas"],
      ["ArrowUp", "1 of 3 in Ideas"],
      ["ArrowRight", "1 of 1 in Next"],
      ["ArrowRight", "1 of 2 in Done"],
    ] as const) {
      await page.keyboard.press(key);
      await announced(page, said);
      expect(await page.evaluate("[removals, held === document.activeElement]")).toEqual([0, true]);
    }
    await page.keyboard.press(" ");
    await announced(page, "Dropped, 1 of 2 in Done. Ctrl+Z takes it back");
    await expect.poll(() => titlesIn(page, "Done")).toEqual(["B", "D"]);
    await expect.poll(async () => (await stored()).Done).toEqual(["B", "D"]);
    expectNoTrouble();
  });

  test("a card is named by its title and state, and described by its place in a new list and its properties", async () => {
    const { page, admin, board, ids, expectNoTrouble } = await open();
    const label = ok(
      await as(admin).post<{ publicId: string }>("/labels", {
        boardPublicId: board.publicId,
        name: "Bug",
        colourCode: "#e5484d",
      }),
    );
    ok(await as(admin).put(`/cards/${ids.B}`, { dueDate: "2099-12-24", priority: "high", completed: true }));
    ok(await as(admin).put(`/cards/${ids.B}/labels/${label.publicId}`, { on: true }));
    const link = (name: string) => page.getByRole("main").getByRole("link", { name, exact: true });
    await link("B, done").waitFor();
    await page.getByRole("main").getByText("Bug", { exact: true }).waitFor();
    const describedBy = (name: string) => link(name).getAttribute("aria-description");
    await link("A").focus();
    await expect.poll(() => describedBy("A")).toMatch(/^1 of 3 in Ideas, Keys of a card need focus mode: .*NVDA/);
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => describedBy("B, done")).toBe("due 24 Dec 2099, Bug, High priority");
    await page.keyboard.press("x");
    await link("B, done, selected").waitFor();
    await page.keyboard.press("Escape");
    await link("D").focus();
    await expect.poll(() => describedBy("D")).toBe("1 of 1 in Done");
    expectNoTrouble();
  });

  test("buttons of properties are described by their values, menus are named, and the button of a card's menu is expanded", async () => {
    const { page, admin, ids, look, expectNoTrouble } = await open();
    ok(await as(admin).put(`/cards/${ids.A}`, { dueDate: "2099-12-24" }));
    const menu = button(page, "Actions for A");
    await cardNamed(page, "A").focus();
    expect(await menu.getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press(".");
    await page.getByRole("menu", { name: "Actions for A", exact: true }).waitFor();
    const hidden = page.getByRole("button", { name: "Actions for A", exact: true, includeHidden: true });
    expect(await hidden.getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    expect(await menu.getAttribute("aria-expanded")).toBe("false");
    await cardNamed(page, "A").click();
    const due = page.getByRole("dialog", { name: "A", exact: true }).getByRole("button", { name: "Due date" });
    await expect.poll(() => due.ariaSnapshot()).toContain("Due date");
    const described = async () => page.locator(`[id="${await due.getAttribute("aria-describedby")}"]`).textContent();
    expect(await described()).toContain("due 24 Dec 2099");
    await look("heard-card");
    expectNoTrouble();
  });

  test("one hears how many cards a filter shows when one changes it, not when others change the cards", async () => {
    const { page, list, expectNoTrouble } = await open();
    const heard = await listen(page);
    await page.keyboard.press("/");
    await page.keyboard.type("A");
    await announced(page, "1 of 4 cards");
    await make.card({ list, title: "Another A" });
    await page.getByRole("status", { name: "Shown cards" }).getByText("2 of 5 cards").waitFor();
    await page.keyboard.press("Escape");
    await button(page, "Clear").click();
    await announced(page, "5 of 5 cards");
    expect(await heard()).toEqual(["1 of 4 cards", "5 of 5 cards"]);
    expectNoTrouble();
  });

  test("search says its own name first, since nothing is the active option until something is typed", async () => {
    const { page } = await open();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Search cards, boards and actions" });
    await page.getByRole("option").first().waitFor();
    expect(await field.getAttribute("aria-activedescendant")).toBeNull();
    expect(await page.getByRole("option", { selected: true }).count()).toBe(0);
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.getByRole("option", { selected: true }).count()).toBe(1);
    expect(await field.getAttribute("aria-activedescendant")).not.toBeNull();
  });

  test("one hears that a board was archived, that somebody else changed the description, and that the open card has left", async () => {
    const { page, admin, board, ids } = await open();
    await cardNamed(page, "A").click();
    const dialog = page.getByRole("dialog", { name: "A", exact: true });
    await dialog.getByRole("textbox", { name: "Description" }).fill("Mine");
    ok(await as(admin).put(`/cards/${ids.A}`, { description: "Theirs" }));
    await announced(page, /^Somebody else changed the description meanwhile\./);
    ok(await as(admin).post(`/cards/${ids.A}/archive`));
    await announced(page, "This card is archived.");
    ok(await as(admin).post(`/boards/${board.publicId}/archive`));
    await announced(page, "This board is archived, and read-only.");
  });

  test("a form that is refused in the field that has the focus says the reason", async () => {
    const { page } = await openTab(here);
    await fill(page, { Name: "Ada", "E-mail": anAddress(), Password: "short" });
    await page.keyboard.press("Enter");
    await announced(page, /at least 10 characters/);
  });
});
