// What people say about a card and what happens to it, in one line of time, in real browsers.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Card, ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { filesOf } from "../import/boardFiles.js";
import { NO_BROWSER, openAs } from "./harness.js";
import { answer, button } from "./people.js";

const { as, make, listening } = await testApp();

const TRAPS = `**Bold** <script>window.ran = 1</script> [a trap](javascript:window.ran=2) <img src=x onerror="window.ran=3">`;

const field = (page: Page) => page.getByRole("textbox", { name: "Write a comment" });
const line = (page: Page) => page.getByRole("list", { name: "Activity" });
const commentBy = (page: Page, name: string) => page.getByRole("article", { name: `Comment by ${name}` });

describe.skipIf(chromiumPath === undefined)(`comments and activity${NO_BROWSER}`, async () => {
  const here = await listening();

  async function open(person: Person, { publicId, title }: Pick<Card, "publicId" | "title">) {
    const tab = await openAs(person, `${here}/cards/${publicId}`);
    await tab.page.getByRole("dialog", { name: title, exact: true }).waitFor();
    await line(tab.page).getByRole("listitem").first().waitFor();
    return tab;
  }

  const stored = async (person: Person, { publicId }: Pick<Card, "publicId">) =>
    ok(await as(person).get<{ items: { comment: string }[] }>(`/cards/${publicId}/comments?limit=100`)).items.map(
      ({ comment }) => comment,
    );

  test("two people talk on a card, by keyboard alone: what one writes, mentions, edits and deletes, the other sees at once, and Markdown runs nothing", {
    timeout: 90_000,
  }, async () => {
    const { owner, board, card } = await make.card({ title: "A card" });
    const member = await make.member(board, "member");
    const { page, look, expectNoTrouble } = await open(owner, card);
    const other = await open(member, card);
    await field(page).focus();
    await page.keyboard.insertText(`${TRAPS} @${member.name.slice(0, 8)}`);
    await page.getByRole("option", { name: member.name }).waitFor();
    await look("comments-people");
    await field(page).focus();
    await page.keyboard.press("End");
    await page.getByRole("option", { name: member.name }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type("look");
    await button(page, "Preview").click();
    await page.getByRole("region", { name: "Preview" }).locator("strong").getByText("Bold").waitFor();
    await button(page, "Preview").click();
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => field(page).inputValue()).toBe("");

    const seen = commentBy(other.page, owner.name);
    await seen.locator("strong").getByText("Bold").waitFor();
    await seen.getByText(member.name, { exact: true }).waitFor();
    await seen.getByText("<script>window.ran = 1</script>").waitFor();
    expect(await seen.locator("img, script, [onerror], a[href]").count()).toBe(0);
    await seen.getByText("a trap").click();
    expect(await other.page.evaluate("window.ran")).toBe(undefined);
    const notifications = ok(await as(member).get<{ type: string }[]>("/notifications"));
    expect(notifications.map(({ type }) => type)).toContain("mention");

    await seen.getByRole("button", { name: "Reply" }).click();
    const reply = other.page.getByRole("textbox", { name: "Write a reply" });
    await other.page.keyboard.press("Escape");
    await reply.waitFor({ state: "detached" });
    await seen.getByRole("button", { name: "Reply" }).click();
    await other.page.keyboard.type("A reply");
    await other.page.keyboard.press("Escape");
    expect(await reply.inputValue()).toBe("A reply");
    await reply.press("Control+Enter");
    await commentBy(page, member.name).getByText("A reply").waitFor();
    expect(await commentBy(page, member.name).getByRole("button").allTextContents()).toEqual(["Edit", "Delete"]);
    expect(await seen.getByRole("button", { name: "Edit" }).count()).toBe(1);

    await commentBy(page, owner.name).getByRole("button", { name: "Edit" }).first().focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("Better");
    await page.keyboard.press("Control+Enter");
    await seen.getByText("Better").waitFor();
    await seen.getByText("edited").waitFor();
    await look("comments");
    await field(page).fill("one\ntwo");
    await field(page).press("Control+a");
    await button(page, "List").click();
    expect(await field(page).inputValue()).toBe("- one\n- two");
    await field(page).press("Control+a");
    await button(page, "Bold").click();
    expect(await field(page).inputValue()).toBe("**- one\n- two**");
    await field(page).press("Control+z");
    expect(await field(page).inputValue()).toBe("- one\n- two");
    await field(page).fill("");

    await as(member).put(`/cards/${card.publicId}`, { priority: "high" });
    await line(page).getByText(`${member.name} set the priority of this card to high`).waitFor();
    await line(other.page).getByText("You set the priority of this card to high").waitFor();
    await page.getByRole("group", { name: "Show" }).getByRole("button", { name: "Comments" }).click();
    await line(page).getByText("set the priority").waitFor({ state: "detached" });

    await commentBy(page, owner.name).getByRole("button", { name: "Delete" }).first().click();
    await answer(page, "Delete");
    await seen.waitFor({ state: "detached" });
    await commentBy(other.page, member.name).getByText("A reply").waitFor();
    expect(await stored(owner, card)).toEqual(["A reply"]);
    for (const tab of [{ expectNoTrouble }, other]) tab.expectNoTrouble();
  });

  test("earlier comments and events come on request, without gaps, and a guest edits what is their own alone", {
    timeout: 90_000,
  }, async () => {
    const { owner, board, card } = await make.card({ title: "A card" });
    const guest = await make.member(board, "guest");
    ok(await as(owner).put(`/cards/${card.publicId}`, { priority: "low" }));
    for (let at = 1; at <= 55; at += 1)
      ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment: `Comment ${at}` }));
    ok(await as(guest).post(`/cards/${card.publicId}/comments`, { comment: "Mine" }));
    const { page, expectNoTrouble } = await open(guest, card);
    await line(page).getByText("Comment 55", { exact: true }).waitFor();
    expect(await line(page).getByText("Comment 1", { exact: true }).count()).toBe(0);
    expect(await commentBy(page, guest.name).getByRole("button").allTextContents()).toEqual([
      "Reply",
      "Edit",
      "Delete",
    ]);
    expect(await commentBy(page, owner.name).last().getByRole("button").allTextContents()).toEqual(["Reply"]);
    const earlier = button(page, "Show earlier");
    await expect
      .poll(async () => {
        if ((await earlier.count()) > 0) await earlier.click();
        return earlier.count();
      })
      .toBe(0);
    const all = await line(page).getByRole("listitem").allTextContents();
    expect(all[0]).toContain("added this card to");
    expect(all[1]).toContain("set the priority of this card to low");
    expect(all).toHaveLength(58);
    expectNoTrouble();
  });

  test("an imported comment of somebody else has their name, also for the person who imported it", async () => {
    const { owner, board, card, workspace } = await make.card({ title: "A card" });
    const bea = await make.member(board, "member");
    ok(await as(bea).post(`/cards/${card.publicId}/comments`, { comment: "Of Bea" }));
    const { exported, imported } = filesOf(as(owner));
    const { file } = await imported(workspace, await exported(board.publicId));
    const [copy] = file.cards;
    const { page, expectNoTrouble } = await open(owner, { publicId: copy?.publicId ?? "", title: "A card" });
    const said = commentBy(page, bea.name);
    await said.getByText("Of Bea").waitFor();
    await said.locator("header").getByText(bea.name, { exact: true }).waitFor();
    expectNoTrouble();
  });

  test("activity writes dates in the form of the reader's language", async () => {
    const { owner, card } = await make.card({ title: "A card" });
    ok(await as(owner).put(`/cards/${card.publicId}`, { dueDate: "2026-12-24" }));
    const { page, expectNoTrouble } = await open(owner, card);
    await line(page).getByText("24 Dec 2026").waitFor();
    expectNoTrouble();
  });

  test("a mention in the middle of a text reads as a name, keeps what stands behind it, and is letters once one of its letters is deleted", async () => {
    const { owner, board, card } = await make.card({ title: "A card" });
    const member = await make.member(board, "member");
    const mention = `@[${member.name}](${member.memberPublicId})`;
    const { page, expectNoTrouble } = await open(owner, card);
    await field(page).fill("Ask  before Friday");
    await field(page).press("Home");
    for (let step = 0; step < 4; step += 1) await page.keyboard.press("ArrowRight");
    await page.keyboard.type(`@${member.name.slice(0, 10)}`);
    await page.getByRole("option", { name: member.name }).click();
    await page.keyboard.type("!");
    expect(await field(page).inputValue()).toBe(`Ask @${member.name} ! before Friday`);
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("Please: ");
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" and ");
    expect(await page.getByRole("option").count()).toBe(0);
    await page.keyboard.type(`@${member.name.slice(0, 10)}`);
    await page.getByRole("option", { name: member.name }).click();
    for (let step = 0; step < 2; step += 1) await page.keyboard.press("Backspace");
    expect(await field(page).inputValue()).toBe(
      `Please: Ask @${member.name} ! before Friday and @${member.name.slice(0, -1)}`,
    );
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Enter");
    const comment = `Please: Ask ${mention} ! before Friday and @${member.name.slice(0, -1)}`;
    await expect.poll(() => stored(owner, card)).toEqual([comment]);
    await commentBy(page, owner.name).getByRole("button", { name: "Edit" }).click();
    const edited = page.getByRole("textbox", { name: "Edit the comment" });
    expect(await edited.inputValue()).toBe(
      `Please: Ask @${member.name} ! before Friday and @${member.name.slice(0, -1)}`,
    );
    await edited.press("End");
    await page.keyboard.type(".");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => stored(owner, card)).toEqual([`${comment}.`]);
    expectNoTrouble();
  });

  test.each([
    ["王芳", "请看@王", "请看"],
    ["王芳", "请看＠王", "请看"],
    ["さくら", "カード@さ", "カード"],
    ["สมชาย", "ดูที่@สม", "ดูที่"],
    ["Zoë Ångström", "see (@zoe", "see ("],
    ["Zoë Ångström", "см.:@angstrom", "см.:"],
  ])(
    "people are offered behind an @ without a blank before it, whatever its form and accents: %s by %s",
    async (name, typed, before) => {
      const { owner, board, card } = await make.card({ title: "A card" });
      const member = await make.member(board, "member");
      ok(await as(member).put("/users/me", { name }));
      const { page, expectNoTrouble } = await open(owner, card);
      await field(page).focus();
      await page.keyboard.insertText(typed);
      await page.getByRole("option", { name }).waitFor();
      await page.keyboard.press("Enter");
      expect(await field(page).inputValue()).toBe(`${before}@${name} `);
      await page.keyboard.press("Control+Enter");
      await expect.poll(() => stored(owner, card)).toEqual([`${before}@[${name}](${member.memberPublicId})`]);
      expectNoTrouble();
    },
  );

  test.each([
    ["de-DE", "de-DE"],
    ["en-GB", null],
  ])("in a browser with the language %s, the language of a date is %s", async (locale, lang) => {
    const { owner, card } = await make.card({ title: "A card" });
    const { page } = await openAs(owner, `${here}/cards/${card.publicId}`, { locale });
    const time = line(page).getByRole("listitem").first().locator("time");
    expect(await time.getAttribute("lang")).toBe(lang);
  });

  test("nobody is offered within addresses of mail and of the web", async () => {
    const { owner, board, card } = await make.card({ title: "A card" });
    const { name } = await make.member(board, "member");
    const { page, expectNoTrouble } = await open(owner, card);
    for (const before of ["ada@", "müller@", "ada.@", "https://example.org/@"]) {
      await field(page).fill(`${before}${name.slice(0, 6)}`);
      expect(await page.getByRole("option").count(), before).toBe(0);
    }
    await field(page).fill(`@${name.slice(0, 6)}`);
    await page.getByRole("option", { name }).waitFor();
    expectNoTrouble();
  });
});
