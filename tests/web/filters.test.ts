// The filter of a board, which stands in its address.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { cardNamed, cardsIn, connection, openBoard, storedLists, titlesIn } from "./boards.js";
import { NO_BROWSER, openAs } from "./harness.js";
import { button } from "./people.js";
import { dragOver, grab } from "./pointers.js";

const testing = await testApp();
const { as, make, listening } = testing;

const count = (page: Page) => page.getByRole("status", { name: "Shown cards" });
const panel = (page: Page) => page.getByRole("dialog", { name: "Filter the cards" });
const checkbox = (page: Page, name: string) => panel(page).getByRole("checkbox", { name, exact: true });
const queryOf = (page: Page) => new URL(page.url()).search;

/** A board whose list "Ideas" has A, C and D with the label "Bug" and B without it between them; D is the owner's. */
async function aBoard() {
  const { owner, board, list } = await make.list({ name: "Ideas" });
  const { label } = await make.label({ board, name: "Bug" });
  const { me } = ok(await as(owner).get<{ me: { memberPublicId: string } }>(`/boards/${board.publicId}`));
  const bug = { labelPublicIds: [label.publicId] };
  const yesterday = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  await make.card({ list, title: "A", dueDate: yesterday, ...bug });
  await make.card({ list, title: "B", description: "A straße in the text" });
  await make.card({ list, title: "C", ...bug });
  await make.card({ list, title: "D", memberPublicIds: [me.memberPublicId], ...bug });
  const next = (await make.list({ board, name: "Next" })).list;
  await make.card({ list: next, title: "E" });
  const stored = async () => (await storedLists(testing, owner, board)).Ideas;
  return { owner, board, label, stored };
}

