// Those who build a front end: the pages of docs/front-end.md and examples/board.html, as somebody serves them who has installed the
// client, in a real browser, on localhost and where the address is no secure context.
// @module-tag slow

import { once } from "node:events";
import { cp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { storedLists } from "../web/boards.js";
import { LAN_HOST, NO_BROWSER, openTab } from "../web/harness.js";
import { fill } from "../web/people.js";
import { example } from "./guides.js";
import { addPackages, installedClient, ROOT } from "./packing.js";
import { bundled, compile } from "./projects.js";

const GUIDE = "docs/front-end.md";
const EXAMPLE = join(ROOT, "examples/board.html");
const TIMEOUT_MS = 120_000;
const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript" };

const project = await installedClient();
const { folder } = project;
await cp(EXAMPLE, join(folder, "board.html"));
const write = (name: string, text: string) => writeFile(join(folder, name), text);

/** A server of files that knows nothing of the service. */
const files = createServer(async ({ url = "" }, response) => {
  const content = await readFile(join(folder, new URL(url, "http://localhost").pathname)).catch(() => null);
  response
    .writeHead(content === null ? 404 : 200, { "content-type": TYPES[extname(url)] ?? "text/plain" })
    .end(content);
});
await once(files.listen(0, "127.0.0.1"), "listening");
afterAll(() => void files.close());
const address = files.address();
const port = typeof address === "object" ? address?.port : "";
const origins = { localhost: `http://localhost:${port}`, lan: `http://${LAN_HOST}:${port}` };

const app = await testApp({ CORS_ORIGIN: Object.values(origins).join() });
const { as, make } = app;
const service = new URL(await app.listening());

const connection = (page: Page, words: string) =>
  page.getByRole("status", { name: "Connection" }).getByText(words, { exact: true }).waitFor();
const cardsIn = (page: Page, list: string) => page.getByRole("list", { name: `Cards in ${list}`, exact: true });
/** The titles of a list, in order. */
const titlesIn = (page: Page, list: string) =>
  cardsIn(page, list)
    .getByRole("textbox", { name: "Title" })
    .evaluateAll((fields) => fields.map((field) => String(Reflect.get(field, "value"))));
const cardAt = (page: Page, list: string, index: number) => cardsIn(page, list).getByRole("listitem").nth(index);

/** A board with two lists, and who may change it. */
async function scene() {
  const { board, owner } = await make.list({ name: "Ideas" });
  const { list: done } = await make.list({ board, name: "Done" });
  const other = await make.member(board, "member");
  return { board, owner, other, done, stored: () => storedLists(app, owner, board) };
}

/** Opens the example as a person, signs in there, and chooses a board. */
async function openBoard(origin: string, person: Person, board: { name: string }) {
  const url = `http://${new URL(origin).hostname}:${service.port}`;
  const tab = await openTab(`${origin}/board.html`, url);
  await fill(tab.page, { Service: url, "E-mail": person.email, Password: person.password });
  await tab.page.getByRole("button", { name: "Sign in" }).click();
  await tab.page.getByRole("link", { name: board.name }).click();
  await connection(tab.page, "Live");
  return tab;
}

async function addCard(page: Page, list: string, title: string): Promise<void> {
  await page.getByRole("region", { name: list }).getByRole("textbox", { name: "Title of the new card" }).fill(title);
  await page.getByRole("button", { name: `Add a card to ${list}` }).click();
}

test("the example has at most 150 lines", async () => {
  expect((await readFile(EXAMPLE, "utf8")).trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

describe.skipIf(chromiumPath === undefined).each([
  ["on localhost", origins.localhost, true],
  ["as on a LAN", origins.lan, false],
])(`the example %s${NO_BROWSER}`, (_where, origin, isSecure) => {
  test("shows what two people do at once, to both", { timeout: TIMEOUT_MS }, async () => {
    const { board, owner, other, done, stored } = await scene();
    const [ada, max] = [await openBoard(origin, owner, board), await openBoard(origin, other, board)];
    expect(await ada.page.evaluate("isSecureContext")).toBe(isSecure);
    const bothShow = (lists: Record<string, string[]>) =>
      expect
        .poll(async () => {
          const shown = [ada, max].map(async ({ page }) =>
            Object.fromEntries(await Promise.all(Object.keys(lists).map(async (n) => [n, await titlesIn(page, n)]))),
          );
          return Promise.all([...shown, stored()]);
        })
        .toEqual([lists, lists, lists]);

    for (const title of ["One", "Two", "Three"]) await addCard(ada.page, "Ideas", title);
    await bothShow({ Ideas: ["One", "Two", "Three"], Done: [] });

    await cardAt(max.page, "Ideas", 2)
      .getByText("⠿")
      .dragTo(cardAt(max.page, "Ideas", 0), { targetPosition: { x: 5, y: 2 } });
    await bothShow({ Ideas: ["Three", "One", "Two"], Done: [] });
    await cardAt(max.page, "Ideas", 1).getByText("⠿").dragTo(cardsIn(max.page, "Done"));
    await bothShow({ Ideas: ["Three", "Two"], Done: ["One"] });

    await cardAt(ada.page, "Ideas", 0).getByRole("button", { name: "Move right" }).click();
    await cardAt(ada.page, "Ideas", 0).getByRole("textbox").fill("Zwei");
    await ada.page.keyboard.press("Enter");
    ok(await as(other).post("/cards", { listPublicId: done.publicId, title: "Four" }));
    await bothShow({ Ideas: ["Zwei"], Done: ["Three", "One", "Four"] });

    await cardAt(ada.page, "Done", 0).getByRole("checkbox", { name: "Complete" }).check();
    await expect.poll(() => cardAt(max.page, "Done", 0).getByRole("checkbox").isChecked()).toBe(true);

    if (isSecure) await ada.look("example");
    for (const tab of [ada, max]) tab.expectNoTrouble();
  });

  test("goes on without a network, and says what the service refuses", { timeout: TIMEOUT_MS }, async () => {
    const { board, owner, stored } = await scene();
    const { page } = await openBoard(origin, owner, board);
    await page.context().setOffline(true);
    await addCard(page, "Ideas", "Offline");
    await connection(page, "Offline, 1 waiting");
    expect(await titlesIn(page, "Ideas")).toEqual(["Offline"]);
    expect(await stored()).toEqual({ Ideas: [], Done: [] });
    await page.context().setOffline(false);
    await connection(page, "Live");
    await expect.poll(stored).toEqual({ Ideas: ["Offline"], Done: [] });

    await addCard(page, "Ideas", "x".repeat(3000));
    const alert = page.getByRole("alert");
    await alert.getByText(/^x{3000}: /).waitFor();
    expect(await titlesIn(page, "Ideas")).toEqual(["Offline"]);
    await alert.getByRole("button", { name: "Dismiss" }).click();
    await expect.poll(() => alert.getByRole("button").count()).toBe(0);
  });
});

describe.skipIf(chromiumPath === undefined)(`the guide${NO_BROWSER}`, () => {
  test("has a live board in 30 lines, whose cards survive a service that is away and a reload", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { board, owner, stored } = await scene();
    const page = example(GUIDE, "## A board in 30 lines", "html", service.origin);
    expect(page.trimEnd().split("\n")).toHaveLength(30);
    await write("index.html", page.replace("ada@example.org", owner.email));
    const tab = await openTab(`${origins.localhost}/index.html`, service.origin);
    const says = (words: string) => tab.page.getByText(words, { exact: true }).waitFor();
    const add = () => tab.page.getByRole("button", { name: "Add a card" }).first().click();
    await says("live, 0 waiting");

    await add();
    await expect.poll(stored).toEqual({ Ideas: ["New"], Done: [] });
    const [list] = ok(await as(owner).get<{ lists: { publicId: string }[] }>(`/boards/${board.publicId}`)).lists;
    ok(await as(owner).post("/cards", { listPublicId: list?.publicId, title: "From elsewhere" }));
    await says("From elsewhere");
    tab.expectNoTrouble();

    await tab.page.route(/card\.create/, (route) => route.abort());
    await add();
    await says("live, 1 waiting");
    await tab.page.unroute(/card\.create/);
    await tab.page.reload();
    await expect.poll(stored).toEqual({ Ideas: ["New", "From elsewhere", "New"], Done: [] });
    await says("live, 0 waiting");
  });

  test("has components that compile strictly, show a live board, and complete a card", {
    timeout: TIMEOUT_MS,
  }, async () => {
    await addPackages(project, "react", "react-dom", "@types/react", "@types/react-dom");
    await write("Board.tsx", example(GUIDE, "## With React", "tsx", service.origin));
    const options = ["--noEmit", "--jsx", "react-jsx", "--skipLibCheck"];
    expect(await compile(project, "react", "bundler", ["Board.tsx"], ...options)).toBe("");

    const { board, owner, done } = await scene();
    const program = `import { createRoot } from "react-dom/client";
      sessionStorage.setItem("token", ${JSON.stringify(owner.token)});
      const { Board } = await import("./Board.tsx");
      createRoot(document.querySelector("main")).render(<Board />);`;
    await write("react.js", await bundled(project, program));
    await write("react.html", `<!doctype html><main></main><script type="module" src="react.js"></script>`);
    const { page } = await openTab(`${origins.localhost}/react.html#${board.publicId}`, service.origin);
    await page.getByRole("list", { name: "Done" }).waitFor({ state: "attached" });
    const card = ok(
      await as(owner).post<{ publicId: string }>("/cards", { listPublicId: done.publicId, title: "New" }),
    );
    await page.getByRole("checkbox", { name: "New" }).check();
    await expect
      .poll(async () => ok(await as(owner).get<{ completedAt: unknown }>(`/cards/${card.publicId}`)).completedAt)
      .toEqual(expect.any(String));
  });
});
