// Names that are edited in their place, in a real browser.
//
// @module-tag slow

import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { openBoard } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { button } from "./people.js";

const { make, listening } = await testApp();

describe.skipIf(chromiumPath === undefined)(`a name that is edited in its place${NO_BROWSER}`, async () => {
  const here = await listening();

  /** By how many pixels the text of a field is larger than the field. */
  const cutOff = (field: Locator) =>
    field.evaluate((one) => {
      const sizeOf = (name: string) => Number(Reflect.get(one, name));
      return Math.max(sizeOf("scrollWidth") - sizeOf("clientWidth"), sizeOf("scrollHeight") - sizeOf("clientHeight"));
    });

  test("is shown whole: of a list, a board, a card, a checklist and an item", async () => {
    const { owner, board } = await make.board({ name: "Doing" });
    const { list } = await make.list({ board, name: "Doing" });
    const { card } = await make.card({ list, title: "Doing" });
    const { checklist } = await make.checklist({ card, name: "Doing" });
    await make.item({ checklist, title: "Doing" });
    const { page, look, expectNoTrouble } = await openBoard(here, owner, board);
    const fieldNamed = (name: string) => page.getByRole("textbox", { name, exact: true });
    await page.getByRole("heading", { level: 2 }).getByRole("button", { name: "Doing" }).click();
    await fieldNamed("Name of the list").waitFor();
    await look("renaming-list");
    for (const typed of ["", "Doing what", "Wird gerade gemacht von uns"]) {
      if (typed !== "") await fieldNamed("Name of the list").fill(typed);
      expect(await cutOff(fieldNamed("Name of the list")), typed).toBe(0);
    }
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 1 }).getByRole("button", { name: "Doing" }).click();
    await fieldNamed("Name of the board").waitFor();
    await look("renaming-board");
    expect(await cutOff(fieldNamed("Name of the board"))).toBe(0);
    await page.keyboard.press("Escape");
    await page.goto(`${here}/cards/${card.publicId}`);
    const dialog = page.getByRole("dialog", { name: "Doing" });
    await dialog.waitFor();
    expect(await cutOff(fieldNamed("Title"))).toBe(0);
    const checklists = dialog.getByRole("region", { name: "Doing" });
    await checklists.getByRole("heading").getByRole("button", { name: "Doing" }).click();
    await look("renaming-checklist");
    expect(await cutOff(checklists.locator("textarea"))).toBe(0);
    await page.keyboard.press("Escape");
    await button(page, "Actions for Doing").last().click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    expect(await cutOff(checklists.locator("textarea"))).toBe(0);
    expectNoTrouble();
  });
});
