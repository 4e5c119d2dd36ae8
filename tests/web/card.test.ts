// A card over its board, in real browsers: its text, its properties, and its address.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Card, ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { LAN_HOST, NO_BROWSER, openAs } from "./harness.js";
import { button, heading } from "./people.js";

interface StoredCard {
  title: string;
  description: string;
  dueDate: string | null;
  completedAt: string | null;
  archivedAt: string | null;
  priority: string;
  labels: { name: string }[];
  members: { name: string }[];
}

const { as, make, listening } = await testApp();

const dialog = (page: Page, title: string) => page.getByRole("dialog", { name: title, exact: true });
const TEXT = `# Plan

- **bold** and \`code\`
- [a link](https://example.org/) and [a trap](javascript:alert(1))

![a picture](https://example.org/a.png) [![a badge](https://example.org/b.png)](https://example.org/ci)

- [x] done
- [ ] open

<script>window.ran = 1</script><b style="color:red" onclick="window.ran = 2">html</b>

\`\`\`
POST /v2/quotes
\`\`\``;

describe.skipIf(chromiumPath === undefined)(`a card${NO_BROWSER}`, async () => {
  const here = await listening();

  /** Opens the card of an admin at an address, by default the card's own. */
  const open = (person: Person, path: string, origin = here) => openAs(person, origin + path);

  const stored = async (person: Person, { publicId }: Card) =>
    ok(await as(person).get<StoredCard>(`/cards/${publicId}`));

  test("it opens over its board at its own address; Escape and going back close it, with the focus on the card", async () => {
    const { owner, board, card } = await make.card({ title: "A card" });
    const { page, expectNoTrouble } = await open(owner, `/boards/${board.publicId}`);
    const link = page.getByRole("link", { name: "A card" });
    for (const close of [
      () => page.keyboard.press("Escape"),
      () => page.goBack(),
      () => button(page, "Close").click(),
    ]) {
      await link.click();
      await dialog(page, "A card").waitFor();
      expect(new URL(page.url()).pathname).toBe(`/cards/${card.publicId}`);
      await close();
      await dialog(page, "A card").waitFor({ state: "detached" });
      expect(new URL(page.url()).pathname).toBe(`/boards/${board.publicId}`);
      await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("A card");
    }
    expectNoTrouble();
  });

  test("its address leads to it over its board, and closing leads to the board", async () => {
    const { owner, board, card } = await make.card({ title: "A card" });
    const { page, expectNoTrouble } = await open(owner, `/cards/${card.publicId}`);
    await dialog(page, "A card").waitFor();
    expect(await page.title()).toBe("A card · work-board");
    await page.keyboard.press("Escape");
    await heading(page, board.name).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/boards/${board.publicId}`);
    expectNoTrouble();
  });

  test("title, description, completion, labels old and new, people, due date and priority are stored, and shown to others at once", async () => {
    const { owner, board, card } = await make.card({ title: "A card" });
    ok(await as(owner).post("/labels", { boardPublicId: board.publicId, name: "Bug", colourCode: "#e5484d" }));
    const member = await make.member(board, "member");
    const { page, expectNoTrouble } = await open(owner, `/cards/${card.publicId}`);
    const other = await open(member, `/boards/${board.publicId}`);
    const cardOf = dialog(page, "A card");
    await cardOf.getByRole("textbox", { name: "Description" }).fill("Some **text**");
    await page.keyboard.press("Control+Enter");
    await cardOf.locator("strong").getByText("text").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Edit description");
    await cardOf.getByRole("button", { name: "Labels", exact: true }).click();
    await page.getByRole("checkbox", { name: "Bug" }).check();
    await page.getByRole("textbox", { name: "Find or make a label" }).fill("Brand new");
    await page.keyboard.press("Enter");
    await page.getByRole("checkbox", { name: "Brand new" }).waitFor();
    await page.keyboard.press("Escape");
    await cardOf.getByRole("button", { name: "People", exact: true }).click();
    await page.getByRole("checkbox", { name: member.name }).check();
    await page.keyboard.press("Escape");
    await cardOf.getByRole("button", { name: "Due date", exact: true }).click();
    await button(page, "Tomorrow").click();
    await cardOf.getByRole("button", { name: "Priority", exact: true }).click();
    await button(page, "High priority").click();
    await button(page, "Complete").click();
    await button(page, "Reopen").waitFor();
    await cardOf.getByRole("textbox", { name: "Title" }).fill("A better card");
    await page.keyboard.press("Enter");
    await dialog(page, "A better card").waitFor();
    await expect.poll(async () => (await stored(owner, card)).title).toBe("A better card");
    const tomorrow = new Date(Date.now() + 86_400_000).toLocaleDateString("sv", { timeZone: "Europe/Berlin" });
    expect(await stored(owner, card)).toMatchObject({
      description: "Some **text**",
      dueDate: `${tomorrow}T00:00:00.000Z`,
      completedAt: expect.any(String),
      priority: "high",
      labels: [{ name: "Brand new" }, { name: "Bug" }],
      members: [{ name: member.name }],
    });
    const seen = other.page.getByRole("listitem").filter({ hasText: "A better card" });
    await seen.getByText("Brand new").waitFor();
    await seen.getByRole("img", { name: "Assigned to you" }).waitFor();
    for (const tab of [{ expectNoTrouble }, other]) tab.expectNoTrouble();
  });

  test("a description runs nothing, loads nothing from elsewhere and leads only to web addresses", async () => {
    const { owner, card } = await make.card({ title: "A card", description: TEXT });
    const { page, look, expectNoTrouble } = await open(
      owner,
      `/cards/${card.publicId}`,
      `http://${LAN_HOST}:${new URL(here).port}`,
    );
    const text = page.getByRole("region", { name: "Description" });
    await text.getByRole("heading", { name: "Plan" }).waitFor();
    expect(await text.locator("img, script, [style], [onclick]").count()).toBe(0);
    expect(await text.getByRole("link").evaluateAll((all) => all.map((one) => Reflect.get(one, "href")))).toEqual([
      "https://example.org/",
      "https://example.org/a.png",
      "https://example.org/ci",
    ]);
    await text.getByRole("link", { name: "a picture" }).waitFor();
    await text.getByRole("link", { name: "a badge" }).waitFor();
    await text.getByRole("listitem").filter({ hasText: "☑ done" }).waitFor();
    await text.getByRole("listitem").filter({ hasText: "☐ open" }).waitFor();
    expect(await page.evaluate("window.ran")).toBe(undefined);
    await look("card");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("button", { name: "Labels", exact: true }).click();
    await page.getByRole("textbox", { name: "Find or make a label" }).waitFor();
    await look("card-labels");
    expectNoTrouble();
  });

  test("a card that somebody else archives, moves away or deletes while it is open stays, and says which, with the next step", async () => {
    const { owner, board, list, card, workspace } = await make.card({ title: "A card" });
    const { list: elsewhere, board: other } = await make.list({ board: (await make.board({ workspace })).board });
    const { card: doomed } = await make.card({ list, title: "Doomed" });
    const { page, look, expectNoTrouble } = await open(owner, `/cards/${card.publicId}`);
    await page.getByRole("list", { name: "Activity" }).getByRole("listitem").first().waitFor();
    const notice = dialog(page, "A card").getByRole("status").filter({ hasText: "This card" });
    ok(await as(owner).post(`/cards/${card.publicId}/archive`));
    await notice.getByText("This card is archived.").waitFor();
    expect((await notice.boundingBox())?.height).toBeLessThan(60);
    await look("card-archived");
    await notice.getByRole("button", { name: "Restore" }).click();
    await notice.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement?.getAttribute('role')")).toBe("dialog");
    await expect.poll(async () => (await stored(owner, card)).archivedAt).toBe(null);
    ok(await as(owner).put(`/cards/${card.publicId}`, { listPublicId: elsewhere.publicId }));
    await notice.getByText(`This card was moved to the board ${other.name}.`).waitFor();
    await look("card-moved");
    await notice.getByRole("link", { name: "Open that board" }).click();
    await heading(page, other.name).waitFor();
    await page.goto(`${here}/cards/${doomed.publicId}`);
    await page.getByRole("list", { name: "Activity" }).getByRole("listitem").first().waitFor();
    ok(await as(owner).delete(`/cards/${doomed.publicId}`));
    await dialog(page, "Doomed").getByText("This card was deleted").waitFor();
    expect(board.publicId).not.toBe(other.publicId);
    expectNoTrouble();
  });

  test("a guest reads a card and is offered no change but a comment", async () => {
    const { board, card } = await make.card({ title: "A card", description: "Read me" });
    const guest = await make.member(board, "guest");
    const { page } = await open(guest, `/cards/${card.publicId}`);
    await dialog(page, "A card").getByText("Read me").waitFor();
    await page.getByRole("list", { name: "Activity" }).getByRole("listitem").first().waitFor();
    const names = await dialog(page, "A card")
      .getByRole("button")
      .evaluateAll((all) => all.map((one) => Reflect.get(one, "ariaLabel") ?? Reflect.get(one, "textContent")));
    const ofComment = ["Bold", "List", "Code", "Link", "Preview", "Comment"];
    expect(names).toEqual(["Copy link", "Close", "All", "Comments", ...ofComment]);
  });

  test("today and next week are those of the reader's calendar", async () => {
    const { owner, card } = await make.card({ title: "A card" });
    const { page, expectNoTrouble } = await open(owner, `/cards/${card.publicId}`);
    await page.clock.setFixedTime("2026-12-10T23:30:00Z");
    for (const [name, dueDate] of [
      ["Today", "2026-12-11"],
      ["Next week", "2026-12-18"],
    ] as const) {
      await dialog(page, "A card").getByRole("button", { name: "Due date", exact: true }).click();
      await button(page, name).click();
      await expect.poll(async () => (await stored(owner, card)).dueDate).toBe(`${dueDate}T00:00:00.000Z`);
    }
    expectNoTrouble();
  });
});
