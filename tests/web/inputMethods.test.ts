// Typing by an input method, as for Japanese and Chinese: the keys that choose and take a word are none of the page's.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { NO_BROWSER, openAs } from "./harness.js";
import { button } from "./people.js";
import { compose, ORDERS } from "./typing.js";

const { as, make, listening } = await testApp();

const fieldNamed = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });

describe.skipIf(chromiumPath === undefined)(`input methods${NO_BROWSER}`, async () => {
  const here = await listening();

  /** Fields in which Enter or Escape acts: the path of their page, how they are opened, their name, and what stands in them. */
  function fieldsOf(
    board: string,
    card: string,
    workspace: string,
  ): [string, (page: Page) => Promise<void>, string, string?][] {
    const focus = (name: string) => (page: Page) => fieldNamed(page, name).focus();
    const click = (name: string) => (page: Page) => button(page, name).click();
    const press = (key: string, on: string) => (page: Page) =>
      page.getByRole("listitem").getByRole("link", { name: on }).press(key);
    return [
      [`/boards/${board}`, click("Add a card to Ideas"), "Title of the new card"],
      [`/boards/${board}`, press("e", "A"), "Title"],
      [`/boards/${board}`, click("Add a list"), "Name of the new list"],
      [`/boards/${board}`, click("Ideas"), "Name of the list"],
      [`/cards/${card}`, focus("Title"), "Title"],
      [`/cards/${card}`, click("Add item to Steps"), "New item of Steps"],
      [`/cards/${card}`, click("Steps"), "Name of the checklist"],
      [`/cards/${card}`, focus("Write a comment"), "Write a comment"],
      [`/cards/${card}`, focus("Write a comment"), "Write a comment", "@"],
      ["/", click(`New board in ${workspace}`), "Name of the new board"],
      [`/settings/boards/${board}/labels`, focus("Name of Bug"), "Name of Bug"],
    ];
  }

  test("the keys that choose and take a word of an input method choose nothing in the search, which stays open", async () => {
    const { owner } = await make.board({ name: "かんばん" });
    await make.board({ workspace: (await make.board()).workspace });
    const { page, expectNoTrouble } = await openAs(owner, here);
    for (const order of ORDERS) {
      await page.keyboard.press("Control+k");
      const field = page.getByRole("combobox", { name: "Search cards, boards and actions" });
      await field.fill("");
      await compose(page, "かん", "ArrowDown", order);
      await page.getByRole("option", { name: /^かんばん/, selected: true }).waitFor();
      await compose(page, "ばん", "Enter", order);
      await compose(page, "", "Escape", order);
      expect(await field.inputValue(), order).toBe("かんばん");
      await page.keyboard.press("Escape");
      await expect.poll(() => field.count()).toBe(0);
    }
    expect(new URL(page.url()).pathname).toBe("/");
    expectNoTrouble();
  });

  test("Enter and Escape of an input method leave every field open, and nothing is stored before a key of the page", {
    timeout: 180_000,
  }, async () => {
    const { owner, workspace, board, list } = await make.list({ name: "Ideas" });
    const { card } = await make.card({ list, title: "A" });
    await make.checklist({ card, name: "Steps" });
    await make.label({ board, name: "Bug" });
    // Mentions are offered for what is composed.
    ok(await as(owner).put("/users/me", { name: "看板かんばん" }));
    // In UTC, the page has no time zone to set.
    const { page, expectNoTrouble } = await openAs(owner, here, { timezoneId: "UTC" });
    const changes: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET" && !request.url().endsWith("/board.opened")) changes.push(request.url());
    });
    for (const [path, openField, name, before = ""] of fieldsOf(board.publicId, card.publicId, workspace.name)) {
      for (const order of ORDERS) {
        await page.goto(here + path);
        await openField(page);
        const field = fieldNamed(page, name);
        await field.fill(before);
        await compose(page, "看板", "Escape", order);
        await compose(page, "かんばん", "Enter", order);
        const typed = `${before}看板かんばん`;
        expect(await field.inputValue(), `${name}, ${order}`).toBe(typed);
        expect(await page.evaluate("document.activeElement.value"), `${name}, ${order}`).toBe(typed);
      }
    }
    expect(changes).toEqual([]);
    expectNoTrouble();
  });
});
