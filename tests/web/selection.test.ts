// Several cards at once, on the page.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { announced, boardOfThree, cardsIn, openBoard } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { button } from "./people.js";
import { dragOver, grab } from "./pointers.js";

const testing = await testApp();
const { as, make, listening } = testing;

const cardOf = (page: Page, name: string) => page.getByRole("main").getByRole("link", { name, exact: true });
const bar = (page: Page) => page.getByRole("region", { name: "Selected cards" });
const inBar = (page: Page, name: string) => bar(page).getByRole("button", { name, exact: true });
const checkbox = (page: Page, name: string) => page.getByRole("checkbox", { name });
const FOCUSED = "document.activeElement.textContent";
const undo = async (page: Page) => {
  await page.getByRole("status", { name: "Last change" }).waitFor();
  await page.keyboard.press("Control+z");
};

interface StoredCard {
  title: string;
  completedAt: string | null;
  dueDate: string | null;
  dueHasTime: boolean;
  labels: { name: string }[];
  members: { name: string }[];
}

describe.skipIf(chromiumPath === undefined)(`selection${NO_BROWSER}`, async () => {
  const here = await listening();

  async function open() {
    const made = await boardOfThree(testing);
    await make.label({ board: made.board, name: "Bug" });
    const tab = await openBoard(here, made.admin, made.board);
    const card = async (title: string, person: Person = made.admin) =>
      ok(await as(person).get<StoredCard>(`/cards/${made.ids[title]}`));
    return { ...made, ...tab, card };
  }

  test("X and Shift select, Escape ends it, and a move of several cards is announced, made and taken back", async () => {
    const { page, stored, look, expectNoTrouble } = await open();
    const before = await stored();
    await cardOf(page, "A").focus();
    await page.keyboard.press("x");
    await announced(page, "1 selected");
    await page.keyboard.press("Shift+ArrowDown");
    await announced(page, "2 selected");
    await page.keyboard.press("Escape");
    await bar(page).waitFor({ state: "detached" });
    await announced(page, "0 selected");
    expect(await page.evaluate(FOCUSED)).toBe("B");
    await page.keyboard.press("x");
    await cardOf(page, "D").click({ modifiers: ["Shift"] });
    await bar(page).getByText("2 selected").waitFor();
    await page.keyboard.press("Escape");
    await cardOf(page, "A").click({ modifiers: ["Shift"] });
    await cardOf(page, "C").click({ modifiers: ["Shift"] });
    await bar(page).getByText("3 selected").waitFor();
    await look("selection");
    await page.setViewportSize({ width: 1440, height: 900 });
    await inBar(page, "Move to").click();
    await page.getByRole("menuitem", { name: "Done" }).click();
    await expect.poll(stored).toEqual({ Ideas: [], Next: [], Done: ["D", "A", "B", "C"] });
    await undo(page);
    await expect.poll(stored).toEqual(before);
    // A drag of one takes the others along, in their order, by one call.
    const calls: string[] = [];
    // Requests from before are reported before this answers.
    await page.evaluate("0");
    page.on("request", (request) => calls.push(...(/card\.(?:bulk\.move|update)/.exec(request.url()) ?? [])));
    await grab(page, cardsIn(page, "Ideas").getByRole("listitem").nth(1));
    await announced(page, /^3 cards picked up, /);
    await expect
      .poll(() => page.locator("body > [aria-hidden] > [inert] ~ :last-child").allTextContents())
      .toEqual(["3"]);
    await dragOver(page, cardOf(page, "D"), 0);
    await announced(page, "1 of 2 in Done");
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/selection-dragged.png` });
    await page.mouse.up();
    await expect.poll(stored).toEqual({ Ideas: [], Next: [], Done: ["A", "B", "C", "D"] });
    await expect.poll(() => calls).toEqual(["card.bulk.move"]);
    await undo(page);
    await expect.poll(stored).toEqual(before);
    expectNoTrouble();
  });

  test("labels, people, a due date and completing reach each selected card, and each can be taken back", async () => {
    const { page, admin, card, expectNoTrouble } = await open();
    await cardOf(page, "A").click({ modifiers: ["Shift"] });
    await cardOf(page, "B").click({ modifiers: ["Shift"] });
    await inBar(page, "Labels").click();
    await checkbox(page, "Bug").check();
    await page.keyboard.press("Escape");
    await expect.poll(async () => (await card("B")).labels).toMatchObject([{ name: "Bug" }]);
    await cardOf(page, "C").click({ modifiers: ["Shift"] });
    await inBar(page, "Labels").click();
    expect(await checkbox(page, "Bug").evaluate((box) => Reflect.get(box, "indeterminate"))).toBe(true);
    await page.keyboard.press("Escape");
    await inBar(page, "People").click();
    await checkbox(page, admin.name).check();
    await page.keyboard.press("Escape");
    await inBar(page, "Due date").click();
    await button(page, "Tomorrow").click();
    await inBar(page, "Complete").click();
    await expect.poll(async () => (await card("C")).completedAt).not.toBeNull();
    expect(await card("A")).toMatchObject({ dueDate: expect.any(String), members: [{ name: admin.name }] });
    for (let step = 0; step < 4; step += 1) await undo(page);
    await expect
      .poll(async () => Promise.all(["A", "B", "C"].map((title) => card(title))))
      .toMatchObject(["A", "B", "C"].map(() => ({ completedAt: null, dueDate: null, labels: [], members: [] })));
    expectNoTrouble();
  });

  test("the keys of a selected card act on all selected cards, and those of another one on it alone", async () => {
    const { page, stored, card, expectNoTrouble } = await open();
    await cardOf(page, "A").focus();
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("l");
    await checkbox(page, "Bug").check();
    await page.keyboard.press("Escape");
    await expect.poll(async () => (await card("A")).labels).toMatchObject([{ name: "Bug" }]);
    await cardOf(page, "C").focus();
    await page.keyboard.press("c");
    await expect.poll(async () => (await card("C")).completedAt).not.toBeNull();
    expect(await card("A")).toMatchObject({ completedAt: null });
    await cardOf(page, "B, selected").focus();
    await page.keyboard.press("a");
    await expect.poll(stored).toMatchObject({ Ideas: ["C"] });
    expectNoTrouble();
  });

  test("several cards are archived, which can be taken back, and deleted, which asks; what stays beside them has the focus", async () => {
    const { page, stored, expectNoTrouble } = await open();
    const before = await stored();
    await cardOf(page, "A").focus();
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    await bar(page).getByText("2 selected").waitFor();
    await inBar(page, "Delete").click();
    const question = page.getByRole("alertdialog", { name: "Delete 2 cards?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    expect(await stored()).toEqual(before);
    await inBar(page, "Delete").click();
    await question.getByRole("button", { name: "Delete" }).click();
    await expect.poll(stored).toMatchObject({ Ideas: ["C"] });
    await bar(page).waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate(FOCUSED)).toBe("C");
    await button(page, "Actions for Ideas").click();
    await page.getByRole("menuitem", { name: "Select all cards" }).click();
    await bar(page).getByText("1 selected").waitFor();
    await inBar(page, "Archive").click();
    await expect.poll(stored).toMatchObject({ Ideas: [] });
    expect(await page.evaluate(FOCUSED)).toBe("Add a card");
    await undo(page);
    await expect.poll(stored).toEqual({ ...before, Ideas: ["C"] });
    await bar(page).waitFor({ state: "detached" });

    // Taken back before the service has archived them, cards stay selected while they leave and come back.
    let goOn = () => {};
    const isHeld = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route("**/card.bulk.archive**", async (route) => {
      await isHeld;
      await route.continue();
    });
    const selectBoth = async () => {
      await cardOf(page, "C").focus();
      await page.keyboard.press("x");
      await page.keyboard.press("Shift+ArrowRight");
      await bar(page).getByText("2 selected").waitFor();
    };
    await selectBoth();
    await inBar(page, "Archive").click();
    await cardOf(page, "C").waitFor({ state: "detached" });
    await undo(page);
    await selectBoth();
    const isUnarchived = page.waitForResponse(/card\.unarchive/);
    goOn();
    await isUnarchived;
    await expect.poll(stored).toEqual({ ...before, Ideas: ["C"] });
    await bar(page).getByText("2 selected").waitFor();
    expectNoTrouble();
  });

  test("what is taken back of several cards is what was changed: each has again what it had, and those that had it keep it", async () => {
    const { page, admin, board, ids, card, expectNoTrouble } = await open();
    const { labels } = ok(await as(admin).get<{ labels: { publicId: string }[] }>(`/boards/${board.publicId}`));
    ok(await as(admin).put(`/cards/${ids.A}`, { completed: true, dueDate: "2026-12-24" }));
    ok(await as(admin).put(`/cards/${ids.A}/labels/${labels[0]?.publicId}`));
    const both = () => Promise.all([card("A"), card("B")]);
    const before = await both();
    await cardOf(page, "A, done").focus();
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    await bar(page).getByText("2 selected").waitFor();
    await inBar(page, "Labels").click();
    await checkbox(page, "Bug").check();
    await page.keyboard.press("Escape");
    await inBar(page, "Due date").click();
    await button(page, "Tomorrow").click();
    await inBar(page, "Complete").click();
    await expect.poll(async () => (await card("B")).completedAt).not.toBeNull();
    for (let step = 0; step < 3; step += 1) await undo(page);
    await expect.poll(both).toMatchObject(
      before.map(({ completedAt, dueDate, dueHasTime, labels: had }) => ({
        ...{ completedAt, dueDate, dueHasTime },
        labels: had.map(({ name }) => ({ name })),
      })),
    );
    expectNoTrouble();
  });

  test("a board that one comes back to has nothing selected", async () => {
    const { page, expectNoTrouble } = await open();
    await cardOf(page, "A").focus();
    await page.keyboard.press("x");
    await bar(page).getByText("1 selected").waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Boards" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Boards" }).waitFor();
    await page.goBack();
    await cardOf(page, "A").waitFor();
    expect(await bar(page).count()).toBe(0);
    expectNoTrouble();
  });
});
