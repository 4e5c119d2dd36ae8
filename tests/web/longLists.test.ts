// Lists of more than 40 cards, which render only what is in view.
//
// @module-tag slow

import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { announced, cardNamed, cardsIn, openBoard, storedLists } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { button } from "./people.js";
import { dragOver, grab, pointOn } from "./pointers.js";

const testing = await testApp();
const { as, make, listening } = testing;

const ROWS_A_CALL = 2000;
const focusedText = (page: Page) => page.evaluate<string>("document.activeElement.textContent");
const exactCard = (page: Page, title: string) => cardsIn(page, "Long").getByRole("link", { name: title, exact: true });
const placeOf = async (page: Page, title: string) =>
  cardsIn(page, "Long")
    .getByRole("listitem")
    .filter({ has: page.getByRole("link", { name: title, exact: true }) })
    .getAttribute("aria-posinset");
const scrollOf = (page: Page) => cardsIn(page, "Long").evaluate((list) => Number(Reflect.get(list, "scrollTop")));

/** Makes a board of lists with cards that are named "Card 1" and so on, and a list "Short" with a card S. */
async function boardOf(
  lists: Record<string, number>,
): Promise<{ owner: Person; board: { publicId: string; name: string } }> {
  const { owner, workspace } = await make.workspace();
  const rows = Object.entries(lists).flatMap(([list, size]) =>
    Array.from({ length: size }, (_, index) => [`Card ${index + 1}`, list]),
  );
  rows.push(["S", "Short"]);
  const mapping = { title: 0, list: 1 };
  let board = {};
  for (let from = 0; from < rows.length; from += ROWS_A_CALL) {
    const body = {
      workspacePublicId: workspace.publicId,
      boardName: "Large",
      rows: rows.slice(from, from + ROWS_A_CALL),
      mapping,
    };
    const { boardPublicId } = ok(
      await as(owner).post<{ boardPublicId: string }>("/imports/csv/boards", { ...body, ...board }),
    );
    board = { boardPublicId };
  }
  const { boardPublicId: publicId } = board as { boardPublicId: string };
  return { owner, board: { publicId, name: "Large" } };
}

