// The focus, in a real browser: whatever the page does, something that people can see and use has it.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardNamed, openBoard } from "./boards.js";
import { NO_BROWSER, openAs, openTab } from "./harness.js";
import { answer, button, fill, signUp } from "./people.js";

const testing = await testApp();
const { as, make, listening } = testing;

/** The name of what has the focus. */
const focused = (page: Page) =>
  page.evaluate<string>("document.activeElement.ariaLabel ?? document.activeElement.textContent.trim()");

describe.skipIf(chromiumPath === undefined)(`the focus${NO_BROWSER}`, async () => {
  const here = await listening();

  test("stays on a button that is busy or whose press leaves nothing to do, and which then does nothing", async () => {
    const { board, list, owner } = await make.list();
    const ada = await make.member(board, "member");
    const { card } = await make.card({ list });
    ok(await as(owner).put(`/cards/${card.publicId}/members/${ada.memberPublicId}`));
    const { page, expectNoTrouble } = await openAs(ada, `${here}/notifications`);
    const all = button(page, "Mark all as read");
    await page.getByRole("link", { name: "Notifications, 1 unread" }).waitFor();
    await all.press("Enter");
    await expect.poll(() => all.isEnabled()).toBe(false);
    expect(await focused(page)).toBe("Mark all as read");

    await page.goto(`${here}/settings/account/profile`);
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("Ada L.");
    let sent = 0;
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/trpc/user.update*", async (route) => {
      sent += 1;
      await isAnswered;
      await route.continue();
    });
    const save = page.getByRole("button", { name: "Save" }).first();
    await save.press("Enter");
    await expect.poll(() => save.isEnabled()).toBe(false);
    expect(await focused(page)).toBe("Save");
    await page.keyboard.press("Enter");
    await name.press("Enter");
    answer();
    await page.getByText("Saved").waitFor();
    expect(sent).toBe(1);
    expectNoTrouble();
  });

  test("stays in the title of an open card: Enter saves it, Escape gives up, another one closes the card", async () => {
    const { admin, board, ids } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    await cardNamed(page, "A").click();
    const title = page.getByRole("dialog").getByRole("textbox", { name: "Title" });
    await title.fill("Alpha");
    await title.press("Enter");
    await page.getByRole("dialog", { name: "Alpha" }).waitFor();
    await expect.poll(async () => ok(await as(admin).get<{ title: string }>(`/cards/${ids.A}`)).title).toBe("Alpha");
    expect(await focused(page)).toBe("Title");
    await page.keyboard.type(" and more");
    await page.keyboard.press("Escape");
    await expect.poll(() => title.inputValue()).toBe("Alpha");
    expect(await focused(page)).toBe("Title");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused(page)).toBe("Alpha");
    expectNoTrouble();
  });

  test("goes from an empty comment on to the properties, and a press on a button of the comment leaves it in the field", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    await cardNamed(page, "A").click();
    const card = page.getByRole("dialog");
    const comment = card.getByRole("textbox", { name: "Write a comment" });
    await comment.focus();
    const reached: string[] = [];
    for (let at = 0; at < 10; at += 1) {
      await page.keyboard.press("Tab");
      reached.push(await focused(page));
    }
    expect(reached).toEqual([
      ...["Bold", "List", "Code", "Link", "Preview", "Comment"],
      ...["People", "Labels", "Due date", "Priority"],
    ]);
    await comment.focus();
    await card.getByRole("button", { name: "Bold" }).click();
    await page.keyboard.type("loud");
    expect(await comment.inputValue()).toBe("**loud**");
    await card.getByRole("button", { name: "Preview" }).click();
    expect(await focused(page)).toBe("Preview");
    await card.getByRole("button", { name: "Preview" }).click();
    await card.getByRole("button", { name: "Comment", exact: true }).click();
    await card.getByRole("article").getByText("loud").waitFor();
    expect(await focused(page)).toBe("Write a comment");
    expectNoTrouble();
  });

  test("goes from a card that somebody archives or that a filter hides to what stays: the next, the one before, the button", async () => {
    const { admin, board, ids } = await boardOfThree(testing);
    const other = await make.member(board, "admin");
    const archive = (title: string) => as(other).post("/cards/bulk/archive", { cardPublicIds: [ids[title]] });
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    await cardNamed(page, "B").focus();
    for (const [gone, next] of [
      ["B", "C"],
      ["C", "A"],
      ["A", "Add a card to Ideas"],
    ] as const) {
      ok(await archive(gone));
      await expect.poll(() => focused(page)).toBe(next);
    }
    expectNoTrouble();
  });

  test("goes from a list that somebody deletes to the next one, and from the last one to the button that adds one", async () => {
    const { admin, board, list } = await boardOfThree(testing);
    const other = await make.member(board, "admin");
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    const { lists } = ok(await as(admin).get<{ lists: { publicId: string }[] }>(`/boards/${board.publicId}`));
    const remove = (publicId: string | undefined) => as(other).delete(`/lists/${publicId}`);
    await cardNamed(page, "A").focus();
    ok(await remove(list.publicId));
    await expect.poll(() => focused(page)).toBe("Add a card to Next");
    ok(await remove(lists[1]?.publicId));
    await expect.poll(() => focused(page)).toBe("Add a card to Done");
    ok(await remove(lists[2]?.publicId));
    await expect.poll(() => focused(page)).toBe("Add a list");
    expectNoTrouble();
  });

  test("comes back from a menu that a key opened, from what offers to take back, and from a dialog that a press opened", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    await cardNamed(page, "B").focus();
    await page.keyboard.press(".");
    await page.getByRole("menuitem").first().waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe("B");
    await page.keyboard.press("c");
    await page.getByRole("status", { name: "Last change" }).getByRole("button", { name: "Dismiss" }).press("Enter");
    await expect.poll(() => focused(page)).toBe("B, done");
    for (const name of ["Share", "Board menu"]) {
      await button(page, name).click();
      if (name === "Board menu") await page.getByRole("menuitem", { name: "Archived cards…" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await expect.poll(() => focused(page)).toBe(name);
    }
    expectNoTrouble();
  });

  test("is shown while arrows walk after a click, and Ctrl+K opens the search out of a field", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    await cardNamed(page, "A").click();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await expect.poll(() => focused(page)).toBe("A");
    await page.keyboard.press("ArrowDown");
    const ring = "getComputedStyle(document.activeElement.closest('li')).outlineStyle";
    expect(await page.evaluate(ring)).toBe("solid");
    await page.keyboard.press("n");
    await page.getByRole("textbox", { name: "Title of the new card" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search cards, boards and actions" }).waitFor();
    await page.keyboard.press("Escape");
    // The field was empty, and has closed.
    await expect.poll(() => focused(page)).toBe("Add a card to Ideas");
    expectNoTrouble();
  });

  test("is on the page that a sign-up leads to, on the first field that a form is refused for, and beside a row that was deleted", async () => {
    const { page } = await openTab(here);
    const address = page.getByLabel("E-mail", { exact: true });
    await fill(page, { Name: "Ada", "E-mail": "nobody", Password: "short" });
    await button(page, "Sign up").click();
    await expect.poll(() => address.getAttribute("aria-invalid")).toBe("true");
    expect(await page.evaluate("document.activeElement.name")).toBe("email");
    await signUp(page, "Ada");
    await expect.poll(() => page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);

    const { workspace, owner } = await make.workspace();
    await make.tag({ workspace, name: "Fleet" });
    const settings = await openAs(owner, `${here}/settings/workspaces/${workspace.publicId}/tags`);
    await button(settings.page, "Delete Fleet").click();
    await answer(settings.page, "Delete");
    await button(settings.page, "Delete Fleet").waitFor({ state: "detached" });
    await expect.poll(() => settings.page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
  });
});
