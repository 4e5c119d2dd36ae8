// A page that outlives what it shows: the service is upgraded, a file of the page is gone, the board is taken away.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardsIn, openBoard, titlesIn } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { button, heading } from "./people.js";

const testing = await testApp();
const { as, listening } = testing;

const turn = (state: "hidden" | "visible") =>
  `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));`;
const HIDE = turn("hidden");

describe.skipIf(chromiumPath === undefined)(`an old page${NO_BROWSER}`, async () => {
  const here = await listening();

  test("is loaded anew after an upgrade once it is hidden, and not while something is typed, sent or shown that would be lost", {
    timeout: 90_000,
  }, async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page } = await openBoard(here, admin, board);
    await page.route("**/trpc/card.create*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), "service-version": "0.1.999" } });
    });
    await page.evaluate("globalThis.isOld = true");
    await button(page, "Add a card to Next").click();
    await page.keyboard.type("New\nHalf a title");
    await expect.poll(() => titlesIn(page, "Next")).toEqual(["New"]);
    // A page that is younger than 10 s is not loaded anew.
    await expect.poll(() => page.evaluate<number>("performance.now()"), { timeout: 20_000 }).toBeGreaterThan(10_000);
    const expectToStay = async () => {
      await page.evaluate(HIDE);
      await page.waitForTimeout(500);
      expect(await page.evaluate("globalThis.isOld")).toBe(true);
      await page.evaluate(turn("visible"));
    };
    const goTo = (path: string) => page.evaluate(`history.pushState(null, "", "${path}")`);
    await expectToStay();
    await page.getByRole("textbox", { name: "Title of the new card" }).fill("");

    await goTo(`/import/${board.workspace.publicId}`);
    await page
      .getByLabel("Choose a file")
      .setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from("Title\nA") });
    await button(page, "Trial run").waitFor();
    await expectToStay();

    await goTo("/settings/account/tokens");
    await page.getByLabel("Name", { exact: true }).fill("A script");
    await button(page, "Make the token").click();
    await button(page, "Copy the token").waitFor();
    await expectToStay();

    await goTo("/");
    let answer = () => {};
    await page.route("**/trpc/workspace.create*", async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    });
    await button(page, "New workspace").click();
    await page.keyboard.type("Slow\n");
    await page.keyboard.press("Escape");
    await expectToStay();
    await goTo(`/boards/${board.publicId}`);
    answer();
    const isOld = () => page.evaluate(`${HIDE} globalThis.isOld`).catch(() => true);
    await expect.poll(isOld).toBe(undefined);
    await expect.poll(() => titlesIn(page, "Next")).toEqual(["New"]);
  });

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
