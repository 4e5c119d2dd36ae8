// Importing boards at the page, in a real browser: tables, boards of Trello, and board files.
//
// @module-tag slow

import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { titlesIn } from "./boards.js";
import { LAN_HOST, NO_BROWSER, openAs } from "./harness.js";
import { button, heading } from "./people.js";

const { as, make, listening } = await testApp();

const sample = (name: string) => readFile(new URL(`../../examples/${name}`, import.meta.url), "utf8");

const sampleFile = (name: string) => readFile(new URL(`../files/${name}`, import.meta.url));

const TICKETS = `Summary;State;Tags;Due;Watchers
Export fails for guests;Open;bug, shop;24.12.2026;mira
"Typo in
footer";Done;copy;no day;
;Open;;;
`;

describe.skipIf(chromiumPath === undefined)(`imports${NO_BROWSER}`, async () => {
  const here = await listening();

  async function open(person: Person, workspace: { publicId: string; name: string }, origin = here, locale = "en-GB") {
    const tab = await openAs(person, origin, { locale });
    const { page } = tab;
    await page.getByRole("link", { name: `Import into ${workspace.name}` }).click();
    await heading(page, `Import into ${workspace.name}`).waitFor();
    const choose = (name: string, text: string | Buffer) =>
      page
        .getByLabel("Choose a file")
        .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.isBuffer(text) ? text : Buffer.from(text) });
    return { ...tab, choose };
  }

  test("a table is read, its columns are chosen, tried without making anything, and imported", async () => {
    const { owner, workspace } = await make.workspace();
    const { page, choose, look, expectNoTrouble } = await open(owner, workspace);
    await look("import-file");
    await choose("tickets.csv", TICKETS);
    await page.getByText("3 rows, 5 columns").waitFor();
    expect(await page.getByLabel("Separator").inputValue()).toBe(";");
    expect(await page.getByLabel("Summary becomes").inputValue()).toBe("title");
    await page.getByLabel("State becomes").selectOption("List");
    await page.getByLabel("Watchers becomes").selectOption("People");
    await page.getByLabel("Name of the new board").fill("Tickets");
    await page.getByRole("list", { name: "First cards" }).getByText("Export fails for guests").waitFor();
    await button(page, "Trial run").click();
    await page.getByRole("heading", { name: "What would happen" }).waitFor();
    const notes = page.getByRole("list", { name: "Where the result differs from the file" });
    await notes.getByText("Row 2: the date cannot be read, and is left out: “no day”").waitFor();
    await notes.getByText("Row 3: there is no title, and it is skipped").waitFor();
    await page.getByText("Left out, since they are no members: mira").waitFor();
    await look("import-trial");
    expect(ok(await as(owner).get(`/workspaces/${workspace.publicId}/boards`))).toEqual([]);
    await button(page, "Import").click();
    await look("import-done");
    await page.getByRole("link", { name: "Open the board" }).click();
    await heading(page, "Tickets").waitFor();
    await expect.poll(() => titlesIn(page, "Open")).toEqual(["Export fails for guests"]);
    expectNoTrouble();
  });

  test("a table of more rows than one call takes goes to one board, which can be one that is there", async () => {
    const { owner, board, workspace } = await make.board();
    const { page, choose, expectNoTrouble } = await open(owner, workspace);
    const lines = (await sample("backlog.csv")).split("\n");
    await choose(
      "long.csv",
      [...lines, ...Array.from({ length: 5 }, (_, index) => `One more ${index},,Late,,,`)].join("\n"),
    );
    await button(page, "Trial run").click();
    const report = page.getByRole("region", { name: "What would happen" });
    await report.getByText("2,005").waitFor({ timeout: 60_000 });
    expect(await report.getByRole("definition").first().textContent()).toBe("1");
    await page.getByLabel("Where the cards go").selectOption(board.name);
    await button(page, "Trial run").click();
    await report.getByText("2,005").waitFor({ timeout: 60_000 });
    await button(page, "Import").click();
    await page.getByRole("link", { name: "Open the board" }).waitFor({ timeout: 60_000 });
    const { lists } = ok(
      await as(owner).get<{ lists: { name: string; cards: unknown[] }[] }>(`/boards/${board.publicId}`),
    );
    expect(lists.find(({ name }) => name === "Late")?.cards.length).toBe(5);
    expect(lists.reduce((sum, { cards }) => sum + cards.length, 0)).toBeGreaterThan(2000);
    expectNoTrouble();
  });

  test("while a table is imported, the page says how many of its rows are done, in numbers of its own language", async () => {
    const { owner, workspace } = await make.workspace();
    const { page, choose, expectNoTrouble } = await open(owner, workspace, here, "de-DE");
    const goOn: (() => void)[] = [];
    await page.route(/\/trpc\/import\.csv(?:\?|$)/, async (route) => {
      await new Promise<void>((resolve) => goOn.push(resolve));
      await route.continue();
    });
    await choose("short.csv", "Title\nOne");
    await page.getByText("1 row, 1 column", { exact: true }).waitFor();
    await page.getByLabel("First row has column names").waitFor();
    await button(page, "Trial run").click();
    await page.getByRole("status").getByText("Trying the import…", { exact: true }).waitFor();
    goOn.shift()?.();
    await button(page, "Import").waitFor();
    await button(page, "Choose another file").click();
    await choose("long.csv", ["Title", ...Array.from({ length: 2001 }, (_, index) => `Card ${index}`)].join("\n"));
    await button(page, "Trial run").click();
    for (const done of ["0", "2,000"]) {
      await page.getByRole("status").getByText(`${done} of 2,001 rows done…`, { exact: true }).waitFor();
      await expect.poll(() => goOn.length).toBe(1);
      goOn.shift()?.();
    }
    await button(page, "Import").waitFor();
    expectNoTrouble();
  });

  test("rows of a long table are named by their number in the file, and other columns or another board ask for another trial", async () => {
    const { owner, board, workspace } = await make.board();
    const { page, choose, expectNoTrouble } = await open(owner, workspace);
    const rows = Array.from({ length: 2001 }, (_, index) => `${index === 2000 ? "" : `Card ${index}`},Open,Later`);
    await choose("long.csv", ["Title,Status,Other", ...rows].join("\n"));
    await button(page, "Trial run").click();
    const report = page.getByRole("region", { name: "What would happen" });
    await report.getByText("Row 2001: there is no title, and it is skipped").waitFor({ timeout: 60_000 });
    await page.getByLabel("Where the cards go").selectOption(board.name);
    await report.waitFor({ state: "detached" });
    expect(await button(page, "Import").count()).toBe(0);
    await page.getByLabel("Other becomes").selectOption("Title");
    expect(await page.getByLabel("Title becomes").inputValue()).toBe("");
    expectNoTrouble();
  });

  test("a table with cells that are too long and too many columns is imported, and what is left out is said", async () => {
    const { owner, workspace } = await make.workspace();
    const { page, choose, expectNoTrouble } = await open(owner, workspace);
    const rows = Array.from({ length: 2000 }, (_, index) => `Card ${index + 1},`);
    const wide = `Wide,,${"x,".repeat(250)}`;
    const file = ["Summary,Description,Status", ...rows, wide, `Last,begins${"y".repeat(20_000)}`, ",Open"].join("\n");
    await choose("jira.csv", file);
    await page.getByText("Columns beyond the first 200 of a file are left out.").waitFor({ state: "detached" });
    await button(page, "Trial run").click();
    const notes = page.getByRole("list", { name: "Where the result differs from the file" }).getByRole("listitem");
    await notes.first().waitFor({ timeout: 60_000 });
    expect(await notes.allTextContents()).toEqual([
      expect.stringMatching(/^Row 2002: the text is too long, and is cut: “beginsy{194}”$/),
      "Row 2003: there is no title, and it is skipped",
    ]);
    await button(page, "Import").click();
    await page.getByRole("link", { name: "Open the board" }).waitFor({ timeout: 60_000 });
    expect((await notes.allTextContents())[0]).toMatch(/^Row 2002: the text is too long/);
    await button(page, "Import another file").click();
    await choose("many.csv", ["Summary,Status", wide, wide].join("\n"));
    await page.getByText("2 rows, 200 columns").waitFor();
    await page.getByText("Columns beyond the first 200 of a file are left out.").waitFor();
    expectNoTrouble();
  });

  test.each([
    ["a table", "tickets.csv", async () => TICKETS],
    ["a board of Trello", "trello.json", () => sample("trello-board.json")],
  ])(
    "%s whose answer was lost is imported once, however often one tries",
    { timeout: 90_000 },
    async (_, name, text) => {
      const { owner, workspace } = await make.workspace();
      const { page, choose, expectNoTrouble } = await open(owner, workspace);
      await choose(name, await text());
      if (name.endsWith(".csv")) await button(page, "Trial run").click();
      await page.getByRole("heading", { name: "What would happen" }).waitFor();
      await page.route("**/trpc/import.*", async (route) => {
        await route.fetch();
        await route.fulfill({ status: 404 });
      });
      await button(page, "Import").click();
      await page.getByRole("alert").waitFor();
      await page.unrouteAll();
      await button(page, "Import").click();
      await page.getByRole("link", { name: "Open the board" }).waitFor();
      expect(ok(await as(owner).get<object[]>(`/workspaces/${workspace.publicId}/boards`))).toHaveLength(1);
      expectNoTrouble();
    },
  );

  test("a board of Trello is tried when it was chosen, and imported, as on a LAN", async () => {
    const { owner, workspace } = await make.workspace();
    const { page, choose, look, expectNoTrouble } = await open(
      owner,
      workspace,
      `http://${LAN_HOST}:${new URL(here).port}`,
    );
    await choose("trello.json", await sample("trello-board.json"));
    await page.getByText("A board of Trello").waitFor();
    await page.getByRole("heading", { name: "What would happen" }).waitFor();
    await look("import-trello");
    await button(page, "Import").click();
    await page.getByRole("link", { name: "Open the board" }).click();
    await page.getByRole("region").first().waitFor();
    const [made] = ok(await as(owner).get<{ name: string }[]>(`/workspaces/${workspace.publicId}/boards`));
    await heading(page, made?.name ?? "").waitFor();
    expectNoTrouble();
  });

  test("a file that is wrong is refused with the line and the column, and the mended one is imported", async () => {
    const { owner, board, workspace } = await make.card({ title: "A card of a file" });
    const file = (await as(owner).get(`/boards/${board.publicId}/export`)).text;
    const { page, choose, expectNoTrouble } = await open(owner, workspace);
    const alert = page.getByRole("alert");
    await choose("board.json", '{\n  "format": nothing\n}');
    await alert.getByText("The file is no valid JSON: see line 2, column 13.").waitFor();
    await choose("board.json", file.replace('"title":"A card of a file"', '"title":5'));
    await alert.getByText(/^At cards\[0\]\.title: /).waitFor();
    await button(page, "Choose another file").click();
    await choose("table.csv", 'Title;List\n"Open;Open\n');
    await alert.getByText("Line 2: a quoted cell begins here and never ends.").waitFor();
    await button(page, "Choose another file").click();
    await choose("board.json", file);
    await button(page, "Import").click();
    await page.getByRole("link", { name: "Open the board" }).click();
    await page.getByRole("link", { name: "A card of a file" }).waitFor();
    expectNoTrouble();
  });

  test("a text in the code page of a spreadsheet is read, and a guest is offered no import", async () => {
    const { owner, board, workspace } = await make.board();
    const guest = await make.member(board, "guest");
    const { page, choose, expectNoTrouble } = await open(owner, workspace);
    await choose("umlauts.csv", Buffer.from("Title;List\nBüro räumen;Für später\n", "latin1"));
    await page.getByRole("list", { name: "First cards" }).getByText("Büro räumen").waitFor();
    const theirs = await openAs(guest, here);
    await theirs.page.getByRole("region", { name: workspace.name }).waitFor();
    expect(await theirs.page.getByRole("link", { name: /^Import/ }).count()).toBe(0);
    await theirs.page.goto(`${here}/import/${workspace.publicId}`);
    await heading(theirs.page, "Nothing here").waitFor();
    expectNoTrouble();
    theirs.expectNoTrouble();
  });

  test("the encoding of a table is guessed, shown and chosen anew, also where the choice makes it unreadable", async () => {
    const { owner, workspace } = await make.workspace();
    const { page, choose, look, expectNoTrouble } = await open(owner, workspace);
    const first = page.getByRole("list", { name: "First cards" });
    const encoding = page.getByLabel("Encoding");
    await choose("cp1251.csv", await sampleFile("cp1251.csv"));
    await first.getByText("Исправить вход").waitFor();
    expect(await encoding.inputValue()).toBe("windows-1251");
    expect(await page.getByLabel("Название becomes").inputValue()).toBe("title");
    await look("import-encoding");
    await encoding.selectOption("Western European (Windows)");
    await first.getByText("Èñïðàâèòü âõîä").waitFor();
    await encoding.selectOption("UTF-8");
    await page.getByRole("alert").getByText("Line 1: this is not text in UTF-8").waitFor();
    await encoding.selectOption("Cyrillic (Windows)");
    await first.getByText("Исправить вход").waitFor();
    await button(page, "Choose another file").click();
    await choose("sjis.csv", await sampleFile("sjis.csv"));
    await first.getByText("ログイン画面を直す").waitFor();
    expect(await encoding.inputValue()).toBe("shift_jis");
    await button(page, "Trial run").click();
    await button(page, "Import").click();
    await page.getByRole("link", { name: "Open the board" }).click();
    await page.getByRole("link", { name: "議事録を書く" }).waitFor();
    expectNoTrouble();
  });

  test("a table may begin with a bracket, a board's file with comments, and files of other products are named", async () => {
    const { owner, board, workspace } = await make.card({ title: "A card behind comments" });
    const file = (await as(owner).get(`/boards/${board.publicId}/export`)).text;
    const { page, choose, expectNoTrouble } = await open(owner, workspace);
    const alert = page.getByRole("alert");
    await choose("wekan.json", await sampleFile("wekan.json"));
    await alert.getByText("This is a file of Wekan, which cannot be imported yet.").waitFor();
    await choose("planka.json", JSON.stringify({ item: { id: "1", name: "B" }, included: { lists: [], cards: [] } }));
    await alert.getByText("This is a file of Planka, which cannot be imported yet.").waitFor();
    await choose("other.json", JSON.stringify({ name: "B", cards: [] }));
    await alert.getByText("The file holds no board.").waitFor();
    await choose("mistake.json", '// A comment\n{\n  "format": nothing\n}');
    await alert.getByText("The file is no valid JSON: see line 3, column 13.").waitFor();
    await choose("bracket.csv", await sampleFile("bracket.csv"));
    await page.getByText("2 rows, 3 columns").waitFor();
    await page.getByRole("list", { name: "First cards" }).getByText("[Bug] Login fails").waitFor();
    await button(page, "Choose another file").click();
    await choose("brace.txt", "{Draft} One,Doing\n{Draft} Two,Doing\n");
    await page.getByRole("list", { name: "First cards" }).getByText("{Draft} One").waitFor();
    await button(page, "Choose another file").click();
    await choose("board.json", `# Exported on Monday\n\n/* by\n   hand */ // twice\n${file}`);
    await page.getByText("A board file").waitFor();
    await button(page, "Import").click();
    await page.getByRole("link", { name: "Open the board" }).click();
    await page.getByRole("link", { name: "A card behind comments" }).waitFor();
    expectNoTrouble();
  });

  test("whoever comes back from a provider is told how to import its file, and the token leaves the address bar", async () => {
    const { owner, workspace } = await make.workspace();
    const guests = await make.list();
    await make.member(guests.board, "guest", owner);
    const { page, look, expectNoTrouble } = await openAs(owner, `${here}/integration/trello?state=a#token=secret`);
    await heading(page, "Import from Trello").waitFor();
    expect(page.url()).toBe(`${here}/integration/trello`);
    await look("import-from-provider");
    expect(await page.getByRole("main").getByRole("link").allTextContents()).toEqual([`Import into ${workspace.name}`]);
    await page.getByRole("main").getByRole("link").click();
    await heading(page, `Import into ${workspace.name}`).waitFor();
    await page.goto(`${here}/integration/github?code=secret&state=a`);
    await heading(page, "Import from GitHub").waitFor();
    expect(page.url()).toBe(`${here}/integration/github`);
    await page.goto(`${here}/integration/elsewhere`);
    await heading(page, "Nothing here").waitFor();
    expectNoTrouble();
  });
});
