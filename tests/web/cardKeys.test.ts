// The keys of a card, and its menu, which names each of them.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardNamed, isSideBarOpen, openBoard, titlesIn } from "./boards.js";
import { LAN_HOST, NO_BROWSER } from "./harness.js";
import { answer } from "./people.js";

const testing = await testApp();
const { as, listening, make } = testing;

interface StoredCard {
  labels: { name: string }[];
  members: object[];
  completedAt: string | null;
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
    await page.getByRole("menuitem").first().waitFor();
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

  test("an open card has the focus, which Tab keeps in it; its keys act on the card that J led to, which has the focus once it closes", async () => {
    const { admin, board, ids, stored } = await boardOfThree(testing);
    await make.label({ board, name: "Bug" });
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    const card = (title: string) => page.getByRole("dialog", { name: title, exact: true });
    const focusedIn = () => page.evaluate("document.activeElement.closest('[role=dialog], main')?.role");
    const storedCard = async (title: string) => ok(await as(admin).get<StoredCard>(`/cards/${ids[title]}`));
    await cardNamed(page, "A").focus();
    await page.keyboard.press("Enter");
    await card("A").waitFor();
    for (let step = 0; step < 30; step += 1) {
      await page.keyboard.press("Tab");
      await expect.poll(focusedIn).toBe("dialog");
    }
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await cardNamed(page, "A").click();
    await page.keyboard.press("j");
    await card("B").waitFor();
    await page.keyboard.press("c");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("i");
    await expect.poll(() => storedCard("B")).toMatchObject({ completedAt: expect.any(String), members: [{}] });
    await page.keyboard.press("l");
    await page.getByRole("dialog", { name: "Labels" }).getByRole("checkbox", { name: "Bug" }).check();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Labels" }).waitFor({ state: "detached" });
    await expect.poll(() => storedCard("B")).toMatchObject({ labels: [{ name: "Bug" }] });
    await page.keyboard.press("e");
    await page.keyboard.type("Beta");
    await page.keyboard.press("Enter");
    await card("Beta").waitFor();
    // The title keeps the focus.
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("m");
    await page.getByRole("dialog", { name: "Move “Beta”" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: "Archive" }).waitFor();
    await page.keyboard.press("Escape");
    for (const title of ["A", "C", "D"]) {
      expect(await storedCard(title)).toMatchObject({ completedAt: null, members: [], labels: [] });
    }
    await page.keyboard.press("a");
    await expect.poll(stored).toMatchObject({ Ideas: ["A", "C"] });
    await page.keyboard.press("Escape");
    await card("Beta").waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("C");
    expectNoTrouble();
  });

  test("the focus stays where it was: at the button when a field is given up, beside a card that left, and at the list without cards", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    const focusIsOn = (name: string) =>
      expect
        .poll(() => page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent"))
        .toBe(name);
    const choose = async (name: string) => {
      await page.keyboard.press(".");
      await page.getByRole("menuitem", { name }).click();
    };
    await cardNamed(page, "A").focus();
    await page.keyboard.press("n");
    await page.getByRole("textbox", { name: "Title of the new card" }).waitFor();
    await page.keyboard.press("Escape");
    await focusIsOn("Add a card to Ideas");
    await page.getByRole("button", { name: "Add a list" }).click();
    await page.keyboard.press("Escape");
    await focusIsOn("Add a list");
    await cardNamed(page, "A").focus();
    await choose("Rename");
    await page.getByRole("textbox", { name: "Title", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await focusIsOn("A");
    await choose("Delete");
    await answer(page, "Delete");
    await focusIsOn("B");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "B", exact: true }).waitFor();
    await choose("Delete");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await focusIsOn("C");
    await page.keyboard.press("a");
    await focusIsOn("Add a card to Ideas");
    expectNoTrouble();
  });

