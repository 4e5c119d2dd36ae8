// The page in a browser that translates it: no change fails because the browser has replaced the texts, and none stays unseen.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardNamed, cardsIn, connection } from "./boards.js";
import { NO_BROWSER, openTranslated } from "./harness.js";
import { button, heading } from "./people.js";
import { staleTexts } from "./translator.js";

const testing = await testApp({ WEBHOOK_ALLOW_PRIVATE: "true" });
const { as, make, listening } = testing;

type Body = Record<string, unknown>;

/** What somebody else changes, and how the page then looks. */
type Changes = readonly (readonly [change: () => Promise<unknown>, isShown: () => Promise<unknown>])[];

describe.skipIf(chromiumPath === undefined)(`a translated page${NO_BROWSER}`, async () => {
  const here = await listening();

  async function open(path: string, person?: Person) {
    const tab = await openTranslated(here + path, person);
    const expectIntact = async () => {
      expect(await staleTexts(tab.page)).toEqual([]);
      expect(await tab.page.getByText("could not be shown").count()).toBe(0);
      tab.expectNoTrouble();
    };
    return { ...tab, expectIntact };
  }

  async function see(changes: Changes, expectIntact: () => Promise<void>) {
    for (const [change, isShown] of changes) {
      await change();
      await isShown();
      await expectIntact();
    }
  }

  /** A board of three with a card that has everything, and calls that change it. */
  async function crowded() {
    const world = await boardOfThree(testing);
    const { admin, board, list, ids } = world;
    const { label } = await make.label({ board, name: "Urgent" });
    const others = await Promise.all(["Ada", "Ben", "Cleo", "Dan"].map(() => make.member(board, "member")));
    const a = `/cards/${ids.A}`;
    const put = async (path: string, fields: Body) => ok(await as(admin).put(path, fields));
    const post = async <T>(path: string, fields: Body) => ok(await as(admin).post<T>(path, fields));
    const remove = async (path: string) => ok(await as(admin).delete(path));
    const labels = (on: boolean) => put(`${a}/labels/${label.publicId}`, { on });
    const people = (on: boolean) =>
      Promise.all(others.map(({ memberPublicId }) => put(`${a}/members/${memberPublicId}`, { on })));
    return { ...world, a, put, post, remove, labels, people, list };
  }

  /** Every kind of change of the card A that a board shows, and back. */
  function changesOfCard(
    { a, ids, put, post, remove, labels, people }: Awaited<ReturnType<typeof crowded>>,
    page: Page,
  ) {
    // By attributes, because screen readers do not hear the board below an open card.
    const front = (id: string | undefined) => page.locator(`li:has(> a[href="/cards/${id}"])`);
    const card = front(ids.A);
    const checklist = post<{ publicId: string }>(`${a}/checklists`, { name: "Steps" });
    let item = "";
    let comment = "";
    const shows = (text: string) => () => card.getByText(text, { exact: true }).first().waitFor();
    const hides = (text: string) => () => card.getByText(text, { exact: true }).first().waitFor({ state: "detached" });
    const named = (name: string) => () => card.getByLabel(name).waitFor();
    return [
      [() => put(a, { completed: true }), () => card.locator("a > svg").waitFor()],
      [() => put(a, { completed: false }), () => card.locator("a > svg").waitFor({ state: "detached" })],
      [() => put(a, { title: "Alpha" }), shows("Alpha")],
      [() => put(a, { title: "A" }), shows("A")],
      [() => put(a, { dueDate: "2031-03-01" }), shows("1 Mar 2031")],
      [() => put(a, { dueDate: "2031-04-02" }), shows("2 Apr 2031")],
      [() => put(a, { dueDate: null }), hides("2 Apr 2031")],
      [() => labels(true), shows("Urgent")],
      [() => labels(false), hides("Urgent")],
      [() => put(a, { priority: "high" }), named("High priority")],
      [() => put(a, { description: "Long" }), named("Has a description")],
      [() => people(true), shows("+2")],
      [() => people(false), hides("+2")],
      [
        async () => {
          item = (
            await post<{ publicId: string }>(`/checklists/${(await checklist).publicId}/items`, { title: "First" })
          ).publicId;
        },
        shows("0/1"),
      ],
      [() => put(`/checklist-items/${item}`, { completed: true }), shows("1/1")],
      [
        async () => {
          comment = (await post<{ publicId: string }>(`${a}/comments`, { comment: "Said" })).publicId;
        },
        named("1 comment"),
      ],
      [() => post(`${a}/comments`, { comment: "Said again" }), named("2 comments")],
      [() => remove(`${a}/comments/${comment}`), named("1 comment")],
      [() => put(`/cards/${ids.B}`, { completed: true }), () => front(ids.B).locator("a > svg").waitFor()],
    ] satisfies Changes;
  }

  test("shows on the board every change of a card and of the lists, and of the board itself", {
    timeout: 120_000,
  }, async () => {
    const world = await crowded();
    const { admin, board, list, ids, put, post, remove, a } = world;
    const { page, expectIntact } = await open(`/boards/${board.publicId}`, admin);
    await connection(page).getByText("Live").waitFor();
    await see(changesOfCard(world, page), expectIntact);
    let made = "";
    await see(
      [
        [
          async () => {
            made = (await post<{ publicId: string }>("/cards", { listPublicId: list.publicId, title: "New one" }))
              .publicId;
          },
          () => cardNamed(page, "New one").waitFor(),
        ],
        [() => put(`/cards/${made}`, { index: 0 }), () => cardsIn(page, "Ideas").getByText("New one").waitFor()],
        [() => remove(`/cards/${made}`), () => cardNamed(page, "New one").waitFor({ state: "detached" })],
        [() => post(`/cards/${ids.C}/archive`, {}), () => cardNamed(page, "C").waitFor({ state: "detached" })],
        [() => post(`/cards/${ids.C}/unarchive`, {}), () => cardNamed(page, "C").waitFor()],
        [() => put(`/lists/${list.publicId}`, { name: "Dreams" }), () => heading2(page, "Dreams").waitFor()],
        [() => put(`/lists/${list.publicId}`, { name: "Ideas" }), () => heading2(page, "Ideas").waitFor()],
        [() => put(`/boards/${board.publicId}`, { name: "Renamed" }), () => heading(page, "Renamed").waitFor()],
        [
          () => post(`/boards/${board.publicId}/archive`, {}),
          () => page.getByRole("main").getByText("read-only").waitFor(),
        ],
        [
          () => post(`/boards/${board.publicId}/unarchive`, {}),
          () => page.getByRole("main").getByText("read-only").waitFor({ state: "detached" }),
        ],
      ],
      expectIntact,
    );
    await page.getByRole("link", { name: "A", exact: true }).focus();
    for (const key of ["c", "c", "x", "ArrowDown", "x", "Escape", "Alt+ArrowRight", "Control+z", "e", "Escape"]) {
      await page.keyboard.press(key);
      await expectIntact();
    }
    await button(page, "Filter").click();
    await page.getByRole("checkbox").first().click();
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "Filters" }).waitFor();
    await expectIntact();
    await button(page, "Clear").click();
    await cardNamed(page, "B").waitFor();
    await page.context().setOffline(true);
    await connection(page).getByText("Offline, 0 waiting").waitFor();
    await put(a, { completed: true });
    await page.context().setOffline(false);
    await connection(page).getByText("Live").waitFor();
    await expectIntact();
  });

  test("shows in an open card every change of it, what its reader does, and that it went away", {
    timeout: 120_000,
  }, async () => {
    const world = await crowded();
    const { admin, a, ids, put, post } = world;
    const { page, expectIntact } = await open(`/cards/${ids.A}`, admin);
    const card = page.getByRole("dialog");
    await card.getByRole("list", { name: "Activity" }).getByRole("listitem").first().waitFor();
    await see(changesOfCard(world, page), expectIntact);
    const field = card.getByRole("textbox", { name: "Write a comment" });
    for (const text of ["A **bold** text", "> quoted"]) {
      await field.fill(text);
      await button(page, "Preview").click();
      await button(page, "Comment").click();
      await expectIntact();
    }
    const said = card.getByRole("article").last();
    await said.getByText("quoted").waitFor();
    await said.getByRole("button", { name: "Edit" }).click();
    await said.getByRole("textbox").fill("changed");
    await said.getByRole("button", { name: "Save" }).click();
    await said.getByText("edited").waitFor();
    await said.getByRole("button", { name: "Reply" }).click();
    await said.getByRole("textbox").fill("a reply");
    await said.getByRole("button", { name: "Reply" }).last().click();
    await card.getByText("a reply").waitFor();
    await expectIntact();
    for (const name of ["Comments", "All", "Complete", "Reopen", "Copy link", "Hide done", "Hide done"]) {
      await button(page, name).first().click();
      await expectIntact();
    }
    for (const name of ["People", "Labels", "Due date", "Priority"]) {
      await card.getByRole("button", { name, exact: true }).click();
      await page.getByRole("dialog", { name, exact: true }).waitFor();
      await page.keyboard.press("Escape");
      await expectIntact();
    }
    await post(`${a}/archive`, {});
    await card.getByRole("status").getByText("archived").waitFor();
    await expectIntact();
    await post(`${a}/unarchive`, {});
    await card.getByRole("status").getByText("archived").waitFor({ state: "detached" });
    await put(a, { title: "Last" });
    await page.keyboard.press("Escape");
    await cardNamed(page, "Last").waitFor();
    await expectIntact();
  });

  /** Presses each button of a page and closes what it opens. */
  async function pressAll(page: Page, path: string, expectIntact: () => Promise<void>) {
    const buttons = page.locator(
      "main :is(button, input[type=checkbox], input[type=radio]):enabled:visible:not([aria-disabled=true])",
    );
    const controls = page.locator("main :is(button, input, a.btn)");
    await expect.poll(() => controls.count(), { message: path }).toBeGreaterThan(0);
    for (let at = 0; at < (await buttons.count()); at += 1) {
      const name = await buttons.nth(at).getAttribute("aria-label");
      const opens = await buttons.nth(at).getAttribute("aria-haspopup");
      await buttons.nth(at).click();
      // Its code may still be loading.
      if (opens === "menu") await page.getByRole("menu").waitFor();
      await expectIntact();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      if (new URL(page.url()).pathname !== path) await page.goto(here + path);
      expect.soft(await staleTexts(page), `${path}: ${name}`).toEqual([]);
    }
  }

  test("shows every other page, and what each of its buttons does", { timeout: 240_000 }, async () => {
    const owner = await make.instanceAdmin();
    const { workspace } = await make.workspace({ owner });
    const { board } = await make.board({ workspace, visibility: "public" });
    const { card } = await make.card({ list: (await make.list({ board, name: "Ideas" })).list, title: "A card" });
    const member = await make.member(board, "member");
    ok(await as(owner).put(`/cards/${card.publicId}`, { dueDate: new Date().toISOString().slice(0, 10) }));
    const { memberPublicId } = ok(
      await as(owner).get<{ me: { memberPublicId: string } }>(`/boards/${board.publicId}`),
    ).me;
    ok(await as(member).put(`/cards/${card.publicId}/members/${memberPublicId}`, { on: true }));
    ok(await as(member).post(`/cards/${card.publicId}/comments`, { comment: `@[x](${memberPublicId}) hello` }));
    const ofWorkspace = ["general", "members", "tags", "webhooks"];
    const ofBoard = ["general", "members", "labels", "archive"];
    const ofAccount = ["profile", "security", "notifications", "browser", "tokens", "data"];
    const paths = [
      "/",
      "/notifications",
      `/calendar/${workspace.publicId}`,
      ...ofWorkspace.map((section) => `/settings/workspaces/${workspace.publicId}/${section}`),
      ...ofBoard.map((section) => `/settings/boards/${board.publicId}/${section}`),
      ...ofAccount.map((section) => `/settings/account/${section}`),
      "/admin/users",
      `/boards/${board.publicId}`,
    ];
    const { page, expectIntact } = await open("/", owner);
    for (const path of paths) {
      await page.goto(here + path);
      await pressAll(page, path, expectIntact);
    }
    for (const path of [
      "/search",
      "/admin/audit",
      `/import/${workspace.publicId}`,
      `/public/boards/${board.publicId}`,
      "/nowhere",
    ]) {
      await page.goto(here + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expectIntact();
    }
    const stranger = await open("/");
    for (const path of ["/", "/account/reset"]) {
      await stranger.page.goto(here + path);
      await pressAll(stranger.page, path, stranger.expectIntact);
    }
  });

  const heading2 = (page: Page, name: string) => page.getByRole("heading", { level: 2, name, exact: true });
});
