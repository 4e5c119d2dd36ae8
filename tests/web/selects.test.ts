// Selects that act at once, in a real browser: keys only choose, Enter or a click acts, and what others would miss is asked first.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { NO_BROWSER, openAs } from "./harness.js";
import { answer, button, choose } from "./people.js";

const { as, make, listening } = await testApp();

const focusedText = (page: Page) => page.evaluate("document.activeElement.textContent");
const selectNamed = (page: Page, name: string) => page.getByRole("combobox", { name, exact: true });

describe.skipIf(chromiumPath === undefined)(`selects that act at once${NO_BROWSER}`, async () => {
  const here = await listening();

  /** A board with a label and a tag, a member who is on the board, and one who is not, as people are who joined by a link. */
  async function world() {
    const { owner, board, workspace, list } = await make.list();
    const onBoard = await make.member(board, "member");
    const joined = await make.member(workspace, "member");
    await make.label({ board, name: "Bug", colourCode: "#8e4ec6" });
    await make.tag({ workspace, name: "Weekly", colourCode: "#8e4ec6" });
    return { owner, board, workspace, list, onBoard, joined };
  }

  const changesSent = (page: Page) => {
    const sent: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (request.method() === "POST" && !/opened|signOut|notificationSettings/.test(pathname)) sent.push(pathname);
    });
    return sent;
  };

  test.each([
    ["Who sees the board", "/settings/boards/BOARD/members", "Everybody on the internet", /board\.update/],
    ["Role of ON_BOARD", "/settings/boards/BOARD/members", "Guest", /setRole/],
    ["Add a member of the workspace", "/settings/boards/BOARD/members", "JOINED", /members\.add/],
    ["Colour of Bug", "/settings/boards/BOARD/labels", "Pink", /labels\.update/],
    ["Colour of Weekly", "/settings/workspaces/WORKSPACE/tags", "Pink", /tags\.update/],
  ])(
    "%s: arrow keys, letters, Escape and Tab change nothing; Enter sets what they chose",
    async (name, path, option, call) => {
      const { owner, board, workspace, onBoard, joined } = await world();
      const filled = (text: string) =>
        text
          .replace("ON_BOARD", onBoard.name)
          .replace("JOINED", joined.name)
          .replace("BOARD", board.publicId)
          .replace("WORKSPACE", workspace.publicId);
      const { page, expectNoTrouble } = await openAs(owner, here + filled(path));
      const select = selectNamed(page, filled(name));
      const wanted = page.getByRole("option", { name: filled(option), exact: true });
      await select.focus();
      const sent = changesSent(page);
      const before = await select.textContent();
      const chosen = page.getByRole("option", { name: /./ });
      // A letter alone, an arrow key alone, and choosing another one without taking it.
      await page.keyboard.press((option[0] ?? "").toLowerCase());
      await page.keyboard.press("ArrowDown");
      await chosen.first().waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Escape");
      await chosen.first().waitFor({ state: "detached" });
      await page.keyboard.press("ArrowUp");
      await chosen.first().waitFor();
      await page.keyboard.press("End");
      await page.keyboard.press("Tab");
      await chosen.first().waitFor({ state: "detached" });
      expect(await select.textContent()).toBe(before);
      expect(await page.getByRole("alertdialog").count()).toBe(0);
      expect(sent).toEqual([]);
      // Letters walk to an option, and Enter takes it.
      await select.focus();
      await page.keyboard.press("Enter");
      await wanted.waitFor();
      await page.keyboard.type(filled(option).slice(0, 6).toLowerCase());
      await expect.poll(() => focusedText(page)).toBe(filled(option));
      expect(sent).toEqual([]);
      await page.keyboard.press("Enter");
      if (name.startsWith("Who sees")) await answer(page, "Make public");
      await expect.poll(() => sent.filter((one) => call.test(one)).length).toBe(1);
      expectNoTrouble();
    },
  );

  test("making a board private first names the people who lose it, and the number of cards that lose them", async () => {
    const { owner, board, list, onBoard, joined } = await world();
    const mine = ok(await as(owner).get<{ me: { memberPublicId: string } }>(`/boards/${board.publicId}`)).me;
    for (const title of ["A", "B", "C"]) {
      const { card } = await make.card({ list, title });
      const memberPublicId = title === "C" ? mine.memberPublicId : joined.memberPublicId;
      ok(await as(owner).put(`/cards/${card.publicId}/members/${memberPublicId}`));
    }
    const visibility = async () =>
      ok(await as(owner).get<{ visibility: string }>(`/boards/${board.publicId}`)).visibility;
    const { page, look, expectNoTrouble } = await openAs(owner, `${here}/boards/${board.publicId}`);
    await button(page, "Share").click();
    await selectNamed(page, "Who sees the board").click();
    await page.getByRole("listbox").waitFor();
    await look("share-select");
    await page.keyboard.press("Escape");
    await choose(page, "Who sees the board", "Only people of the board, and admins");
    const question = page.getByRole("alertdialog");
    await question.getByText("1 person loses access:").waitFor();
    await question.getByText(joined.name).waitFor();
    expect(await question.getByText(onBoard.name).count()).toBe(0);
    await question.getByText("2 cards").waitFor();
    await look("share-private");
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Who sees the board");
    expect(await visibility()).toBe("workspace");
    await choose(page, "Who sees the board", "Only people of the board, and admins");
    await answer(page, "Make private");
    await expect.poll(visibility).toBe("private");
    expectNoTrouble();
  });

  test("making a board public first says how many people see it now, and how many cards everybody could read", async () => {
    const { owner, board, list } = await world();
    for (const title of ["A", "B"]) await make.card({ list, title });
    const { page, look, expectNoTrouble } = await openAs(owner, `${here}/settings/boards/${board.publicId}/members`);
    await choose(page, "Who sees the board", "Everybody on the internet");
    const question = page.getByRole("alertdialog");
    await question.getByText("2 cards").waitFor();
    await question.getByText("3 people").waitFor();
    await look("settings-public");
    await answer(page, "Cancel");
    expect(ok(await as(owner).get<object>(`/boards/${board.publicId}`))).toMatchObject({ visibility: "workspace" });
    expectNoTrouble();
  });

  test("making somebody an admin, or no longer, first says how many people and cards that concerns", async () => {
    const { owner, list, workspace, joined } = await world();
    for (const title of ["A", "B"]) await make.card({ list, title });
    const role = async () =>
      ok(await as(owner).get<{ publicId: string; role: string }[]>(`/workspaces/${workspace.publicId}/members`)).find(
        ({ publicId }) => publicId === joined.memberPublicId,
      )?.role;
    const { page, look, expectNoTrouble } = await openAs(
      owner,
      `${here}/settings/workspaces/${workspace.publicId}/members`,
    );
    await choose(page, `Role of ${joined.name}`, "Admin");
    const question = page.getByRole("alertdialog");
    await question.getByText("2 cards").waitFor();
    await question.getByText("3 people").waitFor();
    await look("settings-admin");
    await answer(page, "Cancel");
    expect(await role()).toBe("member");
    await choose(page, `Role of ${joined.name}`, "Admin");
    await answer(page, "Make admin");
    await expect.poll(role).toBe("admin");
    await choose(page, `Role of ${joined.name}`, "Member");
    await question.getByText("3 people").waitFor();
    await answer(page, "Make member");
    await expect.poll(role).toBe("member");
    expectNoTrouble();
  });
});
