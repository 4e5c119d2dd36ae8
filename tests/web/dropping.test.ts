// Files that are dropped on the page, by a real browser.
//
// @module-tag slow

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { openBoard } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { button } from "./people.js";

const { make, listening } = await testApp();

describe.skipIf(chromiumPath === undefined)(`a dropped file${NO_BROWSER}`, async () => {
  const here = await listening();

  test("does not replace the page, whatever it is dropped on", async () => {
    const { owner, board } = await make.list({ name: "Ideas" });
    const { page } = await openBoard(here, owner, board);
    await button(page, "Add a card to Ideas").click();
    await page.keyboard.type("Half a title");
    const devices = await page.context().newCDPSession(page);
    const field = page.getByRole("textbox", { name: "Title of the new card" });
    for (const box of [await field.boundingBox(), await page.getByRole("heading", { level: 1 }).boundingBox()]) {
      const point = { x: (box?.x ?? 0) + 5, y: (box?.y ?? 0) + 5 };
      const data = { items: [], files: [fileURLToPath(import.meta.url)], dragOperationsMask: 1 };
      for (const type of ["dragEnter", "dragOver", "drop"] as const) {
        await devices.send("Input.dispatchDragEvent", { type, ...point, data });
      }
    }
    await page.keyboard.type(", then the rest");
    expect(page.url()).toBe(`${here}/boards/${board.publicId}`);
    expect(page.context().pages()).toHaveLength(1);
    expect(await field.inputValue()).toBe("Half a title, then the rest");
  });
});
