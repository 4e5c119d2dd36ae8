// The archived cards of a board, on the page.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, openBoard } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { button } from "./people.js";

const testing = await testApp();
const { as, make, listening } = testing;

describe.skipIf(chromiumPath === undefined)(`archived cards${NO_BROWSER}`, async () => {
  const here = await listening();

  test("archived cards are listed in pages, restored to their list, and deleted for good after a question", async () => {
    const { admin, board, list, ids, stored } = await boardOfThree(testing);
    const cardPublicIds = [ids.A, ids.B];
    for (let index = 1; index <= 50; index += 1) {
      cardPublicIds.push((await make.card({ list, title: `Old ${index}` })).card.publicId);
    }
    ok(await as(admin).post("/cards/bulk/archive", { cardPublicIds }));
    const { page, look, expectNoTrouble } = await openBoard(here, admin, board);
    await button(page, "Board menu").click();
    await page.getByRole("menuitem", { name: "Archived cards…" }).click();
    const dialog = page.getByRole("dialog", { name: "Archived cards" });
    const all = dialog.getByRole("listitem");
    await expect.poll(() => all.count()).toBe(50);
    await look("archive");
    await dialog.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => all.count()).toBe(52);
    await dialog.getByRole("button", { name: "Restore A" }).click();
    await expect.poll(stored).toMatchObject({ Ideas: ["C", "A"] });
    await expect.poll(() => all.count()).toBe(51);
    await dialog.getByRole("button", { name: "Delete B" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => all.count()).toBe(50);
    expect((await as(admin).get(`/cards/${ids.B}`)).status).toBeGreaterThanOrEqual(400);
    expectNoTrouble();
  });
});
