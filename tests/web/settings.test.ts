// The settings of workspaces and boards, in a real browser.
//
// @module-tag slow

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { anAddress, expectError, ok, type Person, testApp, unique } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { deliver, exampleReceiver } from "../webhook/receivers.js";
import { LAN_HOST, NO_BROWSER, openAs } from "./harness.js";
import { button, choose, fill, heading } from "./people.js";

const world = await testApp({ WEBHOOK_ALLOW_PRIVATE: "true" });
const { as, make, listening } = world;

const sectionNames = (page: Page) =>
  page.getByRole("navigation", { name: "Settings" }).getByRole("link").allInnerTexts();
const listNamed = (page: Page, name: string) => page.getByRole("list", { name, exact: true });
const alertOf = (page: Page) => page.getByRole("alertdialog");
const confirm = (page: Page, action: string) =>
  alertOf(page).getByRole("button", { name: action, exact: true }).click();

describe.skipIf(chromiumPath === undefined)(`settings${NO_BROWSER}`, async () => {
  const here = await listening();

  const open = (person: Person, path: string, origin = here) => openAs(person, origin + path);

  test("an admin renames a workspace, sees by its field why a slug is refused, and deletes it by typing its name", async () => {
    const { owner, workspace } = await make.workspace();
    const { workspace: other } = await make.workspace();
    const { page, look, expectNoTrouble } = await open(owner, "/");
    const main = page.getByRole("navigation", { name: "Main" });
    await main.getByRole("link", { name: `Settings of ${workspace.name}` }).click();
    await heading(page, `Settings of ${workspace.name}`).waitFor();
    expect(await sectionNames(page)).toEqual(["General", "Members", "Tags", "Webhooks", "Archived boards"]);
    const name = unique("Nordlicht");
    await fill(page, { Name: name, Slug: other.slug, "Prefix of card numbers": "nl" });
    await page.getByLabel("Weeks begin on").selectOption("Sunday");
    await button(page, "Save").click();
    await expect.poll(() => page.getByLabel("Slug").getAttribute("aria-invalid")).toBe("true");
    await look("settings-workspace");
    await fill(page, { Slug: `${workspace.slug}-2` });
    await button(page, "Save").click();
    await page.getByRole("status").getByText("Saved").waitFor();
    await heading(page, `Settings of ${name}`).waitFor();
    expect(ok(await as(owner).get(`/workspaces/${workspace.publicId}`))).toMatchObject({
      name,
      slug: `${workspace.slug}-2`,
      cardPrefix: "NL",
      weekStartDay: 0,
    });
    await button(page, "Delete workspace").click();
    const action = alertOf(page).getByRole("button", { name: "Delete workspace" });
    expect(await action.isDisabled()).toBe(true);
    await alertOf(page).getByLabel(`Type ${name} to go on`).fill(name);
    await action.click();
    await heading(page, "Boards").waitFor();
    expectError(await as(owner).get(`/workspaces/${workspace.publicId}`), "NOT_FOUND");
    expectNoTrouble();
  });

  test("an admin invites, revokes, changes roles and removes members", async () => {
    const { owner, board, workspace } = await make.board();
    const [bea, carl] = [await make.member(board, "member"), await make.member(board, "member")];
    const { page, look, expectNoTrouble } = await open(owner, `/settings/workspaces/${workspace.publicId}/members`);
    const people = listNamed(page, "Members");
    const stored = async () =>
      ok(
        await as(owner).get<{ name: string; email: string; role: string }[]>(
          `/workspaces/${workspace.publicId}/members`,
        ),
      );
    const email = anAddress();
    await page.getByLabel("E-mail addresses").fill(email);
    await button(page, "Invite").click();
    await people.getByText(email).waitFor();
    await people.getByRole("button", { name: `Copy invitation of ${email}` }).waitFor();
    await choose(page, `Role of ${bea.name}`, "Guest");
    await expect.poll(async () => (await stored()).find(({ name }) => name === bea.name)?.role).toBe("guest");
    await look("settings-members");
    await button(page, `Revoke the invitation of ${email}`).click();
    await confirm(page, "Revoke");
    await people.getByText(email).waitFor({ state: "detached" });
    await button(page, `Remove ${carl.name}`).click();
    await confirm(page, "Remove");
    await people.getByText(carl.name).waitFor({ state: "detached" });
    await expect.poll(async () => (await stored()).map(({ name }) => name)).toEqual([owner.name, bea.name]);
    await button(page, "Leave the workspace").click();
    await confirm(page, "Leave");
    await alertOf(page).getByText("A workspace must have at least one admin").waitFor();
    expectNoTrouble();
  });

  test("a member is offered tags and archived boards besides the people, and a guest only to leave", async () => {
    const { owner, board, workspace } = await make.board();
    const [bea, guest] = [await make.member(board, "member"), await make.member(board, "guest")];
    const { page, look, expectNoTrouble } = await open(bea, `/settings/workspaces/${workspace.publicId}`);
    await heading(page, `Settings of ${workspace.name}`).waitFor();
    expect(await sectionNames(page)).toEqual(["Members", "Tags", "Archived boards"]);
    expect(await page.getByRole("button", { name: /^(Remove|Invite)/ }).count()).toBe(0);
    await page.getByRole("link", { name: "Tags" }).click();
    await fill(page, { "Name of the new one": "Weekly" });
    await button(page, "Add").click();
    await choose(page, "Colour of Weekly", "Violet");
    await page.getByLabel("Name of Weekly").fill("Every week");
    await page.keyboard.press("Enter");
    await page.getByLabel("Colour of Every week").waitFor();
    await look("settings-tags");
    const tags = async () => ok(await as(owner).get<object[]>(`/workspaces/${workspace.publicId}/tags`));
    expect(await tags()).toEqual([expect.objectContaining({ name: "Every week", colourCode: "#8e4ec6" })]);
    await button(page, "Delete Every week").click();
    await confirm(page, "Delete");
    await expect.poll(tags).toEqual([]);
    await listNamed(page, "Tags").waitFor({ state: "detached" });
    const theirs = await open(guest, `/settings/workspaces/${workspace.publicId}`);
    await heading(theirs.page, `Settings of ${workspace.name}`).waitFor();
    expect(await sectionNames(theirs.page)).toEqual(["Members"]);
    await button(theirs.page, "Leave the workspace").click();
    await confirm(theirs.page, "Leave");
    await heading(theirs.page, "Boards").waitFor();
    await expect.poll(() => theirs.page.getByText(workspace.name, { exact: true }).count()).toBe(0);
    expectError(await as(guest).get(`/workspaces/${workspace.publicId}`), "FORBIDDEN");
    expectNoTrouble();
    theirs.expectNoTrouble();
  });

  test("a member among many is found without the accents of the name", async () => {
    const { owner, board, workspace } = await make.board();
    const people: Person[] = [];
    for (let count = 0; count < 8; count += 1) people.push(await make.member(board, "member"));
    ok(await as(people[0] ?? owner).put("/users/me", { name: "Zoë Ångström" }));
    const { page, expectNoTrouble } = await open(owner, `/settings/workspaces/${workspace.publicId}/members`);
    await page.getByRole("searchbox", { name: "Find a member" }).fill("angstrom");
    const shown = listNamed(page, "Members").getByRole("listitem");
    await expect.poll(() => shown.count()).toBe(1);
    await shown.getByText("Zoë Ångström").waitFor();
    expectNoTrouble();
  });

  test("a delivery that has failed and is tried again says so, with the reason", async () => {
    const { owner, board, workspace } = await make.board();
    const path = `/workspaces/${workspace.publicId}/webhooks`;
    const hook = { name: "Chat", url: "http://127.0.0.1:9/", events: ["list.*"] };
    const { publicId } = ok(await as(owner).post<{ publicId: string }>(path, hook));
    deliver(world);
    await make.list({ board });
    const first = async () =>
      ok(await as(owner).get<{ items: { attempts: number }[] }>(`${path}/${publicId}/deliveries`)).items[0];
    await expect.poll(async () => (await first())?.attempts).toBe(1);
    const { page, expectNoTrouble } = await open(owner, `/settings${path}/${publicId}`);
    const row = page.getByRole("row").filter({ hasText: "list.created" });
    await row.getByText("Retrying", { exact: true }).waitFor();
    await row.getByText("The connection was refused").waitFor();
    expectNoTrouble();
  });

  test("a webhook shows the status of its last answer if that was an error", async () => {
    const { owner, workspace } = await make.workspace();
    const path = `/workspaces/${workspace.publicId}/webhooks`;
    const hook = { name: "Chat", url: `${here}/nowhere`, events: ["list.*"] };
    const { publicId } = ok(await as(owner).post<{ publicId: string }>(path, hook));
    const { page, expectNoTrouble } = await open(owner, `/settings${path}`);
    const state = listNamed(page, "Webhooks").getByRole("listitem").locator(".state");
    await expect.poll(() => state.allTextContents()).toEqual(["Active"]);
    ok(await as(owner).post(`${path}/${publicId}/test`));
    await page.reload();
    await expect.poll(() => state.allTextContents()).toEqual(["Last answer 404"]);
    expectNoTrouble();
  });

  test("a webhook is made, shows its secret once, is tested, sends again, pauses, changes and goes", async () => {
    const { url, taken, trust } = await exampleReceiver();
    const { owner, workspace } = await make.workspace();
    const { page, look, expectNoTrouble } = await open(owner, `/settings/workspaces/${workspace.publicId}/webhooks`);
    const path = `/workspaces/${workspace.publicId}/webhooks`;
    const stored = async () => ok(await as(owner).get<{ events: string[]; active: boolean }[]>(path))[0];
    await fill(page, { Name: "Chat", URL: url });
    await page.getByLabel("Everything").uncheck();
    await button(page, "Create webhook").click();
    await page.getByText("Choose at least one kind of event.").waitFor();
    await page.getByLabel("Cards").check();
    await button(page, "Create webhook").click();
    const secret = page.getByText(/^whsec_/);
    trust((await secret.textContent()) ?? "");
    await look("settings-webhook-new");
    await page.getByRole("link", { name: "Chat" }).click();
    await page.getByRole("heading", { name: "Chat" }).waitFor();
    expect(await secret.count()).toBe(0);
    await button(page, "Send a test").click();
    const rows = page.getByRole("row");
    await rows.filter({ hasText: "webhook.test" }).getByText("Delivered").waitFor();
    await look("settings-webhook");
    deliver(world);
    await button(page, "Send again: webhook.test").click();
    await expect.poll(() => taken.length).toBe(2);
    await page.getByLabel("Comments").check();
    await button(page, "Save").click();
    await page.getByRole("status").getByText("Saved").waitFor();
    await button(page, "Pause").click();
    await page.getByText("Paused").waitFor();
    expect(await stored()).toMatchObject({ events: ["card.*", "comment.*"], active: false });
    await button(page, "Delete webhook").click();
    await confirm(page, "Delete webhook");
    await page.getByText("No webhook yet.").waitFor();
    expect(await stored()).toBeUndefined();
    expectNoTrouble();
  });

  test("a board is renamed, its labels are changed, and it is exported, archived, restored and deleted, as on a LAN", async () => {
    const { owner, board, workspace } = await make.card();
    await make.label({ board, name: "Bug" });
    ok(await as(owner).post(`/workspaces/${workspace.publicId}/tags`, { name: "Weekly", colourCode: "#ffb224" }));
    const path = `/boards/${board.publicId}`;
    const origin = `http://${LAN_HOST}:${new URL(here).port}`;
    const { page, look, expectNoTrouble } = await open(owner, path, origin);
    await button(page, "Board menu").click();
    await page.getByRole("menuitem", { name: "Settings of the board" }).click();
    const name = unique("Autumn");
    await fill(page, { "Name of the board": name, Slug: "a" });
    await button(page, "Save").click();
    await expect.poll(() => page.getByLabel("Slug").getAttribute("aria-invalid")).toBe("true");
    // The mistake stands at its field alone.
    expect(await page.getByRole("alert").count()).toBe(0);
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route(/toggleTag/, (route) => held.then(() => route.continue()));
    await page.getByLabel("Weekly").check();
    expect(await page.getByLabel("Weekly").isChecked()).toBe(true);
    goOn();
    await look("settings-board");
    await fill(page, { Slug: "autumn" });
    await button(page, "Save").click();
    await heading(page, `Settings of ${name}`).waitFor();
    await page.getByRole("link", { name: "Labels" }).click();
    await page.getByLabel("Name of Bug").fill("Fault");
    await page.keyboard.press("Tab");
    await choose(page, "Colour of Fault", "Red");
    await page.getByRole("link", { name: "People" }).click();
    await choose(page, "Who sees the board", "Everybody on the internet");
    await confirm(page, "Make public");
    await button(page, "Copy link for everybody").waitFor();
    await page.getByRole("link", { name: "Export" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download CSV" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe("autumn.csv");
    expect(await readFile(await file.path(), "utf8")).toContain("title");
    expect(ok(await as(owner).get(path))).toMatchObject({
      name,
      slug: "autumn",
      visibility: "public",
      labels: [{ name: "Fault", colourCode: "#e5484d" }],
      tags: [{ name: "Weekly" }],
    });
    await page.getByRole("link", { name: "Archive and delete" }).click();
    await button(page, "Archive board").click();
    await button(page, "Restore board").waitFor();
    await look("settings-board-archived");
    await page.getByRole("link", { name: "Back to the board" }).click();
    await page.getByRole("link", { name: "Restore it" }).click();
    await button(page, "Restore board").waitFor();
    await page.goto(`${origin}/settings/workspaces/${workspace.publicId}/archive`);
    await button(page, `Restore ${name}`).click();
    await page.getByText("No board is archived.").waitFor();
    await page.goto(`${origin}/settings/boards/${board.publicId}/archive`);
    await button(page, "Delete board").click();
    await alertOf(page).getByLabel(`Type ${name} to go on`).fill(name);
    await confirm(page, "Delete board");
    await heading(page, "Boards").waitFor();
    expectError(await as(owner).get(path), "NOT_FOUND");
    expectNoTrouble();
  });

  test("a guest is offered the people and the export of a board, and nothing that changes it", async () => {
    const { board } = await make.list();
    const guest = await make.member(board, "guest");
    const { page, expectNoTrouble } = await open(guest, `/settings/boards/${board.publicId}`);
    await heading(page, `Settings of ${board.name}`).waitFor();
    expect(await sectionNames(page)).toEqual(["People", "Export"]);
    expect(await page.getByLabel("Who sees the board").count()).toBe(0);
    expectNoTrouble();
  });

  test("among many members one is found by a part of the name or the address, whatever its case", async () => {
    const { owner, board, workspace } = await make.board();
    const others = [];
    for (let index = 0; index < 8; index += 1) others.push(await make.member(board, "member"));
    const [bea, carl] = others;
    const { page, expectNoTrouble } = await open(owner, `/settings/workspaces/${workspace.publicId}/members`);
    const shown = listNamed(page, "Members").getByRole("listitem");
    await expect.poll(() => shown.count()).toBe(9);
    for (const [wanted, found] of [
      [bea?.name.toUpperCase(), bea],
      [carl?.email.toUpperCase(), carl],
    ] as const) {
      await page.getByRole("searchbox").fill(wanted ?? "");
      await expect.poll(() => shown.count()).toBe(1);
      await shown.getByText(found?.name ?? "").waitFor();
    }
    expectNoTrouble();
  });

  test("a label without a name has the one before, and a webhook keeps filters that were set by other means", async () => {
    const { owner, board, workspace } = await make.board();
    await make.label({ board, name: "Bug" });
    const { page, expectNoTrouble } = await open(owner, `/settings/boards/${board.publicId}/labels`);
    await page.getByLabel("Name of Bug").fill(" ");
    await page.keyboard.press("Tab");
    expect(await page.getByLabel("Name of Bug").inputValue()).toBe("Bug");
    const path = `/workspaces/${workspace.publicId}/webhooks`;
    const events = ["card.created", "list.*"];
    const { publicId } = ok(
      await as(owner).post<{ publicId: string }>(path, { name: "Chat", url: "https://hooks.example.org/", events }),
    );
    await page.goto(`${here}/settings/workspaces/${workspace.publicId}/webhooks/${publicId}`);
    await fill(page, { Name: "Talk" });
    await button(page, "Save").click();
    await page.getByRole("status").getByText("Saved").waitFor();
    expect(ok(await as(owner).get<object[]>(path))).toMatchObject([
      { name: "Talk", events: expect.arrayContaining(events) },
    ]);
    expectNoTrouble();
  });
});
