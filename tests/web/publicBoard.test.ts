// A public board, as strangers read it in a real browser.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { NO_BROWSER, openTab } from "./harness.js";
import { button, heading, signIn } from "./people.js";

const { as, make, listening } = await testApp();

describe.skipIf(chromiumPath === undefined)(`a public board${NO_BROWSER}`, async () => {
  const here = await listening();

  test("a stranger reads its lists and cards, changes nothing, and finds a card at its own address", async () => {
    const { board, owner, workspace } = await make.board({ visibility: "public" });
    const { list } = await make.list({ board, name: "Next" });
    const { label } = await make.label({ board, name: "Idea" });
    await make.card({
      list,
      title: "A roof of glass",
      description: "Over the **yard**",
      dueDate: "2027-03-01",
      priority: "high",
      labelPublicIds: [label.publicId],
    });
    await make.card({ list, title: "قائمة المهام" });
    const { page, look, expectNoTrouble } = await openTab(`${here}/public/boards/${board.publicId}`);
    await heading(page, board.name).waitFor();
    await page.getByText(workspace.name).waitFor();
    const card = page.getByRole("list", { name: "Cards in Next" }).getByRole("link", { name: "A roof of glass" });
    await page.getByText("Idea").waitFor();
    await page.getByText("Card 1", { exact: true }).waitFor();
    await look("public-board");
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    expect(await page.getByText(owner.name).count()).toBe(0);
    await card.click();
    const dialog = page.getByRole("dialog", { name: "A roof of glass" });
    await dialog.getByText("yard").waitFor();
    expect(await dialog.getByRole("textbox").count()).toBe(0);
    await look("public-card");
    await page.reload();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(page.url()).toBe(`${here}/public/boards/${board.publicId}`);
    await page.getByRole("link", { name: "Sign in" }).click();
    await signIn(page, owner);
    await button(page, "Add a card to Next").waitFor();
    expectNoTrouble();
  });

  test("a board that is not public is not shown, and the page of a public one is the only one for search engines", async () => {
    const { board, owner } = await make.board({ visibility: "public" });
    const path = `/public/boards/${board.publicId}`;
    const robotsOf = async (address: string) =>
      (await fetch(here + address, { headers: { accept: "text/html" } })).headers.get("x-robots-tag");
    expect(await robotsOf(path)).toBeNull();
    expect(await robotsOf(`/boards/${board.publicId}`)).toBe("noindex");
    ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "workspace" }));
    const { page, expectNoTrouble } = await openTab(here + path);
    await heading(page, "This board is not available").waitFor();
    await page.getByText("It is not public, or it does not exist any more.").waitFor();
    expectNoTrouble();
  });

  test("a board that is shown goes when it is no longer public", async () => {
    const { board, owner } = await make.board({ visibility: "public" });
    const { page, expectNoTrouble } = await openTab(`${here}/public/boards/unknown00000`);
    await heading(page, "This board is not available").waitFor();
    await page.clock.install();
    await page.goto(`${here}/public/boards/${board.publicId}`);
    await heading(page, board.name).waitFor();
    ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "workspace" }));
    await page.clock.fastForward(120_000);
    await heading(page, "This board is not available").waitFor();
    expect(await page.getByText(board.name).count()).toBe(0);
    expectNoTrouble();
  });
});
