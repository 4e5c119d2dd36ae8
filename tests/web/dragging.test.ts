// Dragging cards and lists on the page by mouse and by touch.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Board, ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { announced, boardOfThree, cardNamed, cardsIn, listNames, openBoard, titlesIn } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { button, heading } from "./people.js";
import { dragOver, fingersOn, grab, LONG_PRESS_MS, pointOn } from "./pointers.js";

const testing = await testApp();
const { as, make, listening } = testing;

const region = (page: Page, list: string) => page.getByRole("region", { name: list, exact: true });
const headOf = (page: Page, list: string) => region(page, list).getByRole("heading", { name: list });

describe.skipIf(chromiumPath === undefined)(`dragging${NO_BROWSER}`, async () => {
  const here = await listening();
  const open = (person: Person, board: Board) => openBoard(here, person, board);

  const aBoard = () => boardOfThree(testing);
  const BEGUN = { Ideas: ["A", "B", "C"], Next: [], Done: ["D"] };

  test("a card lands where the mouse drops it, each step is announced, it stays closed, and Ctrl+Z takes it back", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, look, expectNoTrouble } = await open(admin, board);
    await grab(page, cardNamed(page, "B"));
    await announced(page, "B picked up, 2 of 3 in Ideas");
    await dragOver(page, region(page, "Next"));
    await announced(page, "1 of 1 in Next");
    await dragOver(page, cardNamed(page, "D"), 0);
    await announced(page, "1 of 2 in Done");
    await dragOver(page, cardNamed(page, "D"), 1.2);
    await announced(page, "2 of 2 in Done");
    expect(await titlesIn(page, "Done")).toEqual(["D"]);
    await page.mouse.up();
    await announced(page, /^Dropped, /);
    expect(await titlesIn(page, "Done")).toEqual(["D", "B"]);
    await expect.poll(stored).toEqual({ Ideas: ["A", "C"], Next: [], Done: ["D", "B"] });
    expect(new URL(page.url()).pathname).toBe(`/boards/${board.publicId}`);
    await page.keyboard.press("Control+z");
    await expect.poll(stored).toEqual(BEGUN);
    await grab(page, cardNamed(page, "A"));
    await dragOver(page, cardNamed(page, "D"), 0.1);
    await look("dragging");
    await page.mouse.up();
    await cardNamed(page, "C").click();
    await page.getByRole("dialog", { name: "C" }).waitFor();
    expectNoTrouble();
  });

  test("a card moves within its list, and one that is dropped where it was changes nothing", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await grab(page, cardNamed(page, "A"));
    await dragOver(page, region(page, "Ideas"));
    await announced(page, "3 of 3 in Ideas");
    await page.mouse.up();
    await expect.poll(stored).toMatchObject({ Ideas: ["B", "C", "A"] });
    await grab(page, cardNamed(page, "C"));
    await dragOver(page, cardNamed(page, "B"), 0.1);
    await announced(page, "1 of 3 in Ideas");
    await dragOver(page, cardNamed(page, "C"));
    await announced(page, "2 of 3 in Ideas");
    await page.mouse.up();
    await announced(page, /^Dropped, /);
    await page.getByRole("status", { name: "Last change" }).getByText("Moved").waitFor();
    expect(await stored()).toMatchObject({ Ideas: ["B", "C", "A"] });
    expectNoTrouble();
  });

  test("Escape, and a drop outside of the board, put a card back", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await grab(page, cardNamed(page, "A"));
    await dragOver(page, cardNamed(page, "D"), 0);
    await announced(page, "1 of 2 in Done");
    await page.keyboard.press("Escape");
    await announced(page, "Put back");
    await page.mouse.up();
    await grab(page, cardNamed(page, "B"));
    await dragOver(page, heading(page, board.name));
    await announced(page, "back to its place");
    await page.mouse.up();
    await announced(page, "Put back");
    expect(await titlesIn(page, "Ideas")).toEqual(BEGUN.Ideas);
    expect(await stored()).toEqual(BEGUN);
    expect(new URL(page.url()).pathname).toBe(`/boards/${board.publicId}`);
    expectNoTrouble();
  });

  test("the right button drags nothing", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await cardNamed(page, "B").hover();
    await page.mouse.down({ button: "right" });
    await dragOver(page, cardNamed(page, "D"), 0.1);
    await page.mouse.up({ button: "right" });
    expect(
      await page
        .locator("[data-announcements]")
        .getByText(/picked up|Moved/)
        .count(),
    ).toBe(0);
    expect(await stored()).toEqual(BEGUN);
    expectNoTrouble();
  });

  test("a list is dragged by its head, and taken back", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, look, expectNoTrouble } = await open(admin, board);
    await grab(page, headOf(page, "Done"));
    await announced(page, "Done picked up, 3 of 3");
    await dragOver(page, headOf(page, "Ideas"), 0.5);
    await announced(page, "1 of 3");
    await look("dragging-list");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.mouse.up();
    await announced(page, /^Dropped, /);
    expect(await listNames(page)).toEqual(["Done", "Ideas", "Next"]);
    await expect.poll(async () => Object.keys(await stored())).toEqual(["Done", "Ideas", "Next"]);
    await button(page, "Undo").click();
    await expect.poll(async () => Object.keys(await stored())).toEqual(["Ideas", "Next", "Done"]);
    await headOf(page, "Next").getByRole("button").click();
    await page.getByRole("textbox", { name: "Name of the list" }).waitFor();
    expectNoTrouble();
  });

  test("a finger drags after a long press, and a second finger neither drags nor cancels", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    const fingers = await fingersOn(page);
    const [a, c, d] = [
      await pointOn(cardNamed(page, "A")),
      await pointOn(cardNamed(page, "C")),
      await pointOn(cardNamed(page, "D"), 0),
    ];
    await fingers.down(a);
    await page.waitForTimeout(LONG_PRESS_MS);
    await announced(page, "A picked up, 1 of 3 in Ideas");
    await fingers.move(d);
    await announced(page, "1 of 2 in Done");
    await fingers.down(d, c);
    await page.waitForTimeout(LONG_PRESS_MS);
    const e = { x: c.x + 300, y: c.y };
    await fingers.move(d, e);
    await fingers.up(d);
    expect(await titlesIn(page, "Ideas")).toEqual(BEGUN.Ideas);
    await fingers.up();
    await announced(page, /^Dropped, /);
    await expect.poll(stored).toEqual({ Ideas: ["B", "C"], Next: [], Done: ["A", "D"] });
    expect(new URL(page.url()).pathname).toBe(`/boards/${board.publicId}`);
    expectNoTrouble();
  });

  test("a swipe over cards scrolls the board, and a tap opens a card", async () => {
    const { admin, board, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await page.setViewportSize({ width: 390, height: 844 });
    const fingers = await fingersOn(page);
    const b = await pointOn(cardNamed(page, "B"));
    await fingers.down({ x: 300, y: b.y });
    await fingers.move({ x: 40, y: b.y });
    await fingers.up();
    await expect.poll(async () => (await headOf(page, "Ideas").boundingBox())?.x).toBeLessThan(-100);
    // The board may still be on its way to the list at which it stops.
    await expect.poll(async () => (await pointOn(button(page, "Add a card to Next"))).x).toBeGreaterThan(0);
    expect(await stored()).toEqual(BEGUN);
    // Twice, because lists stop one at a time.
    await fingers.down({ x: 300, y: 300 });
    await fingers.move({ x: 40, y: 300 });
    await fingers.up();
    await cardNamed(page, "D").scrollIntoViewIfNeeded();
    await fingers.down(await pointOn(cardNamed(page, "D")));
    await fingers.up();
    await page.getByRole("dialog", { name: "D" }).waitFor();
    expectNoTrouble();
  });

  test("at the edges the board scrolls sideways and a list down, on a phone too", async () => {
    const { admin, board, list, stored } = await aBoard();
    for (let index = 1; index <= 20; index += 1) await make.card({ list, title: `Filler ${index}` });
    const { page, expectNoTrouble } = await open(admin, board);
    await page.setViewportSize({ width: 390, height: 844 });
    const fingers = await fingersOn(page);
    const a = await pointOn(cardNamed(page, "A"));
    await fingers.down(a);
    await page.waitForTimeout(LONG_PRESS_MS);
    const { y: bottom } = await pointOn(button(page, "Add a card to Ideas"), 0);
    await fingers.move({ x: a.x, y: bottom - 8 });
    await announced(page, "23 of 23 in Ideas");
    await fingers.move({ x: 384, y: 400 });
    await announced(page, "2 of 2 in Done");
    await fingers.up();
    await expect.poll(stored).toMatchObject({ Done: ["D", "A"] });
    expectNoTrouble();
  });

  test("the wheel scrolls the list below what is dragged", async () => {
    const { admin, board, list, stored } = await aBoard();
    for (let index = 1; index <= 20; index += 1) await make.card({ list, title: `Filler ${index}` });
    const { page, expectNoTrouble } = await open(admin, board);
    await grab(page, cardNamed(page, "D"));
    await dragOver(page, cardNamed(page, "B"), 0.1);
    await announced(page, "2 of 24 in Ideas");
    await page.mouse.wheel(0, 10_000);
    await announced(page, /^1\d of 24 in Ideas$/);
    await page.mouse.up();
    await expect.poll(async () => (await stored()).Ideas?.indexOf("D")).toBeGreaterThan(8);
    expectNoTrouble();
  });

  test("changes of others go on below what is dragged, and it lands beside the cards that it was dropped between", async () => {
    const { admin, board, ids, list, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await grab(page, cardNamed(page, "D"));
    await dragOver(page, cardNamed(page, "C"), 0.1);
    await announced(page, "3 of 4 in Ideas");
    await as(admin).put(`/cards/${ids.A}`, { title: "Renamed" });
    ok(await as(admin).post("/cards", { listPublicId: list.publicId, title: "First", index: 0 }));
    await cardNamed(page, "Renamed").waitFor();
    await cardNamed(page, "First").waitFor();
    await dragOver(page, cardNamed(page, "C"), 0.1);
    await page.mouse.up();
    await expect.poll(stored).toMatchObject({ Ideas: expect.arrayContaining(["B", "D", "C"]), Done: [] });
    const ideas = (await stored()).Ideas ?? [];
    expect(ideas.slice(ideas.indexOf("B"), ideas.indexOf("B") + 3)).toEqual(["B", "D", "C"]);
    expectNoTrouble();
  });

  test("a card that is deleted while it is dragged ends the drag", async () => {
    const { admin, board, ids, stored } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await grab(page, cardNamed(page, "B"));
    await dragOver(page, cardNamed(page, "D"), 0);
    ok(await as(admin).delete(`/cards/${ids.B}`));
    await announced(page, "Put back");
    await page.mouse.up();
    expect(await stored()).toEqual({ ...BEGUN, Ideas: ["A", "C"] });
    await grab(page, cardNamed(page, "A"));
    await dragOver(page, cardNamed(page, "D"), 0);
    await page.mouse.up();
    await expect.poll(stored).toEqual({ Ideas: ["C"], Next: [], Done: ["A", "D"] });
    expectNoTrouble();
  });

  test("a board that is taken away while a card is dragged ends the drag", async () => {
    const { admin, board, workspace, stored } = await aBoard();
    const member = await make.member(board, "member");
    const { page } = await open(member, board);
    await grab(page, cardNamed(page, "B"));
    await dragOver(page, cardNamed(page, "D"), 0);
    ok(await as(admin).delete(`/workspaces/${workspace.publicId}/members/${member.memberPublicId}`));
    await heading(page, "This board is not available").waitFor();
    await page.mouse.up();
    expect(await page.evaluate("document.documentElement.className")).toBe("");
    expect(await stored()).toEqual(BEGUN);
  });

  test("a guest drags nothing", async () => {
    const { board, stored } = await aBoard();
    const guest = await make.member(board, "guest");
    const { page } = await open(guest, board);
    for (const thing of [cardNamed(page, "A"), headOf(page, "Ideas")]) {
      await grab(page, thing);
      await dragOver(page, cardsIn(page, "Done"), 0.5);
      await page.mouse.up();
    }
    expect(await titlesIn(page, "Ideas")).toEqual(BEGUN.Ideas);
    expect(await stored()).toEqual(BEGUN);
  });
});
