// Parts of the page that fail to render: the rest stands, the part says so, and what was typed is kept.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardNamed, cardsIn, connection } from "./boards.js";
import { NO_BROWSER, openAs, openTab } from "./harness.js";
import { button, heading } from "./people.js";

const testing = await testApp();
const { as, make, listening } = testing;

type Thing = Record<string, unknown>;

/** Has an operation answer something that no service of this version answers. */
const spoil = (page: Page, operation: string, spoiled: (thing: Thing) => Thing) =>
  page.route(new RegExp(`/trpc/[^?]*${operation}\\b`), async (route) => {
    const response = await route.fetch();
    const isThing = (value: unknown): value is Thing => typeof value === "object" && value !== null;
    const body = JSON.parse(await response.text(), (_, value: unknown) => (isThing(value) ? spoiled(value) : value));
    await route.fulfill({ response, json: body });
  });

describe.skipIf(chromiumPath === undefined)(`a part of the page that fails to render${NO_BROWSER}`, async () => {
  const here = await listening();

  test("a text that cannot be rendered is shown as it was typed, in descriptions, comments and on public boards", async () => {
    const { owner, board } = await make.board({ visibility: "public" });
    const { list } = await make.list({ board, name: "Ideas" });
    const deep = `${">".repeat(2000)} deep`;
    const { card } = await make.card({ list, title: "A card", description: deep });
    ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment: `${deep}er` }));
    const slow = "_a".repeat(5000);
    ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment: slow }));
    const { page, look, expectNoTrouble } = await openAs(owner, `${here}/cards/${card.publicId}`);
    await page.getByRole("region", { name: "Description" }).getByText(deep, { exact: true }).waitFor();
    await page.getByRole("article").getByText(`${deep}er`, { exact: true }).waitFor();
    await page.getByRole("article").getByText(slow, { exact: true }).waitFor();
    await look("plain-text");
    expectNoTrouble();
    const stranger = await openTab(`${here}/public/boards/${board.publicId}/cards/${card.publicId}`);
    await stranger.page.getByRole("dialog").getByText(deep, { exact: true }).waitFor();
    stranger.expectNoTrouble();
  });

  test("a list says so in its place, beside lists that work, and still takes new cards; so does an open card, which closes", async () => {
    const { admin, board, ids, stored } = await boardOfThree(testing);
    const { page, look } = await openAs(admin, here);
    await spoil(page, "board.get", (thing) => (thing.title === "A" ? { ...thing, members: [null] } : thing));
    await page.goto(`${here}/boards/${board.publicId}`);
    await page.getByRole("alert").getByText("The list Ideas could not be shown").waitFor();
    await cardsIn(page, "Done").getByRole("link", { name: "D" }).waitFor();
    await connection(page).getByText("Live").waitFor();
    await button(page, "Add a card to Ideas").click();
    await page.keyboard.type("Another\n");
    await expect.poll(async () => (await stored()).Ideas).toContain("Another");
    await look("list-failed");
    await page.goto(`${here}/cards/${ids.A}`);
    const dialog = page.getByRole("dialog", { name: "A" });
    await dialog.getByRole("alert").getByText("This card could not be shown").waitFor();
    await look("card-failed");
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("alert").getByText("The list Ideas could not be shown").waitFor();
    await page.unrouteAll();
    await button(page, "Reload").click();
    await cardNamed(page, "Another").waitFor();
  });

  test("an open card says which part failed, and its title and the comment that is being written stay", async () => {
    const { owner, card } = await make.card({ title: "A card" });
    ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment: "Said" }));
    const { page, look } = await openAs(owner, here);
    await spoil(page, "card.get", (thing) => (thing.comment === "Said" ? { ...thing, author: null } : thing));
    await page.goto(`${here}/cards/${card.publicId}`);
    const dialog = page.getByRole("dialog", { name: "A card" });
    await dialog.getByRole("alert").getByText("A part of the page could not be shown").waitFor();
    await dialog.getByRole("textbox", { name: "Write a comment" }).fill("Half a comment");
    await dialog.getByRole("textbox", { name: "Title" }).waitFor();
    await look("card-part-failed");
    await page.unrouteAll();
    await button(page, "Reload").click();
    await dialog.getByRole("article").getByText("Said").waitFor();
    expect(await dialog.getByRole("textbox", { name: "Write a comment" }).inputValue()).toBe("Half a comment");
  });

  test("a page says so below the frame, which leads elsewhere", async () => {
    const { admin, board } = await boardOfThree(testing);
    const { page, look } = await openAs(admin, here);
    await spoil(page, "board.get", (thing) => (thing.name === board.name ? { ...thing, workspace: null } : thing));
    await page.goto(`${here}/boards/${board.publicId}`);
    await heading(page, "This page could not be shown").waitFor();
    await look("page-failed");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Boards", exact: true }).click();
    await heading(page, "Boards").waitFor();
    await page.unrouteAll();
    await page.goBack();
    await button(page, "Reload").click();
    await cardNamed(page, "A").waitFor();
  });

  test("a page of strangers says so in place of the whole page", async () => {
    const { board } = await make.board({ visibility: "public" });
    const { page, look } = await openTab(here);
    await spoil(page, "board.getPublic", (thing) => ("lists" in thing ? { ...thing, lists: [null] } : thing));
    await page.goto(`${here}/public/boards/${board.publicId}`);
    await heading(page, "This page could not be shown").waitFor();
    await look("sheet-failed");
    await page.unrouteAll();
    await button(page, "Reload").click();
    await heading(page, board.name).waitFor();
  });

  test("nodes that something else has taken away are mounted anew, and what is being typed stays", async () => {
    const { admin, board, ids } = await boardOfThree(testing);
    const { label } = await make.label({ board, name: "Urgent" });
    const labelled = (id: string | undefined, on: boolean) =>
      as(admin).put(`/cards/${id}/labels/${label.publicId}`, { on });
    ok(await labelled(ids.A, true));
    const { page, troubles } = await openAs(admin, `${here}/boards/${board.publicId}`);
    await connection(page).getByText("Live").waitFor();
    await button(page, "Add a card to Ideas").click();
    await page.keyboard.type("Half a title");
    await page.evaluate("document.querySelector('li[aria-posinset] > a + div').remove()");
    ok(await labelled(ids.A, false));
    ok(await labelled(ids.B, true));
    await cardsIn(page, "Ideas").getByText("Urgent").waitFor();
    ok(await labelled(ids.A, true));
    await expect.poll(() => cardsIn(page, "Ideas").getByText("Urgent").count()).toBe(2);
    expect(await page.getByText("could not be shown").count()).toBe(0);
    expect(troubles.splice(0).join()).toContain("A node was to be removed that is no longer there");
    expect(await page.getByRole("textbox", { name: "Title of the new card" }).inputValue()).toBe("Half a title");
  });
});