  test("arrow keys walk to a list without cards, too; N adds a card to the list that has the focus, and E renames it", async () => {
    const { admin, board, stored } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    const focusIsOn = (name: string) =>
      expect
        .poll(() => page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent"))
        .toBe(name);
    await cardNamed(page, "B").focus();
    await page.keyboard.press("ArrowRight");
    await focusIsOn("Add a card to Next");
    await page.keyboard.press("ArrowRight");
    await focusIsOn("D");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("n");
    await page.getByRole("textbox", { name: "Title of the new card" }).waitFor();
    await page.keyboard.type("E");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "Name of the list" }).waitFor();
    await page.keyboard.type("Soon");
    await page.keyboard.press("Enter");
    await expect.poll(stored).toEqual({ Ideas: ["A", "B", "C"], Soon: ["E"], Done: ["D"] });
    await focusIsOn("Soon");
    await page.keyboard.press("ArrowDown");
    await focusIsOn("E");
    expectNoTrouble();
  });

  test("Enter in a picker toggles the label or the person whose name begins so, and makes a label that is not there; Y says whether it copied the link", async () => {
    const { admin, board, ids } = await boardOfThree(testing);
    await make.label({ board, name: "Bug" });
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    const stored = async () => ok(await as(admin).get<StoredCard>(`/cards/${ids.A}`));
    await cardNamed(page, "A").focus();
    for (const [key, typed] of [
      ["l", "bu"],
      ["p", admin.name.slice(0, 4)],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole("dialog").getByRole("textbox").fill(typed);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
    }
    await expect
      .poll(stored)
      .toMatchObject({ labels: [{ name: "Bug" }], members: [expect.objectContaining({ name: admin.name })] });
    await page.keyboard.press("l");
    const find = page.getByRole("dialog").getByRole("textbox");
    await find.fill("bu");
    await page.getByRole("button", { name: "Make the label “bu”" }).click();
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Find or make a label");
    await find.fill("shop");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await expect
      .poll(async () => (await stored()).labels.map(({ name }) => name).sort())
      .toEqual(["Bug", "bu", "shop"]);
    await page.keyboard.press("y");
    await page.getByRole("status").getByText("Copied", { exact: true }).waitFor();
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden'))");
    await page.keyboard.press("y");
    await page.getByRole("status").getByText("The browser did not allow copying").waitFor();
    expectNoTrouble();
  });

  test("G then I opens the notifications while a card has the focus, and leaves the card as it is, unless I comes late", async () => {
    const { admin, board, ids } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    await cardNamed(page, "A").focus();
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await page.getByRole("heading", { name: "Notifications", level: 1 }).waitFor();
    expect(ok(await as(admin).get<StoredCard>(`/cards/${ids.A}`)).members).toEqual([]);
    await page.goBack();
    await cardNamed(page, "A").focus();
    await page.keyboard.press("g");
    await page.waitForTimeout(2000);
    await page.keyboard.press("i");
    await expect
      .poll(async () => ok(await as(admin).get<StoredCard>(`/cards/${ids.A}`)).members)
      .toMatchObject([{ name: admin.name }]);
    expectNoTrouble();
  });

  test("no key acts on what lies below the list of keys, which going back closes", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    await cardNamed(page, "A").click();
    await page.getByRole("dialog", { name: "A", exact: true }).waitFor();
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys", exact: true });
    await keys.waitFor();
    for (const key of ["s", "j", "g", "i"]) await page.keyboard.press(key);
    expect(await isSideBarOpen(page)).toBe(true);
    expect(await page.getByRole("dialog", { name: "A", exact: true }).count()).toBe(1);
    await page.goBack();
    await keys.waitFor({ state: "detached" });
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/boards/${board.publicId}`);
    await page.keyboard.press("Control+k");
    const search = page.getByRole("dialog", { name: "Search and commands" });
    await search.waitFor();
    await page.goForward();
    await search.waitFor({ state: "detached" });
    await page.getByRole("dialog", { name: "A", exact: true }).waitFor();
    expectNoTrouble();
  });
});