describe.skipIf(chromiumPath === undefined)(`filters${NO_BROWSER}`, async () => {
  const here = await listening();
  const open = (person: Person, board: { publicId: string; name: string }) => openBoard(here, person, board);

  test("a filter by label, person, due date and text is in the address: back, forward, reload, a card and a copied link keep it", async () => {
    const { owner, board, label } = await aBoard();
    const member = await make.member(board, "member");
    const { page, look, expectNoTrouble } = await open(owner, board);
    await page.keyboard.press("f");
    await checkbox(page, "Bug").check();
    await count(page).getByText("3 of 5 cards").waitFor();
    await look("filter-panel");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press("Escape");
    await panel(page).waitFor({ state: "detached" });
    expect(await titlesIn(page, "Ideas")).toEqual(["A", "C", "D"]);
    expect(await titlesIn(page, "Next")).toEqual([]);
    await page.getByRole("region", { name: "Ideas" }).getByText("3 of 4").waitFor();
    const places = await cardsIn(page, "Ideas")
      .getByRole("listitem")
      .evaluateAll((all) => all.map((one) => [Reflect.get(one, "ariaPosInSet"), Reflect.get(one, "ariaSetSize")]));
    expect(places).toEqual([
      ["1", "4"],
      ["3", "4"],
      ["4", "4"],
    ]);
    expect(queryOf(page)).toBe(`?label=${label.publicId}`);
    await page.keyboard.press("q");
    await count(page).getByText("1 of 5 cards").waitFor();
    const copied = page.url();
    await page.reload();
    await count(page).getByText("1 of 5 cards").waitFor();
    await page.goBack();
    await count(page).getByText("3 of 5 cards").waitFor();
    await page.goForward();
    await count(page).getByText("1 of 5 cards").waitFor();
    await cardNamed(page, "D").click();
    await page.getByRole("dialog", { name: "D" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "D" }).waitFor({ state: "detached" });
    expect(await titlesIn(page, "Ideas")).toEqual(["D"]);
    const theirs = await openAs(member, copied);
    await connection(theirs.page).getByText("Live", { exact: true }).waitFor();
    expect(await titlesIn(theirs.page, "Ideas")).toEqual(["D"]);
    await button(page, "Remove the filter by person").click();
    await button(page, "Remove the filter by label").click();
    await count(page).waitFor({ state: "detached" });
    expect(queryOf(page)).toBe("");
    await page.keyboard.press("/");
    await panel(page).getByRole("searchbox", { name: "Find on this board" }).fill("STRASSE");
    await count(page).getByText("0 of 5 cards").waitFor();
    await panel(page).getByRole("searchbox").fill("straß text");
    await count(page).getByText("1 of 5 cards").waitFor();
    await page.keyboard.press("Escape");
    // All that was typed is one step.
    await page.goBack();
    await count(page).waitFor({ state: "detached" });
    await page.goForward();
    await count(page).getByText("1 of 5 cards").waitFor();
    await button(page, "Clear").click();
    await button(page, "Filter").click();
    await checkbox(page, "Overdue").check();
    await count(page).getByText("1 of 5 cards").waitFor();
    await checkbox(page, "Nobody").check();
    await checkbox(page, "No date").check();
    await count(page).getByText("4 of 5 cards").waitFor();
    for (const tab of [{ expectNoTrouble }, theirs]) tab.expectNoTrouble();
  });

  test("cards are walked and moved among those that are shown, and a new one stays in sight until the filter changes", async () => {
    const { owner, board, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(owner, board);
    await page.keyboard.press("f");
    await checkbox(page, "Bug").check();
    await page.keyboard.press("Escape");
    await cardNamed(page, "A").click();
    for (const [key, title] of [
      ["j", "C"],
      ["k", "A"],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole("dialog", { name: title, exact: true }).waitFor();
    }
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await cardNamed(page, "A").focus();
    await page.keyboard.press("ArrowDown");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("C");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(stored).toEqual(["B", "C", "A", "D"]);
    await page.keyboard.press(" ");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press(" ");
    await expect.poll(stored).toEqual(["B", "A", "C", "D"]);
    await grab(page, cardNamed(page, "D"));
    await dragOver(page, cardNamed(page, "A"), 0);
    await page.mouse.up();
    await expect.poll(stored).toEqual(["B", "D", "A", "C"]);
    // Dropped between its neighbours, it stays where it is.
    await grab(page, cardNamed(page, "D"));
    await page.mouse.up();
    await button(page, "Add a card to Ideas").click();
    await page.keyboard.type("New\n");
    await expect.poll(stored).toEqual(["B", "D", "A", "C", "New"]);
    await page.keyboard.press("Escape");
    expect(await titlesIn(page, "Ideas")).toEqual(["D", "A", "C", "New"]);
    await page.keyboard.press("q");
    await count(page).getByText("1 of 6 cards").waitFor();
    await button(page, "Clear").click();
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["B", "D", "A", "C", "New"]);
    expectNoTrouble();
  });

  test("by due date, a card that is done is not overdue, and the next 7 days begin today", async () => {
    const { owner, board, list } = await make.list({ name: "Ideas" });
    for (const [title, dueDate] of Object.entries({
      Late: "2026-12-08",
      Done: "2026-12-08",
      Today: "2026-12-10",
      Sixth: "2026-12-16",
      Seventh: "2026-12-17",
    })) {
      const { card } = await make.card({ list, title, dueDate });
      if (title === "Done") ok(await as(owner).put(`/cards/${card.publicId}`, { completed: true }));
    }
    await make.card({ list, title: "Some day" });
    const { page, expectNoTrouble } = await open(owner, board);
    await page.clock.setFixedTime("2026-12-10T11:00:00Z");
    for (const [due, titles] of Object.entries({
      Overdue: ["Late"],
      Today: ["Today"],
      "Next 7 days": ["Today", "Sixth"],
      "No date": ["Some day"],
    })) {
      await button(page, "Filter").click();
      await checkbox(page, due).check();
      await expect.poll(() => titlesIn(page, "Ideas"), { message: due }).toEqual(titles);
      await checkbox(page, due).uncheck();
      await page.keyboard.press("Escape");
    }
    expectNoTrouble();
  });

  test("Q shows one's own cards alone, and all of them again; a text is found also if its field is left at once", async () => {
    const { owner, board } = await aBoard();
    const { page, expectNoTrouble } = await open(owner, board);
    await page.keyboard.press("q");
    await count(page).getByText("1 of 5 cards").waitFor();
    await page.keyboard.press("q");
    await count(page).waitFor({ state: "detached" });
    await page.keyboard.press("/");
    await panel(page).getByRole("searchbox").focus();
    // Both within the pause after which typing changes the address.
    await page.evaluate("document.execCommand('insertText', false, 'stra'); document.activeElement.blur()");
    await count(page).getByText("1 of 5 cards").waitFor();
    expectNoTrouble();
  });
});
