// What only a look shows, in a real browser.
//
// @module-tag slow

import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { NO_BROWSER, openAs } from "./harness.js";
import { button } from "./people.js";

const { make, listening } = await testApp();

/** A style of an element as the browser computes it. */
const styleOf = (element: Locator, name: string): Promise<string> =>
  element.evaluate((one, property) => Reflect.get(Reflect.get(globalThis, "getComputedStyle")(one), property), name);

/** Red, green and blue of a colour. */
const sampleOf = (page: Page, colour: string): Promise<[number, number, number]> =>
  page.evaluate(`(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.fillStyle = ${JSON.stringify(colour)};
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  })()`);

describe.skipIf(chromiumPath === undefined)(`appearance${NO_BROWSER}`, async () => {
  const here = await listening();

  test("a table in Markdown has lines, and a label that is too long for its picker ends in an ellipsis", async () => {
    const description = "| What | Who |\n|---|---|\n| Roof | Ada |";
    const { owner, board, card } = await make.card({ description });
    const { label } = await make.label({ board, name: "A label as long as labels can be ".repeat(2).slice(0, 64) });
    const { page, expectNoTrouble } = await openAs(owner, `${here}/cards/${card.publicId}`);
    const cell = page.getByRole("cell", { name: "Roof" });
    expect(await styleOf(cell, "borderTopWidth")).toBe("1px");
    expect(await styleOf(cell, "borderTopStyle")).toBe("solid");
    await button(page, "Labels").click();
    const chip = page.getByText(label.name.trim());
    expect(await styleOf(chip, "textOverflow")).toBe("ellipsis");
    // Only a block has an ellipsis.
    expect(await styleOf(chip, "display")).toBe("block");
    expectNoTrouble();
  });

  test.each(["light", "dark"] as const)(
    "the primary button gains colour under the pointer: %s",
    async (colorScheme) => {
      const { owner, workspace } = await make.workspace();
      const { page, expectNoTrouble } = await openAs(owner, `${here}/settings/workspaces/${workspace.publicId}`);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const save = button(page, "Save");
      const colour = async () => {
        const [red, green, blue] = await sampleOf(page, await styleOf(save, "backgroundColor"));
        return Math.max(red, green, blue) - Math.min(red, green, blue);
      };
      const before = await colour();
      await save.hover();
      await expect.poll(colour).toBeGreaterThan(before * 1.5);
      expectNoTrouble();
    },
  );
});
