// The controls that pages offer each role, in a real browser: all of a part of a page, so that one more is seen.
//
// @module-tag slow

import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { NO_BROWSER, openAs } from "./harness.js";
import { button } from "./people.js";

const { make, listening } = await testApp();

/** The names of the buttons and selects of some parts of a page, in the order of the alphabet. */
const controlsIn = async (parts: Locator) => {
  const names = await parts
    .locator("button")
    .evaluateAll((all) => all.map((one) => Reflect.get(one, "ariaLabel") ?? Reflect.get(one, "textContent")));
  return names.sort();
};

describe.skipIf(chromiumPath === undefined)(`what roles are offered${NO_BROWSER}`, async () => {
  const here = await listening();

  /** A board of an admin, with the member Bea and the guest Gus. */
  async function world() {
    const admin = await make.user({ name: "Ada" });
    const { board, workspace } = await make.board({ workspace: (await make.workspace({ owner: admin })).workspace });
    const member = await make.member(board, "member", await make.user({ name: "Bea" }));
    const guest = await make.member(board, "guest", await make.user({ name: "Gus" }));
    return { board, workspace, people: { admin, member, guest } };
  }

  test.each([
    ["admin", ["Leave the workspace", "Remove Bea", "Remove Gus", "Role of Bea", "Role of Gus"]],
    ["member", ["Leave the workspace"]],
    ["guest", ["Leave the workspace"]],
  ] as const)("the people of a workspace offer %s this: %j", async (role, controls) => {
    const { workspace, people } = await world();
    const { page, expectNoTrouble } = await openAs(
      people[role],
      `${here}/settings/workspaces/${workspace.publicId}/members`,
    );
    const row = page.getByRole("list", { name: "Members", exact: true }).getByRole("listitem");
    await row.first().waitFor();
    expect(await controlsIn(row)).toEqual(controls);
    expectNoTrouble();
  });

  test.each([
    [
      "admin",
      ["Leave the board", "Remove Bea from the board", "Remove Gus from the board", "Role of Bea", "Role of Gus"],
    ],
    ["member", ["Leave the board", "Remove Ada from the board", "Remove Gus from the board"]],
    ["guest", ["Leave the board"]],
  ] as const)("the people of a board offer %s this: %j", async (role, controls) => {
    const { board, people } = await world();
    const { page, expectNoTrouble } = await openAs(people[role], `${here}/boards/${board.publicId}`);
    await button(page, "Share").click();
    const row = page.getByRole("dialog").locator("li.person");
    await row.first().waitFor();
    await expect.poll(() => controlsIn(row)).toEqual(controls);
    expectNoTrouble();
  });

  test("an instance admin is offered nothing that is done to their own account", async () => {
    const admin = await make.instanceAdmin(await make.user({ name: "Root" }));
    const { page, expectNoTrouble } = await openAs(admin, `${here}/admin/users`);
    const row = page.getByRole("list", { name: "Accounts" }).getByRole("listitem").filter({ hasText: admin.email });
    await row.waitFor();
    expect(await controlsIn(row)).toEqual([]);
    expectNoTrouble();
  });

  test("the calendar of a guest has no meetings to make or to fail at", async () => {
    const { list, board, workspace } = await make.list();
    await make.card({ list, title: "A day", dueDate: "2026-12-24" });
    const guest = await make.member(board, "guest");
    const { page, expectNoTrouble } = await openAs(guest, `${here}/calendar/${workspace.publicId}?day=2026-12-01`);
    await page.getByRole("link", { name: "A day" }).waitFor();
    expect(await button(page, "New meeting").count()).toBe(0);
    expect(await page.getByRole("alert").count()).toBe(0);
    expectNoTrouble();
  });
});
