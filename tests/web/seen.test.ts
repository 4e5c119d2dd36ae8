// What is seen where colours are forced, on a phone, and on a screen of which little is left.
//
// @module-tag slow

import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardNamed, openBoard } from "./boards.js";
import { NO_BROWSER, openAs, openOnPhone } from "./harness.js";
import { button } from "./people.js";

const testing = await testApp();
const { as, listening, make } = testing;

/** Its pixels, which do not move. */
const pixelsOf = async (part: Locator) => (await part.screenshot({ animations: "disabled" })).toString("base64");

const dialog = (page: Page) => page.getByRole("dialog").first();

async function cardWithItem() {
  const { card, owner } = await make.card({ title: "Sail" });
  const checklist = ok(
    await as(owner).post<{ publicId: string }>(`/cards/${card.publicId}/checklists`, { name: "Before" }),
  );
  ok(await as(owner).post(`/checklists/${checklist.publicId}/items`, { title: "Hoist" }));
  return { card, owner };
}

describe.skipIf(chromiumPath === undefined)(`seen${NO_BROWSER}`, async () => {
  const here = await listening();

  test.each(["light", "dark"] as const)(
    "with forced colours, %s: boxes, halves and fields have an edge, and what is on, or has the focus, looks otherwise",
    async (colorScheme) => {
      const { card, owner } = await cardWithItem();
      const { page, expectNoTrouble } = await openAs(owner, `${here}/cards/${card.publicId}`);
      await page.emulateMedia({ forcedColors: "active", colorScheme, reducedMotion: "reduce" });
      const box = page.getByRole("checkbox", { name: "Hoist" });
      await box.waitFor();
      const edge = page.evaluate(`getComputedStyle(document.querySelector("input[type=checkbox]")).borderTopWidth`);
      expect(Number.parseFloat(String(await edge))).toBeGreaterThan(0);
      const off = await pixelsOf(box);
      await box.check();
      await page.mouse.move(0, 0);
      expect(await pixelsOf(box)).not.toBe(off);
      const comments = button(page, "Comments");
      const notPressed = await pixelsOf(comments);
      await comments.click();
      await page.mouse.move(0, 0);
      expect(await pixelsOf(comments)).not.toBe(notPressed);
      const field = page.getByRole("textbox", { name: "Write a comment" });
      const unfocused = await pixelsOf(field);
      await field.focus();
      expect(await pixelsOf(field)).not.toBe(unfocused);
      expectNoTrouble();
    },
  );

  test("with forced colours a selected card looks otherwise", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page } = await openBoard(here, admin, board);
    await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
    const card = cardNamed(page, "A").locator("xpath=ancestor::li");
    await cardNamed(page, "A").focus();
    const before = await pixelsOf(card);
    await page.keyboard.press("x");
    await expect.poll(() => pixelsOf(card)).not.toBe(before);
  });

  test("fields on a phone are written in at least 16 px, upright and across, so that it does not zoom into them", async () => {
    const { card, owner } = await cardWithItem();
    const { page } = await openOnPhone(owner, `${here}/cards/${card.publicId}`);
    const sizes = () =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll("input:not([type=checkbox], [type=radio]), textarea, select")]
          .map((field) => Number.parseFloat(getComputedStyle(field).fontSize))`,
      );
    await page.getByRole("button", { name: /^Add.* item/ }).tap();
    for (const size of [
      { width: 390, height: 844 },
      { width: 844, height: 390 },
    ]) {
      await page.setViewportSize(size);
      const found = await sizes();
      expect(found.length).toBeGreaterThan(1);
      expect(Math.min(...found)).toBeGreaterThanOrEqual(16);
    }
  });

  test("the keyboard of a phone that is drawn over the page covers nothing of an open card", async () => {
    const { card, owner } = await cardWithItem();
    const { page } = await openOnPhone(owner, `${here}/cards/${card.publicId}`);
    await dialog(page).waitFor();
    // The keyboard of Safari, which Chromium does not have.
    await page.evaluate(
      `Object.defineProperty(visualViewport, "height", { value: innerHeight - 300 });
      visualViewport.dispatchEvent(new Event("resize"));`,
    );
    await expect
      .poll(async () => {
        const { y = 0, height = 0 } = (await dialog(page).boundingBox()) ?? {};
        return y + height;
      })
      .toBeLessThanOrEqual(844 - 300);
  });

  test("on a low screen, and at 400 %, the header scrolls away, and the lists have the screen", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    for (const size of [
      { width: 844, height: 390 },
      { width: 320, height: 256 },
    ]) {
      await page.setViewportSize(size);
      await page.evaluate("scrollTo(0, 0); scrollTo(0, 48)");
      const { y = 0, height = 0 } = (await page.getByRole("heading", { level: 1 }).boundingBox()) ?? {};
      expect(y + height).toBeLessThanOrEqual(0);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await expect.poll(() => cardNamed(page, "A").isVisible()).toBe(true);
    }
    expectNoTrouble();
  });
});
