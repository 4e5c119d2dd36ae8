// Fields that are as high as their text, in a real browser: also in one that cannot do so by styles alone.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { cardNamed } from "./boards.js";
import { NO_BROWSER, openAs } from "./harness.js";
import { button } from "./people.js";

const { listening, make } = await testApp();

const LINES = ["One", "Two", "Three", "Four"].join("\n");
const LONG = "A title that goes on and on ".repeat(20).trim();

/** Takes `field-sizing` from a browser, as Safari before 26.2 has none. */
const WITHOUT = `
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { field-sizing: fixed !important; }");
  document.adoptedStyleSheets.push(sheet);
  const supports = CSS.supports.bind(CSS);
  CSS.supports = (...of) => of[0] !== "field-sizing" && supports(...of);`;

/** How much of its text the field with the focus hides, in CSS pixels, and how many lines of it there is room for. */
const room = (page: Page) =>
  page.evaluate<{ hidden: number; lines: number }>(`(() => {
    const { clientHeight, scrollHeight } = document.activeElement;
    const lines = Math.floor(clientHeight / parseFloat(getComputedStyle(document.activeElement).lineHeight));
    return { hidden: scrollHeight - clientHeight, lines };
  })()`);

describe.skipIf(chromiumPath === undefined)(`a field${NO_BROWSER}`, async () => {
  const here = await listening();

  test.each([
    ["that grows by its style", ""],
    ["in a browser without field-sizing", WITHOUT],
  ])("shows all of its text, and is as low as the rest of it: %s", async (_, init) => {
    const { owner: admin, board, list } = await make.list({ name: "Ideas" });
    await make.list({ board, name: "Next" });
    const { card: made } = await make.card({ list, title: LONG, description: LINES });
    await make.checklist({ card: made, name: "Steps" });
    const { page, expectNoTrouble } = await openAs(admin, `${here}/boards/${board.publicId}`);
    await page.addInitScript(init);
    await page.reload();
    expect(await page.evaluate("CSS.supports('field-sizing', 'content')")).toBe(init === "");

    const expectRoom = async (least: number, most: number) => {
      const { hidden, lines } = await room(page);
      expect(hidden).toBe(0);
      expect(lines).toBeGreaterThanOrEqual(least);
      expect(lines).toBeLessThanOrEqual(most);
    };
    // A new card, which is empty again once its lines were taken.
    await button(page, "Add a card to Next").click();
    await expectRoom(1, 1);
    await page.evaluate(`document.execCommand("insertText", false, ${JSON.stringify(LINES)})`);
    await expectRoom(4, 4);
    await page.keyboard.press("Enter");
    await cardNamed(page, "Four").waitFor();
    await expectRoom(1, 1);
    await page.keyboard.press("Escape");
    // A title on the board, and in a narrower window.
    await cardNamed(page, "A title").focus();
    await page.keyboard.press("e");
    await expectRoom(14, 24);
    await page.keyboard.press("Escape");

    await cardNamed(page, "A title").press("Enter");
    const card = page.getByRole("dialog");
    const title = card.getByRole("textbox", { name: "Title" });
    await title.focus();
    const { lines: wide } = await room(page);
    await expectRoom(4, 11);
    await page.setViewportSize({ width: 740, height: 900 });
    await expect.poll(async () => (await room(page)).lines).toBeGreaterThan(wide);
    await expectRoom(wide + 1, 24);
    await title.fill("Short");
    await expectRoom(1, 1);

    await card.getByRole("button", { name: "Edit description" }).click();
    await expectRoom(4, 8);
    await page.keyboard.press("Escape");
    const comment = card.getByRole("textbox", { name: "Write a comment" });
    await comment.fill(LINES);
    await comment.focus();
    await expectRoom(4, 4);
    await page.keyboard.press("Control+Enter");
    await card.getByRole("article").waitFor();
    await expectRoom(1, 1);

    await card.getByRole("button", { name: "Add item to Steps" }).click();
    await page.evaluate(`document.execCommand("insertText", false, ${JSON.stringify(LINES)})`);
    await expectRoom(4, 4);
    await page.keyboard.press("Enter");
    await card.getByRole("checkbox", { name: "Four" }).waitFor();
    await expectRoom(1, 3);
    expectNoTrouble();
  });
});
