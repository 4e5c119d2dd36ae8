// Keys on layouts of other languages, in a real browser.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardNamed, openBoard, titlesIn } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { type LayoutKey, pressOn } from "./typing.js";

const testing = await testApp();

/** The characters of layouts on the keys K, N, E, A and Z and on the full stop of a Latin keyboard. */
const LAYOUTS: Record<string, Record<"k" | "n" | "e" | "a" | "z" | "stop", LayoutKey>> = Object.fromEntries(
  Object.entries({ Russian: "лтуфяю", Greek: "κνεαζ.", Hebrew: "למקשזץ", Arabic: "نىثشئز" }).map(
    ([layout, [...keys]]) => {
      const on = (index: number, code: string): LayoutKey => [keys[index] ?? "", code];
      const letters = { k: on(0, "KeyK"), n: on(1, "KeyN"), e: on(2, "KeyE"), a: on(3, "KeyA"), z: on(4, "KeyZ") };
      return [layout, { ...letters, stop: on(5, "Period") }];
    },
  ),
);

const search = (page: Page) => page.getByRole("dialog", { name: "Search and commands" });
const newCard = (page: Page) => page.getByRole("textbox", { name: "Title of the new card" });
const title = (page: Page) => page.getByRole("textbox", { name: "Title", exact: true });
const menu = (page: Page) => page.getByRole("menu");

describe.skipIf(chromiumPath === undefined)(`keys on other layouts${NO_BROWSER}`, async () => {
  const here = await testing.listening();

  test.each(Object.entries(LAYOUTS))(
    "%s: a key acts by its place where the layout has no Latin letter",
    async (_, on) => {
      const { admin, board } = await boardOfThree(testing);
      const { page, expectNoTrouble } = await openBoard(here, admin, board);
      await pressOn(page, on.k, "ctrl");
      await search(page).waitFor();
      await page.keyboard.press("Escape");
      await search(page).waitFor({ state: "detached" });
      for (const [key, opened] of [
        [on.n, newCard(page)],
        [on.e, title(page)],
        [on.stop, menu(page)],
      ] as const) {
        await cardNamed(page, "A").focus();
        await pressOn(page, key);
        await opened.waitFor();
        await page.keyboard.press("Escape");
        await opened.waitFor({ state: "detached" });
      }
      await cardNamed(page, "A").focus();
      await pressOn(page, on.a);
      await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["B", "C"]);
      await pressOn(page, on.z, "ctrl");
      await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["A", "B", "C"]);
      expectNoTrouble();
    },
  );

  test("on a layout with Latin letters a key acts by its character: A of a French keyboard, and signs on keys that elsewhere have letters", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    await cardNamed(page, "A").focus();
    // Dvorak has the full stop on E, French the question mark on M.
    await pressOn(page, [".", "KeyE"]);
    await menu(page).waitFor();
    await page.keyboard.press("Escape");
    await menu(page).waitFor({ state: "detached" });
    await pressOn(page, ["?", "KeyM"], "shift");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await cardNamed(page, "A").focus();
    await pressOn(page, ["a", "KeyQ"]);
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["B", "C"]);
    expectNoTrouble();
  });
});
