// The checklists of an open card, and what can be done with the card as a whole, in real browsers.
//
// @module-tag slow

import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Card, ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { cardsIn, titlesIn } from "./boards.js";
import { NO_BROWSER, openAs } from "./harness.js";
import { answer, button } from "./people.js";

interface StoredCard {
  checklists: { name: string; items: { title: string; completed: boolean }[] }[];
}

const { as, make, listening } = await testApp();

const dialog = (page: Page, title: string) => page.getByRole("dialog", { name: title, exact: true });
const item = (page: Page, title: string) => page.getByRole("checkbox", { name: title, exact: true });
const hasFocus = (one: Locator) =>
  one.evaluate((element) => element === Reflect.get(Reflect.get(globalThis, "document"), "activeElement"));
const choose = async (page: Page, of: string, action: string) => {
  await button(page, `Actions for ${of}`).click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
};

describe.skipIf(chromiumPath === undefined)(`checklists${NO_BROWSER}`, async () => {
  const here = await listening();

  async function open(person: Person, { publicId, title }: { publicId: string; title: string }) {
    const tab = await openAs(person, `${here}/cards/${publicId}`);
    await dialog(tab.page, title).waitFor();
    return tab;
  }

  /** The checklists as the service has them: done items are marked. */
  async function stored(person: Person, { publicId }: Pick<Card, "publicId">): Promise<Record<string, string[]>> {
    const { checklists } = ok(await as(person).get<StoredCard>(`/cards/${publicId}`));
    return Object.fromEntries(
      checklists.map(({ name, items }) => [
        name,
        items.map(({ title, completed }) => (completed ? `${title} ✓` : title)),
      ]),
    );
  }

  test("a checklist is made, filled, ticked, ordered, renamed and emptied by keyboard alone, and another person sees it at once", {
    timeout: 90_000,
  }, async () => {
    const { owner, board, list, card } = await make.card({ title: "A card" });
    const { page, look, expectNoTrouble } = await open(owner, { publicId: card.publicId, title: "A card" });
    const other = await open(await make.member(board, "member"), { publicId: card.publicId, title: "A card" });
    await button(page, "Add checklist").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "New item of Checklist" }).waitFor();
    await page.keyboard.type("One");
    await page.keyboard.press("Enter");
    // What is typed right behind Enter is the next item.
    await page.keyboard.type("Two");
    await page.keyboard.press("Enter");
    await page.keyboard.insertText("Three\nFour");
    await page.keyboard.press("Enter");
    await item(page, "Four").waitFor();
    await page.keyboard.press("Escape");
    await dialog(page, "A card").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Add item to Checklist");
    await item(page, "One").focus();
    await page.keyboard.press("Space");
    await page.getByRole("img", { name: "1 of 4 done" }).first().waitFor();

    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Rename" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Title of the item" }).waitFor();
    await page.keyboard.type("First");
    await page.keyboard.press("Enter");
    await item(page, "First").waitFor();
    await expect.poll(() => hasFocus(item(page, "First"))).toBe(true);

    await page.getByRole("heading", { level: 2, name: "Checklist" }).getByRole("button").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("Before the switch");
    await page.keyboard.press("Enter");
    await choose(page, "Four", "Move up");
    await choose(page, "Two", "Delete");
    await answer(page, "Cancel");
    await item(page, "Two").waitFor();
    await choose(page, "Two", "Delete");
    await answer(page, "Delete");
    await item(page, "Two").waitFor({ state: "detached" });
    await expect.poll(() => stored(owner, card)).toEqual({ "Before the switch": ["First ✓", "Four", "Three"] });

    const seen = other.page.getByRole("region", { name: "Before the switch" });
    await expect.poll(() => seen.getByRole("listitem").allTextContents()).toEqual(["First", "Four", "Three"]);
    expect(await item(other.page, "First").isChecked()).toBe(true);
    await item(other.page, "Four").check();
    await page.getByText("2 of 3", { exact: true }).waitFor();
    await button(page, "Hide done").click();
    await item(page, "Four").waitFor({ state: "detached" });
    await button(page, "Hide done").click();
    await look("checklists");
    await page.keyboard.press("Escape");
    await cardsIn(page, list.name).getByRole("img", { name: "2 of 3 done" }).waitFor();

    await button(other.page, "Delete the checklist Before the switch").click();
    await answer(other.page, "Delete");
    await seen.waitFor({ state: "detached" });
    await cardsIn(page, list.name).getByRole("img", { name: "2 of 3 done" }).waitFor({ state: "detached" });
    expect(await stored(owner, card)).toEqual({});
    for (const tab of [{ expectNoTrouble }, other]) tab.expectNoTrouble();
  });

  test("items of more lines than changes may wait stay in their field", { timeout: 90_000 }, async () => {
    const { owner, card } = await make.card({ title: "A card" });
    await make.checklist({ card, name: "Packing" });
    const { page } = await open(owner, { publicId: card.publicId, title: "A card" });
    await button(page, "Add item to Packing").click();
    await page.context().setOffline(true);
    const lines = Array.from({ length: 502 }, (_, index) => `Line ${index + 1}`);
    const field = page.getByRole("textbox", { name: "New item of Packing" });
    await field.fill(lines.join("\n"));
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("Add these lines later").waitFor();
    await dialog(page, "A card").getByRole("textbox", { name: "Title" }).first().focus();
    expect(await field.inputValue()).toBe("Line 501\nLine 502");
  });

  test("a guest sees what is done, and is offered no change of it", async () => {
    const { owner, board, card } = await make.card({ title: "A card" });
    const { publicId } = ok(
      await as(owner).post<{ publicId: string }>(`/cards/${card.publicId}/checklists`, { name: "Steps" }),
    );
    ok(await as(owner).post(`/checklists/${publicId}/items`, { title: "One" }));
    const { page } = await open(await make.member(board, "guest"), { publicId: card.publicId, title: "A card" });
    await item(page, "One").waitFor();
    expect(await item(page, "One").isDisabled()).toBe(true);
    for (const name of ["Add checklist", "Add item to Steps", "Actions for One", "Actions for A card"])
      expect(await button(page, name).count(), name).toBe(0);
  });

  test("an open card is moved, copied, archived, restored and deleted by its menu", async () => {
    const { owner, board, list, card } = await make.card({ title: "A card" });
    await make.list({ board, name: "Elsewhere" });
    const { page, look, expectNoTrouble } = await open(owner, { publicId: card.publicId, title: "A card" });
    await choose(page, "A card", "Move…");
    // The card below is dimmed.
    expect(await page.evaluate("document.elementFromPoint(innerWidth / 2, 40)?.className")).toBe("scrim");
    await look("move-over-card");
    await page.getByRole("combobox", { name: "List" }).selectOption("Elsewhere");
    await button(page, "Move").click();
    await expect.poll(() => hasFocus(button(page, "Actions for A card"))).toBe(true);
    await choose(page, "A card", "Copy");
    await dialog(page, "A card (copy)").waitFor();
    await choose(page, "A card (copy)", "Archive");
    await page.getByText("This card is archived.").waitFor();
    await choose(page, "A card (copy)", "Restore");
    await page.getByText("This card is archived.").waitFor({ state: "detached" });
    await choose(page, "A card (copy)", "Delete");
    await look("question");
    await answer(page, "Cancel");
    await dialog(page, "A card (copy)").waitFor();
    await choose(page, "A card (copy)", "Delete");
    await answer(page, "Delete");
    await dialog(page, "A card (copy)").waitFor({ state: "detached" });
    await expect.poll(() => titlesIn(page, "Elsewhere")).toEqual(["A card"]);
    expect(await titlesIn(page, list.name)).toEqual([]);
    expectNoTrouble();
  });
});
