// A board on the page, in real browsers: cards that are typed, renamed and walked by keyboard, and what others see of it.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { type Board, type List, ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardsIn, openBoard, storedLists, titlesIn } from "./boards.js";
import { LAN_HOST, NO_BROWSER, openAs } from "./harness.js";
import { answer, button, heading } from "./people.js";

const testing = await testApp();
const { as, make, listening } = testing;

const storedIn = async (person: Person, board: Board, list: string) =>
  (await storedLists(testing, person, board))[list];

describe.skipIf(chromiumPath === undefined)(`a board${NO_BROWSER}`, async () => {
  const here = await listening();

  const open = (person: Person, board: Board, origin = here) => openBoard(origin, person, board);

  /** A board with two lists: "Ideas" with cards A, B and C, and an empty "Done". */
  async function aBoard() {
    const { owner: admin, board, list } = await make.list({ name: "Ideas" });
    for (const title of ["A", "B", "C"]) await make.card({ list, title });
    ok(await as(admin).post("/lists", { name: "Done", boardPublicId: board.publicId }));
    return { admin, board, list };
  }

  test("Enter adds a card and keeps the field, several lines are several cards, and no letter typed after Enter is lost", async () => {
    const { admin, board } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await button(page, "Add a card to Done").click();
    await page.keyboard.type("one\ntwo\nthree\n", { delay: 0 });
    const field = page.getByRole("textbox", { name: "Title of the new card" });
    await field.fill("four\n\n  five  \n");
    await page.keyboard.press("Enter");
    await page.keyboard.type("six");
    await page.keyboard.press("Enter");
    await expect.poll(() => titlesIn(page, "Done")).toEqual(["one", "two", "three", "four", "five", "six"]);
    await expect.poll(() => storedIn(admin, board, "Done")).toEqual(["one", "two", "three", "four", "five", "six"]);
    await page.keyboard.press("Escape");
    await button(page, "Add a card to Done").waitFor();
    expectNoTrouble();
  });

  test("an Enter that ends a word of an input method adds no card", async () => {
    const { admin, board } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await button(page, "Add a card to Done").click();
    const field = page.getByRole("textbox", { name: "Title of the new card" });
    await field.fill("かんばん");
    const enter = { key: "Enter", bubbles: true, isComposing: true };
    await page.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", ${JSON.stringify(enter)}))`);
    expect(await field.inputValue()).toBe("かんばん");
    await page.keyboard.press("Enter");
    await expect.poll(() => storedIn(admin, board, "Done")).toEqual(["かんばん"]);
    expectNoTrouble();
  });

  test("names of 255 emoji are stored, and of a longer title its first 2000 characters", async () => {
    const { admin, board } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    const name = "🦆".repeat(255);
    await button(page, "Add a list").click();
    await page.getByRole("textbox", { name: "Name of the new list" }).fill(name);
    await page.keyboard.press("Enter");
    await button(page, `Add a card to ${name}`).click();
    await page.getByRole("textbox", { name: "Title of the new card" }).fill(`a${"🦆".repeat(2000)}`);
    await page.keyboard.press("Enter");
    await expect.poll(() => storedIn(admin, board, name)).toEqual([`a${"🦆".repeat(1999)}`]);
    expectNoTrouble();
  });

  test("what is typed stays: new cards of several lists at once, and a title whose card somebody else moves or changes", async () => {
    const { admin, board, ids, stored } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    const other = await make.member(board, "member");
    await button(page, "Add a card to Ideas").click();
    await page.keyboard.type("The first");
    await button(page, "Add a card to Done").click();
    await page.keyboard.type("The second");
    const typed = page.getByRole("textbox", { name: "Title of the new card" });
    expect(await typed.evaluateAll((all) => all.map((one) => Reflect.get(one, "value")))).toEqual([
      "The first",
      "The second",
    ]);
    ok(await as(other).put(`/cards/${ids.B}`, { title: "Bee" }));
    await cardsIn(page, "Ideas").getByRole("link", { name: "Bee" }).waitFor();
    await page.keyboard.type(" one\n");
    await typed.first().press("Enter");
    await expect
      .poll(stored)
      .toEqual({ Ideas: ["A", "Bee", "C", "The first"], Next: [], Done: ["D", "The second one"] });

    await cardsIn(page, "Ideas").getByRole("link", { name: "A" }).focus();
    await page.keyboard.press("e");
    await page.keyboard.type("A new ");
    const next = (await make.list({ board, name: "Later" })).list;
    ok(await as(other).put(`/cards/${ids.A}`, { listPublicId: next.publicId, index: 0, priority: "high" }));
    await cardsIn(page, "Later").getByRole("listitem").waitFor();
    await page.keyboard.type("name\n");
    await expect.poll(async () => (await stored()).Later).toEqual(["A new name"]);
    expectNoTrouble();
  });

  test("another browser sees a new card, a new list and new names without loading again", async () => {
    const { admin, board } = await aBoard();
    const member = await make.member(board, "member");
    const [first, second] = [await open(admin, board), await open(member, board)];
    await button(first.page, "Add a list").click();
    await first.page.getByRole("textbox", { name: "Name of the new list" }).fill("Later");
    await first.page.keyboard.press("Enter");
    await button(first.page, "Add a card to Later").click();
    await first.page.keyboard.type("Seen by both\n");
    await cardsIn(second.page, "Later").getByRole("link", { name: "Seen by both" }).waitFor();
    await second.page.getByRole("heading", { name: "Ideas" }).getByRole("button").click();
    await second.page.getByRole("textbox", { name: "Name of the list" }).fill("Thoughts");
    await second.page.keyboard.press("Enter");
    await first.page.getByRole("region", { name: "Thoughts" }).waitFor();
    await heading(first.page, board.name).getByRole("button").click();
    await first.page.getByRole("textbox", { name: "Name of the board" }).fill("Renamed by both");
    await first.page.keyboard.press("Enter");
    await heading(second.page, "Renamed by both").waitFor();
    for (const { expectNoTrouble } of [first, second]) expectNoTrouble();
  });

  test("arrow keys walk over the cards, E renames, Escape gives up, C completes, and the focus stays on the card", async () => {
    const { admin, board } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await cardsIn(page, "Ideas").getByRole("link", { name: "A" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("e");
    await page.keyboard.type("gone");
    await page.keyboard.press("Escape");
    await page.keyboard.press("e");
    await page.keyboard.type("Better");
    await page.keyboard.press("Enter");
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["A", "Better", "C"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("c");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("C");
    const stored = () => storedIn(admin, board, "Ideas");
    await expect.poll(stored).toEqual(["A", "Better", "C"]);
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: "Reopen" }).waitFor();
    expectNoTrouble();
  });

  test("by the menu a card is archived, and one that is deleted is asked about", async () => {
    const { admin, board } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    for (const [card, entry] of [
      ["A", "Archive"],
      ["B", "Delete"],
    ] as const) {
      await cardsIn(page, "Ideas").getByRole("link", { name: card }).hover();
      await button(page, `Actions for ${card}`).click();
      await page.getByRole("menuitem", { name: entry }).click();
    }
    await answer(page, "Delete");
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["C"]);
    await expect.poll(() => storedIn(admin, board, "Ideas")).toEqual(["C"]);
    expectNoTrouble();
  });

  test("the field for new lists stays in view while they are added", async () => {
    const { admin, board } = await aBoard();
    const { page, expectNoTrouble } = await open(admin, board);
    await button(page, "Add a list").click();
    for (const name of ["One", "Two", "Three", "Four"]) {
      await page.keyboard.type(name);
      await page.keyboard.press("Enter");
      await page.getByRole("region", { name, exact: true }).waitFor();
      const field = await page.getByRole("textbox", { name: "Name of the new list" }).boundingBox();
      expect((field?.x ?? 0) + (field?.width ?? 2000)).toBeLessThanOrEqual(1440);
    }
    expectNoTrouble();
  });

  test("a guest reads the board and is offered no change", async () => {
    const { board } = await aBoard();
    const guest = await make.member(board, "guest");
    const { page, expectNoTrouble } = await open(guest, board);
    await cardsIn(page, "Ideas").getByRole("link", { name: "A" }).focus();
    await page.keyboard.press("e");
    expect(await page.getByRole("main").getByRole("textbox").count()).toBe(0);
    const names = await page
      .getByRole("main")
      .getByRole("button")
      .evaluateAll((all) => all.map((one) => Reflect.get(one, "ariaLabel") ?? Reflect.get(one, "textContent")));
    const ofCards = ["Actions for A", "Actions for B", "Actions for C"];
    expect(names.sort()).toEqual([...ofCards, "Board menu", "Favourite", "Filter", "Share"]);
    await button(page, "Board menu").click();
    await page.getByRole("menuitem").first().waitFor();
    expect(await page.getByRole("menuitem").allTextContents()).toEqual([
      "Archived cards…",
      "Print",
      "Settings of the board",
    ]);
    expectNoTrouble();
  });

  test("a board that is taken away says so", async () => {
    const { admin, board } = await aBoard();
    const { page } = await open(admin, board);
    ok(await as(admin).delete(`/boards/${board.publicId}`));
    await heading(page, "This board is not available").waitFor();
  });

  test("due dates are told by the reader's calendar, and a day is the same date west of Greenwich", async () => {
    const { owner, board, list } = await make.list({ name: "Ideas" });
    const dues = {
      "2026-12-07": "3 days late",
      "2026-12-09": "Yesterday",
      "2026-12-10": "Today",
      "2026-12-11": "Tomorrow",
      "2026-12-24": "24 Dec",
      "2027-01-01": "1 Jan 2027",
    };
    for (const dueDate of Object.keys(dues)) await make.card({ list, title: `Due ${dueDate}`, dueDate });
    const { page, expectNoTrouble } = await openAs(owner, `${here}/boards/${board.publicId}`, {
      timezoneId: "America/New_York",
    });
    await page.clock.setFixedTime("2026-12-11T02:00:00Z");
    await page.reload();
    for (const [dueDate, text] of Object.entries(dues)) {
      const card = cardsIn(page, "Ideas")
        .getByRole("listitem")
        .filter({ hasText: `Due ${dueDate}` });
      await card.getByText(text, { exact: true }).waitFor();
    }
    expectNoTrouble();
  });

  test("each card tells its place in the whole list", async () => {
    const { admin, board } = await aBoard();
    const { page } = await open(admin, board);
    const places = await cardsIn(page, "Ideas")
      .getByRole("listitem")
      .evaluateAll((all) => all.map((one) => `${Reflect.get(one, "ariaPosInSet")}/${Reflect.get(one, "ariaSetSize")}`));
    expect(places).toEqual(["1/3", "2/3", "3/3"]);
  });

  test("a board of real content, as on a LAN: long words, many labels, every due state, right-to-left text", async () => {
    const { owner: admin, board, list } = await make.list({ name: "Inbox" });
    await fillBoard(admin, board, list);
    const { page, look, expectNoTrouble } = await open(admin, board, `http://${LAN_HOST}:${new URL(here).port}`);
    await cardsIn(page, "In progress").getByRole("link").first().waitFor();
    await look("board");
    await page.setViewportSize({ width: 1440, height: 900 });
    await button(page, "Add a card to Inbox").click();
    await page.keyboard.type("Check the tab order of the new navigation");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("Ask Erika for the search icon");
    await look("board-composing");
    expectNoTrouble();
  });

  async function fillBoard(admin: Person, board: Board, list: List): Promise<void> {
    const call = as(admin);
    const path = { boardPublicId: board.publicId };
    const labels: string[] = [];
    const names = ["Bug", "Search", "Legal", "Newsletter", "Translation", "Marketing", "Content", "Needs decision"];
    const colours = ["#e5484d", "#00a2c7", "#8b8d98", "#f76b15", "#94ad26", "#d6409f", "#ffb224", "#8e4ec6"];
    for (const [index, name] of names.entries()) {
      labels.push(String(ok(await call.post("/labels", { ...path, name, colourCode: colours[index] })).publicId));
    }
    const others = [];
    for (let index = 0; index < 3; index += 1) others.push((await make.member(board, "member")).memberPublicId);
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const cards: Record<string, unknown>[] = [
      {
        title: "Descale the coffee machine before the printer people come on Thursday",
        dueDate: day(9),
        labelPublicIds: labels.slice(0, 1),
      },
      {
        title: "Search finds nothing when the query contains a hyphen",
        priority: "high",
        labelPublicIds: labels.slice(0, 2),
        memberPublicIds: others.slice(0, 1),
      },
      {
        title: "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz: glossary entry",
        dueDate: day(1),
        description: "x",
      },
      { title: "مراجعة ترجمة صفحة الأسعار قبل نهاية الأسبوع", labelPublicIds: labels.slice(4, 5), dueDate: day(0) },
      {
        title: "Decide what happens to the old blog",
        labelPublicIds: labels,
        memberPublicIds: others,
        priority: "urgent",
      },
      { title: "Renew the domain", dueDate: day(-3), priority: "low" },
      { title: "Winter pictures for the home page", dueDate: day(4) },
    ];
    for (const name of ["Next", "In progress", "Done"]) {
      const { publicId } = ok(await call.post("/lists", { ...path, name }));
      for (const card of cards) {
        const made = ok(await call.post("/cards", { ...card, listPublicId: publicId }));
        if (name === "Done") ok(await call.put(`/cards/${made.publicId}`, { completed: true }));
      }
    }
    for (const card of cards) ok(await call.post("/cards", { ...card, listPublicId: list.publicId }));
  }
});
