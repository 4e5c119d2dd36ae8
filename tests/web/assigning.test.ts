// People who joined the workspace by a link see its boards without being their members: the page assigns them like everybody else.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardNamed, cardsIn, openBoard, titlesIn } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { button } from "./people.js";

const testing = await testApp();
const { as, listening, make } = testing;

describe.skipIf(chromiumPath === undefined)(`whoever joined by link${NO_BROWSER}`, async () => {
  const here = await listening();

  async function boardOfJoined() {
    const world = await boardOfThree(testing);
    const joined = await make.member(world.workspace, "member");
    const assigneesOf = async (id = "") =>
      ok(await as(world.admin).get<{ members: { name: string }[] }>(`/cards/${id}`)).members.map(({ name }) => name);
    return { ...world, joined, assigneesOf };
  }

  const facesOf = (page: Page, name: string) =>
    cardsIn(page, "Ideas").getByRole("img", { name: `Assigned to ${name}`, exact: true });

  const picker = (page: Page) => page.getByRole("dialog", { name: "People" });

  test("is assigned and unassigned, at once, on the board, in the card and with several cards", async () => {
    const { admin, board, joined, ids, assigneesOf } = await boardOfJoined();
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route(/toggleMember|bulk\.update/, (route) => held.then(() => route.continue()));
    await cardNamed(page, "A").focus();
    await page.keyboard.press("p");
    await picker(page).getByRole("checkbox", { name: joined.name }).check();
    await page.keyboard.press("Escape");
    await page.getByRole("status", { name: "Last change" }).getByText(joined.name).waitFor();
    await cardNamed(page, "B").focus();
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    await button(page, "People").click();
    await picker(page).getByRole("checkbox", { name: joined.name }).check();
    // Before the service has answered any of these.
    await expect.poll(() => facesOf(page, joined.name).count()).toBe(3);
    goOn();
    for (const id of [ids.A, ids.B, ids.C]) await expect.poll(() => assigneesOf(id)).toEqual([joined.name]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await cardNamed(page, "A").click();
    const dialog = page.getByRole("dialog", { name: "A" });
    await dialog.getByRole("button", { name: "People" }).click();
    await picker(page).getByRole("checkbox", { name: joined.name }).uncheck();
    await expect.poll(() => assigneesOf(ids.A)).toEqual([]);
    await page.getByRole("status", { name: "Last change" }).getByText(joined.name).waitFor();
    // Taking it back assigns the same person.
    await button(page, "Undo").click();
    await expect.poll(() => assigneesOf(ids.A)).toEqual([joined.name]);
    expectNoTrouble();
  });

  test("is filtered for by name", async () => {
    const { admin, board, joined, ids } = await boardOfJoined();
    ok(await as(admin).put(`/cards/${ids.B}/members/${joined.memberPublicId}`));
    const { page, expectNoTrouble } = await openBoard(here, admin, board);
    await page.getByRole("button", { name: /^Filter/ }).click();
    await page.getByRole("dialog").getByRole("checkbox", { name: joined.name }).check();
    await expect.poll(() => titlesIn(page, "Ideas")).toEqual(["B"]);
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "Filters" }).getByText(joined.name).waitFor();
    expectNoTrouble();
  });

  test("assigns a card to themselves by I, at once, and the status says their name", async () => {
    const { board, joined, ids, assigneesOf } = await boardOfJoined();
    const { page, expectNoTrouble } = await openBoard(here, joined, board);
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route(/toggleMember/, (route) => held.then(() => route.continue()));
    await cardNamed(page, "A").focus();
    await page.keyboard.press("i");
    await facesOf(page, "you").waitFor();
    await page.getByRole("status", { name: "Last change" }).getByText(joined.name).waitFor();
    goOn();
    await expect.poll(() => assigneesOf(ids.A)).toEqual([joined.name]);
    expectNoTrouble();
  });
});
