// The sentences that people with a screen reader hear.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { announced, boardOfThree, cardNamed, openBoard, titlesIn } from "./boards.js";
import { announcedOn } from "./focusNet.js";
import { NO_BROWSER } from "./harness.js";
import { button } from "./people.js";

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
      expect(await region(page, urgency).textContent()).toBe("");
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
    await announced(page, "Offline");
    await cardNamed(page, "A").focus();
    await page.keyboard.press("c");
    await announced(page, "Completed A. Ctrl+Z takes it back");
    await page.context().setOffline(false);
    await announced(page, "Live");
    expect(await heard()).toEqual(["Offline", "Completed A. Ctrl+Z takes it back", "Live"]);
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
});
