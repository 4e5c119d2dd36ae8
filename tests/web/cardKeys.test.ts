// The keys of a card, and its menu, which names each of them.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardNamed, openBoard, titlesIn } from "./boards.js";
import { LAN_HOST, NO_BROWSER } from "./harness.js";

const testing = await testApp();
const { as, listening, make } = testing;

interface StoredCard {
  labels: { name: string }[];
  members: object[];
  dueDate: string | null;
}

describe.skipIf(chromiumPath === undefined)(`the keys of a card${NO_BROWSER}`, async () => {
  const here = await listening();

  test("L, P, I and D change its labels, its people and its due date on the board, and the focus comes back to it", async () => {
    const { admin, board, ids } = await boardOfThree(testing);
    await make.label({ board, name: "Bug" });
    const { page, look, expectNoTrouble } = await openBoard(`http://${LAN_HOST}:${new URL(here).port}`, admin, board);
    const stored = async () => ok(await as(admin).get<StoredCard>(`/cards/${ids.A}`));
    const hasFocus = () => expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("A");
    await cardNamed(page, "A").focus();
    await page.keyboard.press("l");
    await page.getByRole("dialog", { name: "Labels" }).getByRole("checkbox", { name: "Bug" }).check();
    await look("card-picker");
    await page.keyboard.press("Escape");
    await hasFocus();
    await expect.poll(async () => (await stored()).labels.map(({ name }) => name)).toEqual(["Bug"]);
    await page.keyboard.press("i");
    await expect.poll(async () => (await stored()).members.length).toBe(1);
    await page.keyboard.press("p");
    await page.getByRole("dialog", { name: "People" }).getByRole("checkbox").first().uncheck();
    await page.keyboard.press("Escape");
    await expect.poll(async () => (await stored()).members.length).toBe(0);
    await hasFocus();
    await page.keyboard.press("d");
    await page.getByRole("dialog", { name: "Due date" }).getByRole("button", { name: "Tomorrow" }).click();
    await expect.poll(async () => (await stored()).dueDate).not.toBeNull();
    await hasFocus();
    expectNoTrouble();
  });

  test("its menu offers all that can be done with it; A archives it, and the next one has the focus", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    await cardNamed(page, "A").focus();
    await page.keyboard.press(".");
    const entries = await page.getByRole("menuitem").allTextContents();
    expect(entries.map((text) => text.replace(/(?:Enter|(?<=[a-z….])[A-Z])$/, ""))).toEqual([
      ...["Open", "Rename", "Move…", "Labels…", "People…", "Due date…", "Complete"],
      ...["Copy link", "Select", "Archive", "Delete"],
    ]);
    await page.getByRole("menuitem", { name: "Labels…" }).click();
    await page.getByRole("dialog", { name: "Labels" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("A");
    await page.keyboard.press("a");
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["B", "C"]);
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("B");
    expectNoTrouble();
  });

  test("J and K lead to the next card and back, N begins a new one, and an arrow key shows the key line until the mouse moves", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, look, expectNoTrouble } = await openBoard(here, admin, board);
    await page.keyboard.press("n");
    await page.getByRole("textbox", { name: "Title of the new card" }).waitFor();
    await page.keyboard.press("Escape");
    await cardNamed(page, "A").click();
    await page.getByRole("dialog", { name: "A" }).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("dialog", { name: "B" }).waitFor();
    await page.keyboard.press("k");
    await page.getByRole("dialog", { name: "A" }).waitFor();
    await page.keyboard.press("Escape");
    const line = page.getByRole("note", { name: "Keys for the focused card" });
    await cardNamed(page, "A").focus();
    expect(await line.count()).toBe(0);
    await page.keyboard.press("ArrowDown");
    await line.getByText("Labels…").waitFor();
    await look("key-line");
    await page.mouse.move(300, 300, { steps: 2 });
    await line.waitFor({ state: "detached" });
    expectNoTrouble();
  });
});
