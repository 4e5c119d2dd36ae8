// Pages whose queries fail, and pages without a network: each says why, and reads again.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { connection, openBoard } from "./boards.js";
import { NO_BROWSER, openAs, openTab } from "./harness.js";
import { button, heading } from "./people.js";

const { as, make, listening } = await testApp();

const BUSY = { message: "Busy", code: -32000, data: { code: "SERVICE_UNAVAILABLE", httpStatus: 503, issues: [] } };

/** Has a query refused as often as it is sent, until `page.unrouteAll`. Those that share a request with it are answered. */
const refuse = (page: Page, operation: string) =>
  page.route(/\/trpc\//, async (route) => {
    const { pathname } = new URL(route.request().url());
    const operations = pathname.slice(pathname.lastIndexOf("/") + 1).split(",");
    if (!operations.includes(operation)) return route.fallback();
    if (operations.length === 1) return route.fulfill({ status: 503, json: { error: BUSY } });
    const answers: object[] = await (await route.fetch()).json();
    return route.fulfill({ status: 207, json: answers.with(operations.indexOf(operation), { error: BUSY }) });
  });

describe.skipIf(chromiumPath === undefined)(`failures${NO_BROWSER}`, async () => {
  const here = await listening();

  test("a board opens while what the page reads first fails; home says why, and both it and notifications come by themselves", {
    timeout: 60_000,
  }, async () => {
    const { owner, board, card, workspace } = await make.card({ title: "A card" });
    const other = await make.member(board, "member");
    const { page, expectNoTrouble } = await openAs(owner, here);
    await page.goto(`${here}/boards/${board.publicId}`);
    await heading(page, board.name).waitFor();
    await refuse(page, "user.start");
    await page.reload();
    await page.getByRole("link", { name: /^A card/ }).waitFor();
    await page.getByRole("link", { name: "Boards", exact: true }).click();
    await page.getByText("Busy").waitFor();
    await page.unrouteAll();
    await page.getByRole("region", { name: "Last opened" }).waitFor();
    await expect.poll(() => page.getByText("Busy").count()).toBe(0);
    await page.getByRole("region", { name: workspace.name }).getByRole("link", { name: board.name }).waitFor();
    const { me } = ok(await as(owner).get<{ me: { memberPublicId: string } }>(`/boards/${board.publicId}`));
    ok(await as(other).post(`/cards/${card.publicId}/comments`, { comment: `@[You](${me.memberPublicId}) look` }));
    await page.getByRole("link", { name: "Notifications, 1 unread" }).waitFor();
    expectNoTrouble();
  });

  test("every page whose query fails says why, and reads again when it is asked to", { timeout: 120_000 }, async () => {
    const { owner, board, card, workspace } = await make.card({ title: "A card" });
    const own = `/workspaces/${workspace.publicId}`;
    const fields = { name: "Chat", url: "https://example.org/hook", events: ["card.created"] };
    const webhook = ok(await as(owner).post<{ publicId: string }>(`${own}/webhooks`, fields));
    const settings = `/settings${own}`;
    const pages: [path: string, operation: string, shown: (page: Page) => { waitFor(): Promise<void> }][] = [
      ["/", "board.list", (page) => page.getByRole("main").getByRole("link", { name: board.name }).first()],
      [`/cards/${card.publicId}`, "card.get", (page) => page.getByRole("dialog", { name: "A card" })],
      [`/cards/${card.publicId}`, "card.activities", (page) => page.getByText(/added .* to/)],
      [`/calendar/${workspace.publicId}`, "workspace.get", (page) => button(page, "Today")],
      [`/import/${workspace.publicId}`, "workspace.get", (page) => page.getByLabel("Choose a file")],
      [`${settings}/general`, "workspace.get", (page) => page.getByLabel("Slug")],
      [`${settings}/members`, "workspace.members.list", (page) => page.getByText(`${owner.name} (you)`)],
      [`${settings}/members`, "workspace.invites.get", (page) => button(page, "Create invite link")],
      [`${settings}/tags`, "workspace.tags.list", (page) => page.getByLabel("Name of the new one")],
      [`${settings}/webhooks`, "workspace.webhooks.list", (page) => page.getByRole("link", { name: "Chat" })],
      [`${settings}/webhooks/${webhook.publicId}`, "workspace.webhooks.list", (page) => button(page, "Send a test")],
      [
        `${settings}/webhooks/${webhook.publicId}`,
        "workspace.webhooks.deliveries",
        (page) => page.getByText("Nothing was sent yet."),
      ],
      [`${settings}/archive`, "board.list", (page) => page.getByText("No board is archived.")],
      ["/settings/account/tokens", "user.tokens.list", (page) => page.getByText("No token yet.")],
      ["/settings/account/security", "user.sessions.list", (page) => page.getByText("This browser").last()],
      ["/settings/account/notifications", "user.notificationSettings.get", (page) => page.getByLabel("Time zone")],
    ];
    const { page, expectNoTrouble } = await openAs(owner, here);
    for (const [path, operation, shown] of pages) {
      const about = `${operation} at ${path}`;
      await refuse(page, operation);
      await page.goto(here + path);
      await page.getByText("Busy").first().waitFor();
      await page.unrouteAll();
      await button(page, "Try again").click();
      await shown(page).waitFor();
      expect(await page.getByText("Busy").count(), about).toBe(0);
    }
    expectNoTrouble();
  });

  test("so do the sheet of strangers and the dialog that moves a card to another board", async () => {
    const { owner, board, list, workspace } = await make.list({ name: "Ideas" });
    await make.card({ list, title: "A card" });
    const other = await make.list({ board: (await make.board({ workspace })).board, name: "Elsewhere" });
    const stranger = await openTab(here);
    await refuse(stranger.page, "user.authMethods");
    await stranger.page.reload();
    await stranger.page.getByRole("alert").getByText("Busy").waitFor();
    await stranger.look("sign-in-unread");
    await stranger.page.unrouteAll();
    await button(stranger.page, "Try again").click();
    await stranger.page.getByLabel("Password", { exact: true }).waitFor();
    stranger.expectNoTrouble();

    const { page, expectNoTrouble } = await openBoard(here, owner, board);
    await button(page, "Actions for A card").click();
    await page.getByRole("menuitem", { name: "Move…" }).click();
    await refuse(page, "board.get");
    await page.getByLabel("Board", { exact: true }).selectOption(other.board.name);
    await page.getByRole("alert").getByText("Busy").waitFor();
    await page.unrouteAll();
    await button(page, "Try again").click();
    await page.getByLabel("List", { exact: true }).selectOption("Elsewhere");
    expectNoTrouble();
  });

  test("without a network, pages say so and why they show nothing, and read by themselves once it is back", {
    timeout: 60_000,
  }, async () => {
    const { owner, board } = await make.list({ name: "Ideas" });
    const { page, look, expectNoTrouble } = await openAs(owner, `${here}/calendar/${board.workspace.publicId}`);
    await button(page, "Today").waitFor();
    const main = page.getByRole("navigation", { name: "Main" });
    await main.getByRole("link", { name: "Boards", exact: true }).click();
    await page.getByRole("main").getByRole("link", { name: board.name }).first().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.context().setOffline(true);
    await connection(page).getByText("Offline", { exact: true }).waitFor({ state: "attached" });
    await page.keyboard.type("ideas");
    await page.getByRole("status").getByText("The service did not answer.").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("status").getByText("No card and no board has these words.").waitFor();
    await page.keyboard.press("Escape");

    const { workspace } = await make.workspace({ owner });
    await page.context().setOffline(true);
    await page.evaluate(`history.pushState(null, "", "/calendar/${workspace.publicId}")`);
    await heading(page, "This page could not be read").waitFor();
    await connection(page).getByText("Offline", { exact: true }).waitFor();
    await look("offline-page");
    await page.context().setOffline(false);
    await button(page, "Today").waitFor();
    await connection(page).waitFor({ state: "detached" });

    await page.context().setOffline(true);
    await page.evaluate(`history.pushState(null, "", "/boards/${board.publicId}")`);
    await heading(page, "Loading…").waitFor();
    await connection(page).getByText("Offline", { exact: true }).waitFor();
    await page.context().setOffline(false);
    await heading(page, board.name).waitFor();
    expectNoTrouble();
  });
});
