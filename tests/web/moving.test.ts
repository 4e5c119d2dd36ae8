// Moving cards and lists on the page without a pointer: by keys, by the menu, and back again.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Board, ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import {
  announced,
  boardOfThree,
  cardNamed,
  cardsIn,
  connection,
  listNames,
  openBoard,
  storedLists,
  titlesIn,
} from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { answer, button } from "./people.js";

const testing = await testApp();
const { as, make, listening } = testing;

const lastChange = (page: Page) => page.getByRole("status", { name: "Last change" });
const focusedText = (page: Page) => page.evaluate("document.activeElement.textContent");

describe.skipIf(chromiumPath === undefined)(`moving${NO_BROWSER}`, async () => {
  const here = await listening();
  const open = (person: Person, board: Board) => openBoard(here, person, board);

  const aBoard = () => boardOfThree(testing);

  test("Space picks a card up, arrows move it over all lists, Space drops it, and each step is announced", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await cardNamed(page, "B").focus();
    await page.keyboard.press(" ");
    await announced(page, "B picked up, 2 of 3 in Ideas. Arrows move it, Space drops it, Escape puts it back");
    for (const [key, said] of [
      ["ArrowDown", "3 of 3 in Ideas"],
      ["ArrowDown", "Last in Ideas"],
      ["ArrowRight", "1 of 1 in Next"],
      ["ArrowUp", "First in Next"],
      ["ArrowRight", "1 of 2 in Done"],
      ["ArrowDown", "2 of 2 in Done"],
    ] as const) {
      await page.keyboard.press(key);
      await announced(page, said);
      expect(await focusedText(page)).toBe("B");
    }
    expect(await stored()).toMatchObject({ Ideas: ["A", "B", "C"] });
    await page.keyboard.press(" ");
    await announced(page, "Dropped, 2 of 2 in Done. Ctrl+Z takes it back");
    await expect.poll(stored).toEqual({ Ideas: ["A", "C"], Next: [], Done: ["D", "B"] });
    expect(await focusedText(page)).toBe("B");
    expectNoTrouble();
  });

  test("a card that is picked up by a key looks picked up, and the key line says which keys move and drop it", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, look, expectNoTrouble } = await openBoard(here, admin, board);
    const tilt = () => page.evaluate('getComputedStyle(document.activeElement.closest("li")).rotate');
    await cardNamed(page, "A").focus();
    expect(await tilt()).toBe("none");
    await page.keyboard.press("Space");
    const line = page.getByRole("note", { name: "Keys for the card that is picked up" });
    for (const text of ["Move it", "Drop it", "Put it back"]) await line.getByText(text).waitFor();
    expect(await tilt()).not.toBe("none");
    await page.keyboard.press("ArrowDown");
    await look("picked-up");
    await page.keyboard.press("Space");
    await page.getByRole("note", { name: "Keys for the focused card" }).getByText("Rename").waitFor();
    expect(await tilt()).toBe("none");
    expectNoTrouble();
  });

  test("Escape puts a card that was picked up back, and nothing is changed", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await cardNamed(page, "B").focus();
    for (const key of [" ", "ArrowRight", "ArrowRight", "Escape"]) await page.keyboard.press(key);
    await announced(page, "Put back");
    expect(await titlesIn(page, "Ideas")).toEqual(["A", "B", "C"]);
    expect(await focusedText(page)).toBe("B");
    expect(await stored()).toEqual({ Ideas: ["A", "B", "C"], Next: [], Done: ["D"] });
    expectNoTrouble();
  });

  test("a card that was picked up is put back when the focus leaves it, and the keys act on the next one", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await cardNamed(page, "B").focus();
    for (const key of [" ", "ArrowRight"]) await page.keyboard.press(key);
    await announced(page, "1 of 1 in Next");
    await page.getByRole("heading", { name: board.name, level: 1 }).click({ position: { x: 1, y: 1 } });
    await announced(page, "Put back");
    expect(await titlesIn(page, "Ideas")).toEqual(["A", "B", "C"]);
    await page.keyboard.press("Escape");
    await cardNamed(page, "A").focus();
    await page.keyboard.press("ArrowDown");
    expect(await focusedText(page)).toBe("B");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "B", exact: true }).waitFor();
    expect(await stored()).toEqual({ Ideas: ["A", "B", "C"], Next: [], Done: ["D"] });
    expectNoTrouble();
  });

  test("Alt and the arrows move the card that has the focus, which stays on it however fast they come", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await cardNamed(page, "A").focus();
    for (const key of ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp"]) {
      await page.keyboard.press(`Alt+${key}`);
    }
    await announced(page, "Moved A, 1 of 2 in Done. Ctrl+Z takes it back");
    expect(await titlesIn(page, "Done")).toEqual(["A", "D"]);
    await expect.poll(stored).toEqual({ Ideas: ["B", "C"], Next: [], Done: ["A", "D"] });
    expect(await focusedText(page)).toBe("A");
    expect(new URL(page.url()).pathname).toBe(`/boards/${board.publicId}`);
    expectNoTrouble();
  });

  test("by Move… in the menu, or M, a card goes to a list and a position", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, look, expectNoTrouble } = await open(admin, board);
    await cardNamed(page, "A").hover();
    await button(page, "Actions for A").click();
    await page.getByRole("menuitem", { name: "Move…" }).click();
    const dialog = page.getByRole("dialog", { name: "Move “A”" });
    await look("move-dialog");
    await dialog.getByLabel("List").selectOption("Done");
    await dialog.getByLabel("Position").selectOption("1, at the top");
    await button(page, "Move").click();
    await announced(page, "Moved A, 1 of 2 in Done. Ctrl+Z takes it back");
    await expect.poll(stored).toEqual({ Ideas: ["B", "C"], Next: [], Done: ["A", "D"] });
    await expect.poll(() => focusedText(page)).toBe("A");
    await page.keyboard.press("m");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => focusedText(page)).toBe("A");
    expectNoTrouble();
  });

  test("by Move… a card goes to a position on another board of the workspace", async () => {
    const { admin, board, workspace, stored } = await aBoard();
    const other = (await make.board({ workspace, name: "Elsewhere" })).board;
    const { list } = await make.list({ board: other, name: "There" });
    for (const title of ["X", "Y"]) await make.card({ list, title });
    const { page, expectNoTrouble } = await open(admin, board);
    await cardNamed(page, "A").focus();
    await page.keyboard.press("m");
    const dialog = page.getByRole("dialog", { name: "Move “A”" });
    await dialog.getByLabel("Board").selectOption("Elsewhere");
    await dialog.getByLabel("Position").selectOption("2");
    await button(page, "Move").click();
    await announced(page, "Moved A, 2 of 3 in There. Ctrl+Z takes it back");
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["B", "C"]);
    await expect.poll(() => focusedText(page)).toBe("B");
    await expect.poll(() => storedLists(testing, admin, other)).toEqual({ There: ["X", "A", "Y"] });
    await button(page, "Undo").click();
    await expect.poll(stored).toMatchObject({ Ideas: ["A", "B", "C"] });
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["A", "B", "C"]);
    await cardNamed(page, "B").click();
    await page.getByRole("dialog", { name: "B", exact: true }).waitFor();
    await page.keyboard.press("m");
    const moveB = page.getByRole("dialog", { name: "Move “B”" });
    await moveB.getByLabel("List").selectOption("Done");
    await button(page, "Move").click();
    await announced(page, "Moved B, 2 of 2 in Done. Ctrl+Z takes it back");
    await page.keyboard.press("m");
    await moveB.getByLabel("Board").selectOption("Elsewhere");
    await button(page, "Move").click();
    await announced(page, "Moved B, 3 of 3 in There. Ctrl+Z takes it back");
    await expect.poll(() => page.evaluate("document.activeElement.closest('[role=dialog]') !== null")).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => focusedText(page)).toBe("D");
    expectNoTrouble();
  });

  test("a list moves by its menu and by Alt and the arrows, and is deleted after it asked", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await button(page, "Actions for Done").click();
    await page.getByRole("menuitem", { name: "Move left" }).click();
    await announced(page, "Moved Done, 2 of 3. Ctrl+Z takes it back");
    await expect.poll(async () => Object.keys(await stored())).toEqual(["Ideas", "Done", "Next"]);
    await button(page, "Actions for Done").focus();
    await page.keyboard.press("Alt+ArrowLeft");
    await expect.poll(async () => Object.keys(await stored())).toEqual(["Done", "Ideas", "Next"]);
    expect(await listNames(page)).toEqual(["Done", "Ideas", "Next"]);
    await button(page, "Undo").click();
    await expect.poll(async () => Object.keys(await stored())).toEqual(["Ideas", "Next", "Done"]);
    await button(page, "Actions for Done").click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await answer(page, "Delete");
    await expect.poll(stored).toEqual({ Ideas: ["A", "B", "C"], Next: [] });
    expectNoTrouble();
  });

  test("the last list moves no further", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await button(page, "Actions for Done").focus();
    await page.keyboard.press("Alt+ArrowRight");
    await announced(page, "Last list");
    await button(page, "Actions for Ideas").focus();
    await page.keyboard.press("Alt+ArrowLeft");
    await announced(page, "First list");
    expect(await lastChange(page).textContent()).toBe("");
    expect(Object.keys(await stored())).toEqual(["Ideas", "Next", "Done"]);
    expectNoTrouble();
  });

  test("what the service refuses is not offered to be taken back, and anything else is offered for 8 seconds", async () => {
    const { admin, board } = await aBoard();
    const { page } = await open(admin, board);
    await page.clock.install();
    await page.route("**/card.update**", (route) => {
      const data = { code: "BAD_REQUEST", httpStatus: 400, issues: [] };
      return route.fulfill({ status: 400, json: { error: { code: -32600, message: "Not now", data } } });
    });
    await cardNamed(page, "A").focus();
    await page.keyboard.press("c");
    await page.getByRole("alert").getByText("A: Not now").waitFor();
    expect(await lastChange(page).textContent()).toBe("");
    await page.unrouteAll();
    await page.keyboard.press("c");
    await lastChange(page)
      .getByText(/^Completed /)
      .waitFor();
    await page.clock.fastForward(8000);
    await expect.poll(() => lastChange(page).textContent()).toBe("");
  });

  test("a move, an archive and a completion are taken back, the latest first, by the button and by Ctrl+Z", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, look, expectNoTrouble } = await open(admin, board);
    await cardNamed(page, "C").focus();
    await page.keyboard.press("Alt+ArrowRight");
    await cardNamed(page, "B").focus();
    await page.keyboard.press("c");
    await lastChange(page)
      .getByText(/^Completed /)
      .waitFor();
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await lastChange(page)
      .getByText(/^Archived /)
      .waitFor();
    await look("undo");
    await expect.poll(stored).toEqual({ Ideas: ["A"], Next: ["C"], Done: ["D"] });
    await button(page, "Undo").click();
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["A", "B"]);
    await expect.poll(stored).toMatchObject({ Ideas: ["A", "B"] });
    await page.keyboard.press("Control+z");
    await lastChange(page).getByText("Moved C to Next", { exact: true }).waitFor();
    await page.keyboard.press("Control+z");
    await expect.poll(stored).toEqual({ Ideas: ["A", "B", "C"], Next: [], Done: ["D"] });
    const { lists } = ok(
      await as(admin).get<{ lists: { cards: { completedAt: string | null }[] }[] }>(`/boards/${board.publicId}`),
    );
    expect(lists.flatMap(({ cards }) => cards.map(({ completedAt }) => completedAt))).toEqual([null, null, null, null]);
    await expect.poll(() => lastChange(page).textContent()).toBe("");
    expectNoTrouble();
  });

  test("labels and people that were put on a card are taken off again, over the open card", async () => {
    const { admin, board } = await aBoard();
    ok(await as(admin).post("/labels", { boardPublicId: board.publicId, name: "Bug", colourCode: "#e5484d" }));
    const { page, expectNoTrouble } = await open(admin, board);
    await cardNamed(page, "A").click();
    await button(page, "Labels").click();
    await page.getByRole("checkbox", { name: "Bug" }).check();
    await lastChange(page)
      .getByText(/^Put Bug on /)
      .waitFor();
    await page.keyboard.press("Control+z");
    await expect.poll(() => page.getByRole("checkbox", { name: "Bug" }).isChecked()).toBe(false);
    await page.keyboard.press("Escape");
    await button(page, "People").click();
    await page.getByRole("checkbox").first().check();
    await lastChange(page)
      .getByText(/^Assigned /)
      .waitFor();
    await page.keyboard.press("Escape");
    await button(page, "Undo").click();
    await page.getByText("Nobody", { exact: true }).waitFor();
    expectNoTrouble();
  });

  test("offline, an archived card is back at its place at once when it is taken back", async () => {
    const { admin, board, stored } = await aBoard();
    const { page } = await open(admin, board);
    await page.context().setOffline(true);
    await connection(page).getByText("Offline, 0 waiting").waitFor();
    await cardNamed(page, "A").focus();
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["B", "C"]);
    await button(page, "Undo").click();
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["A", "B", "C"]);
    await page.context().setOffline(false);
    await connection(page).getByText("Live", { exact: true }).waitFor();
    await expect.poll(stored, { timeout: 10_000 }).toMatchObject({ Ideas: ["A", "B", "C"] });
    await expect.poll(() => cardsIn(page, "Ideas").getByRole("link").count()).toBe(3);
  });

  test("a guest is offered no move", async () => {
    const { board } = await aBoard();
    const guest = await make.member(board, "guest");
    const { page } = await open(guest, board);
    await cardNamed(page, "A").focus();
    await page.keyboard.press("m");
    for (const key of [" ", "ArrowRight"]) await page.keyboard.press(key);
    expect(await titlesIn(page, "Ideas")).toEqual(["A", "B", "C"]);
    expect(
      await page
        .locator("[data-announcements]")
        .getByText(/picked up|Moved/)
        .count(),
    ).toBe(0);
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: "Open" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Move…" }).count()).toBe(0);
  });
});
