// The page under a finger, on a phone.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { announced, boardOfThree, cardNamed, titlesIn } from "./boards.js";
import { NO_BROWSER, openOnPhone } from "./harness.js";
import { button } from "./people.js";
import { fingersOn, LONG_PRESS_MS, pointOn } from "./pointers.js";

const testing = await testApp();
const { as, listening } = testing;

describe.skipIf(chromiumPath === undefined)(`by touch${NO_BROWSER}`, async () => {
  const here = await listening();

  test("the button of a card's menu is seen before it is pressed, and what opens shows no caps of keys", async () => {
    const { admin, board, ids } = await boardOfThree(testing);
    const { page, look, expectNoTrouble } = await openOnPhone(admin, `${here}/boards/${board.publicId}`);
    await cardNamed(page, "A").waitFor();
    expect(
      await page.evaluate('getComputedStyle(document.querySelector("li > div:has(> [aria-haspopup])")).opacity'),
    ).toBe("1");
    await look("touch-board");
    await button(page, "Actions for A").tap();
    await page.getByRole("menuitem", { name: "Complete" }).waitFor();
    expect(await page.locator("kbd:visible").count()).toBe(0);
    await page.getByRole("menuitem", { name: "Complete" }).tap();
    await page.getByRole("status", { name: "Last change" }).getByRole("button", { name: "Undo" }).waitFor();
    expect(await page.locator("kbd:visible").count()).toBe(0);
    await expect
      .poll(async () => ok(await as(admin).get<{ completedAt: string | null }>(`/cards/${ids.A}`)).completedAt)
      .not.toBeNull();
    expectNoTrouble();
  });

  test("cards are added and the field is closed by buttons, and the field keeps the focus", async () => {
    const { admin, board, stored } = await boardOfThree(testing);
    const { page, look, expectNoTrouble } = await openOnPhone(admin, `${here}/boards/${board.publicId}`);
    await button(page, "Add a card to Ideas").tap();
    const field = page.getByRole("textbox", { name: "Title of the new card" });
    await field.fill("One");
    expect(await page.locator("kbd:visible").count()).toBe(0);
    await look("touch-compose");
    await button(page, "Add").tap();
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["A", "B", "C", "One"]);
    await page.keyboard.type("Two");
    await button(page, "Add").tap();
    await expect.poll(async () => (await stored()).Ideas).toEqual(["A", "B", "C", "One", "Two"]);
    await button(page, "Close").tap();
    await field.waitFor({ state: "detached" });
    expectNoTrouble();
  });

  test("a card that is held at an edge brings one list, on which the board stays", async () => {
    const { admin, board, stored } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openOnPhone(admin, `${here}/boards/${board.publicId}`);
    const fingers = await fingersOn(page);
    const a = await pointOn(cardNamed(page, "A"));
    await fingers.down(a);
    await page.waitForTimeout(LONG_PRESS_MS);
    await fingers.move({ x: 384, y: a.y });
    const next = page.getByRole("region", { name: "Next" });
    const expectNext = () => expect.poll(async () => Math.abs((await next.boundingBox())?.x ?? 99)).toBeLessThan(2);
    await expectNext();
    await fingers.move({ x: 200, y: a.y });
    await announced(page, "1 of 1 in Next");
    await expectNext();
    await fingers.up();
    await expect.poll(async () => (await stored()).Next).toEqual(["A"]);
    expectNoTrouble();
  });
});
