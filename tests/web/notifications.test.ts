// The reader's notifications, in a real browser: they come by themselves, stand by card, and are marked as read.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { NO_BROWSER, openAs } from "./harness.js";
import { button, heading } from "./people.js";

const { as, make, listening } = await testApp();

describe.skipIf(chromiumPath === undefined)(`notifications${NO_BROWSER}`, async () => {
  const here = await listening();

  test("come live on every page and by card, are counted in the tab's title, and lead to their card, which reads them", async () => {
    const { board, list, owner } = await make.list();
    const ada = await make.member(board, "member");
    const { card } = await make.card({ list, title: "Move the checkout" });
    const other = await make.card({ list, title: "Drop the old app" });
    const mention = async (cardPublicId: string) =>
      ok(await as(owner).post(`/cards/${cardPublicId}/comments`, { comment: `@${ada.email} look` }));
    await mention(card.publicId);
    ok(await as(owner).put(`/cards/${other.card.publicId}/members/${ada.memberPublicId}`));
    const { page, look, expectNoTrouble } = await openAs(ada, here);
    const link = (unread: number) => page.getByRole("link", { name: `Notifications, ${unread} unread`, exact: true });
    await link(2).click();
    await heading(page, "Notifications").waitFor();
    await expect.poll(() => page.title()).toBe("(2) Notifications · work-board");
    const about = page.getByRole("region", { name: /^\w+-\d+ Move the checkout$/ });
    await about.getByText(`${owner.name} mentioned you`).waitFor();
    await page.getByRole("region", { name: "Drop the old app" }).getByText(`${owner.name} assigned you`).waitFor();

    await mention(card.publicId);
    await link(3).waitFor();
    await expect.poll(() => about.getByRole("listitem").count()).toBe(2);
    await look("notifications");

    await about.getByRole("button", { name: "Mark as read" }).first().click();
    await link(2).waitFor();
    expect(await about.getByText("Unread").count()).toBe(1);
    await about.getByRole("link", { name: "Move the checkout" }).click();
    await page.getByRole("dialog", { name: "Move the checkout" }).waitFor();
    await expect.poll(() => page.title()).toBe("(1) Move the checkout · work-board");
    await expect
      .poll(async () => ok(await as(ada).get<{ count: number }>("/notifications/unread-count?types=all")).count)
      .toBe(1);
    await page.keyboard.press("Escape");
    await heading(page, "Notifications").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toMatch(/Move the checkout$/);
    expectNoTrouble();
  });

  test("are all marked as read at once, and the unread ones are shown alone", async () => {
    const { board, list, owner } = await make.list();
    const ada = await make.member(board, "member");
    for (const title of ["One", "Two"]) {
      const { card } = await make.card({ list, title });
      ok(await as(owner).put(`/cards/${card.publicId}/members/${ada.memberPublicId}`));
    }
    const { page, expectNoTrouble } = await openAs(ada, here);
    await heading(page, "Boards").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await heading(page, "Notifications").waitFor();
    const main = page.getByRole("main");
    await expect.poll(() => main.getByRole("listitem").count()).toBe(2);
    await main.getByRole("button", { name: "Mark as read" }).first().click();
    await button(page, "Unread").click();
    await expect.poll(() => main.getByRole("listitem").count()).toBe(1);
    await button(page, "Mark all as read").click();
    await page.getByRole("link", { name: "Notifications, 0 unread" }).waitFor();
    await expect.poll(() => page.title()).toBe("Notifications · work-board");
    await page.reload();
    await button(page, "Unread").click();
    await page.getByText("Nothing is unread.").waitFor();
    expectNoTrouble();
  });

  test("are read in pages, each behind the one before", async () => {
    const { board, list, owner } = await make.list();
    const ada = await make.member(board, "member");
    const { card } = await make.card({ list });
    for (let at = 1; at <= 52; at += 1)
      ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment: `@${ada.email} ${at}` }));
    const { page, expectNoTrouble } = await openAs(ada, `${here}/notifications`);
    const all = page.getByRole("main").getByRole("listitem");
    await expect.poll(() => all.count()).toBe(50);
    await button(page, "Earlier ones").click();
    await button(page, "Earlier ones").waitFor({ state: "detached" });
    expect(await all.count()).toBe(52);
    expectNoTrouble();
  });

  test("that the service does not mark as read are unread again", async () => {
    const { board, list, owner } = await make.list();
    const ada = await make.member(board, "member");
    const { card } = await make.card({ list });
    ok(await as(owner).put(`/cards/${card.publicId}/members/${ada.memberPublicId}`));
    const { page } = await openAs(ada, `${here}/notifications`);
    await page.route("**/notification.read**", (route) => route.fulfill({ status: 404 }));
    const unread = page.getByRole("main").getByText("Unread", { exact: true }).and(page.locator(".sr"));
    await unread.waitFor();
    await button(page, "Mark all as read").click();
    await page.getByRole("link", { name: "Notifications, 1 unread" }).waitFor();
    await unread.waitFor();
  });
});