describe.skipIf(chromiumPath === undefined)(`long lists${NO_BROWSER}`, async () => {
  const here = await listening();

  async function open(lists: Record<string, number>) {
    const { owner, board } = await boardOf(lists);
    const tab = await openBoard(here, owner, board);
    const stored = async () => (await storedLists(testing, owner, board)).Long ?? [];
    return { ...tab, owner, board, stored };
  }

  test("a list of 1200 renders few cards, each with its place among all, and scrolls to the last", async () => {
    const { page, look, expectNoTrouble } = await open({ Long: 1200 });
    await expect.poll(() => cardsIn(page, "Long").getByRole("listitem").count()).toBeLessThan(40);
    expect(await placeOf(page, "Card 1")).toBe("1");
    expect(await cardsIn(page, "Long").getByRole("listitem").first().getAttribute("aria-setsize")).toBe("1200");
    await look("long-list");
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect
      .poll(async () => {
        await cardsIn(page, "Long").evaluate((list) => Reflect.set(list, "scrollTop", 1e9));
        return exactCard(page, "Card 1200").isVisible();
      })
      .toBe(true);
    expect(await placeOf(page, "Card 1200")).toBe("1200");
    expectNoTrouble();
  });

  test("arrow keys walk on beyond what was in view, and the focus stays on its card when that is scrolled away", async () => {
    const { page, expectNoTrouble } = await open({ Long: 200 });
    await exactCard(page, "Card 1").focus();
    for (let step = 0; step < 60; step += 1) await page.keyboard.press("ArrowDown");
    expect(await focusedText(page)).toBe("Card 61");
    await expect.poll(() => exactCard(page, "Card 61").isVisible()).toBe(true);
    await cardsIn(page, "Long").evaluate((list) => Reflect.set(list, "scrollTop", 0));
    await exactCard(page, "Card 1").waitFor();
    expect(await focusedText(page)).toBe("Card 61");
    await page.keyboard.press("ArrowUp");
    expect(await focusedText(page)).toBe("Card 60");
    await page.keyboard.press("ArrowRight");
    expect(await focusedText(page)).toBe("S");
    expectNoTrouble();
  });

  test("a card that search found is in view and has the focus once it is closed", async () => {
    const { page, expectNoTrouble } = await open({ Long: 200 });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search cards, boards and actions" }).fill("Card 150");
    await page.getByRole("option").filter({ hasText: "Card 150" }).first().click();
    await page.getByRole("dialog", { name: "Card 150" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => focusedText(page)).toBe("Card 150");
    expect(await placeOf(page, "Card 150")).toBe("150");
    expect(await scrollOf(page)).toBeGreaterThan(5000);
    expectNoTrouble();
  });

  test("keys move a card further than what was in view, and it stays in view", async () => {
    const { page, stored, expectNoTrouble } = await open({ Long: 60 });
    await exactCard(page, "Card 2").focus();
    await page.keyboard.press(" ");
    for (let step = 0; step < 30; step += 1) await page.keyboard.press("ArrowDown");
    await announced(page, "32 of 60 in Long");
    expect(await focusedText(page)).toBe("Card 2");
    const list = await cardsIn(page, "Long").boundingBox();
    await expect
      .poll(
        async () => ((await exactCard(page, "Card 2").boundingBox())?.y ?? 0) < (list?.y ?? 0) + (list?.height ?? 0),
      )
      .toBe(true);
    await page.keyboard.press(" ");
    await expect.poll(async () => (await stored()).slice(30, 33)).toEqual(["Card 32", "Card 2", "Card 33"]);
    await page.keyboard.press("Alt+ArrowUp");
    await expect.poll(async () => (await stored()).slice(30, 33)).toEqual(["Card 2", "Card 32", "Card 33"]);
    expectNoTrouble();
  });

  test("a card is dragged down a long list that scrolls below it, and out of it", async () => {
    const { page, stored, expectNoTrouble } = await open({ Long: 300 });
    await grab(page, exactCard(page, "Card 3"));
    const { x, y } = await pointOn(button(page, "Add a card to Long"), 0);
    await page.mouse.move(x, y - 6, { steps: 3 });
    await expect.poll(() => scrollOf(page), { timeout: 10_000 }).toBeGreaterThan(4000);
    await page.mouse.move(x, 400, { steps: 3 });
    await page.mouse.up();
    await announced(page, /^Dropped, /);
    await expect.poll(async () => (await stored()).indexOf("Card 3")).toBeGreaterThan(30);
    const all = await stored();
    const at = all.indexOf("Card 3");
    expect(await placeOf(page, "Card 3")).toBe(String(at + 1));
    expect(Number(all[at + 1]?.slice(5)) - Number(all[at - 1]?.slice(5))).toBe(1);
    const next = String(all[at + 1]);
    await grab(page, exactCard(page, next));
    await dragOver(page, cardNamed(page, "S"), 0);
    await page.mouse.up();
    await expect.poll(async () => (await stored()).length).toBe(299);
    expectNoTrouble();
  });

  test("the field for new cards shows the end of its list", async () => {
    const { page, expectNoTrouble } = await open({ Long: 60 });
    await button(page, "Add a card to Long").click();
    const belowView = () =>
      cardsIn(page, "Long").evaluate((list) => {
        const { scrollHeight, scrollTop, clientHeight } = list as unknown as Record<string, number>;
        return (scrollHeight ?? 0) - (scrollTop ?? 0) - (clientHeight ?? 0);
      });
    await expect.poll(belowView).toBeLessThan(2);
    expect(await scrollOf(page)).toBeGreaterThan(1000);
    expectNoTrouble();
  });

  test("a new card of a long list is in view, and a list that grows beyond 40 keeps its place", async () => {
    const { page, stored, expectNoTrouble } = await open({ Long: 39 });
    await cardsIn(page, "Long").evaluate((list) => Reflect.set(list, "scrollTop", 1500));
    const before = await scrollOf(page);
    expect(before).toBeGreaterThan(1000);
    await button(page, "Add a card to Long").click();
    await page.keyboard.type("one\ntwo\nthree\n");
    await expect.poll(stored).toHaveLength(42);
    await expect.poll(() => exactCard(page, "three").isVisible()).toBe(true);
    const bottomOf = async (thing: Locator) => {
      const box = await thing.boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0);
    };
    await expect
      .poll(async () => (await bottomOf(exactCard(page, "three"))) <= (await bottomOf(cardsIn(page, "Long"))))
      .toBe(true);
    expectNoTrouble();
  });

  test("a board of 5000 cards opens, and its first cards are there", async () => {
    const lists = Object.fromEntries(["Long", "B", "C", "D"].map((name) => [name, 1250]));
    const { page, expectNoTrouble } = await open(lists);
    await exactCard(page, "Card 1").waitFor();
    await expect.poll(() => page.getByRole("listitem").count()).toBeLessThan(250);
    expectNoTrouble();
  });
});
