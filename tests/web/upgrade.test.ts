// A page that outlives what it shows: a file of the page is gone, the board is taken away.
//
// @module-tag slow

import { describe, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardsIn, openBoard } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { button, heading } from "./people.js";

const testing = await testApp();
const { as, listening } = testing;

describe.skipIf(chromiumPath === undefined)(`an old page${NO_BROWSER}`, async () => {
  const here = await listening();

  test("says so if a part of it cannot be loaded, and tries again", { timeout: 90_000 }, async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    await page.route("**/assets/KeyList*.js", (route) => route.abort());
    await page.keyboard.press("?");
    await page.getByRole("alert").getByText("could not be loaded").waitFor();
    await page.unrouteAll();
    await button(page, "Try again").click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await cardsIn(page, "Ideas").getByRole("link", { name: "A" }).waitFor();
    expectNoTrouble();
  });

  test("whose board is taken away while a card is dragged says so, and so it does while a card is open", {
    timeout: 90_000,
  }, async () => {
    for (const isOpen of [false, true]) {
      const { admin, board } = await boardOfThree(testing);
      const { page, expectNoTrouble } = await openBoard(here, admin, board);
      const card = cardsIn(page, "Ideas").getByRole("link", { name: "A" });
      if (isOpen) {
        await card.click();
        await page.getByRole("dialog", { name: "A", exact: true }).waitFor();
      } else {
        await card.hover();
        await page.mouse.down();
        await page.mouse.move(500, 300, { steps: 4 });
      }
      ok(await as(admin).delete(`/boards/${board.publicId}`));
      await heading(page, "This board is not available").waitFor();
      await page.mouse.up();
      await page.getByRole("main").getByRole("link", { name: "All boards" }).click();
      await heading(page, "Boards").waitFor();
      expectNoTrouble();
    }
  });
});
