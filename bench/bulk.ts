// Bulk changes on the page: the longest task of whoever changes 1000 of 5000 cards at once, and of somebody who has the board open.
// BENCH_DATABASE_URL: a PostgreSQL server; without it the embedded database is measured.

import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium } from "../scripts/chromium.js";
import { databasesOn, newDataDir } from "./databases.js";
import { median } from "./report.js";
import { startService } from "./servers.js";
import { PASSWORD, sizedBoards } from "./world.js";

const ROUNDS = 3;
const CARDS = 5000;
const VIEWPORT = { width: 1440, height: 900 };
/** So long after the last change of the board its events have arrived everywhere. */
const QUIET_MS = 3000;
const LONGEST_MS = 120_000;

const WATCH = `
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
`;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const inBar = (page: Page, name: string) =>
  page.getByRole("region", { name: "Selected cards" }).getByRole("button", { name, exact: true });
const cardsOf = (page: Page, list: number) =>
  page.getByRole("list", { name: `Cards in List ${list}`, exact: true }).getByRole("listitem");

async function select(page: Page, ...lists: number[]): Promise<void> {
  for (const list of lists) {
    await button(page, `Actions for List ${list}`).click();
    await page.getByRole("menuitem", { name: "Select all cards" }).click();
  }
  await page.getByText("1000 selected", { exact: true }).first().waitFor();
}

async function check(page: Page, picker: string): Promise<void> {
  await inBar(page, picker).click();
  await page.getByRole("dialog", { name: picker }).getByRole("checkbox").first().check();
  await page.keyboard.press("Escape");
}

async function drag(page: Page): Promise<void> {
  const from = await cardsOf(page, 2).first().boundingBox();
  const to = await cardsOf(page, 3).first().boundingBox();
  if (from === null || to === null) throw new Error("The cards are not shown");
  await page.mouse.move(from.x + 100, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(from.x + 112, from.y + 16);
  await page.mouse.move(to.x + 100, to.y + to.height + 10, { steps: 8 });
  await page.waitForTimeout(200);
  await page.mouse.up();
}

/** Each kind of change of 1000 selected cards. The last ones take their cards away. */
const CHANGES: [name: string, lists: [number, number], make: (page: Page) => Promise<void>][] = [
  ["complete", [0, 1], (page) => inBar(page, "Complete").click()],
  ["label", [0, 1], (page) => check(page, "Labels")],
  ["assign", [0, 1], (page) => check(page, "People")],
  [
    "due date",
    [0, 1],
    async (page) => {
      await inBar(page, "Due date").click();
      await button(page, "Tomorrow").click();
    },
  ],
  ["drag", [1, 2], drag],
  [
    "move",
    [0, 4],
    async (page) => {
      await inBar(page, "Move to").click();
      await page.getByRole("menuitem", { name: "List 5", exact: true }).click();
    },
  ],
  ["archive", [6, 7], (page) => inBar(page, "Archive").click()],
  [
    "delete",
    [8, 9],
    async (page) => {
      await inBar(page, "Delete").click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Delete", exact: true }).click();
    },
  ],
];

/** Waits until nothing waits to be sent, and nothing has happened for a while. */
async function settle(page: Page): Promise<void> {
  await page.waitForTimeout(QUIET_MS);
  await page.locator("[data-waiting]").first().waitFor({ state: "detached", timeout: LONGEST_MS });
  await page.waitForTimeout(QUIET_MS);
}

async function open(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(LONGEST_MS);
  await page.addInitScript(WATCH);
  await page.goto(address);
  await page.getByRole("status", { name: "Connection" }).getByText("Live", { exact: true }).waitFor();
  await page.waitForTimeout(QUIET_MS);
  return page;
}

const forget = (page: Page) => page.evaluate("longTasks.length = 0; undefined");
const longest = (page: Page) => page.evaluate<number>("Math.max(0, ...longTasks)");

async function signIn(browser: Browser, url: string, email: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await button(page, "Sign in").click();
  await page.getByLabel("E-mail", { exact: true }).fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await button(page, "Sign in").click();
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

const figures = new Map<string, number[]>();
const note = (name: string, value: number) => figures.set(name, [...(figures.get(name) ?? []), value]);

async function measureRound(browser: Browser, storageState: Awaited<ReturnType<typeof signIn>>, address: string) {
  const contexts = await Promise.all([0, 1].map(() => browser.newContext({ viewport: VIEWPORT, storageState })));
  const pages = await Promise.all(contexts.map((context) => open(context, address)));
  const [own, other] = pages;
  if (own === undefined || other === undefined) return;
  for (const [name, lists, make] of CHANGES) {
    await select(own, ...lists);
    await Promise.all(pages.map(forget));
    await make(own);
    await settle(own);
    note(`${name}, own page`, await longest(own));
    note(`${name}, another page`, await longest(other));
    await own.keyboard.press("Escape");
  }
  for (const context of contexts) await context.close();
}

const databases = process.env.BENCH_DATABASE_URL ? databasesOn(process.env.BENCH_DATABASE_URL) : null;
const server = await startService(
  databases === null ? { DATA_DIR: await newDataDir() } : { DATABASE_URL: await databases.create() },
);
const browser = await launchChromium();
try {
  const { email, boards } = await sizedBoards(
    server.url,
    Array.from({ length: ROUNDS }, () => CARDS),
  );
  const signedIn = await signIn(browser, server.url, email);
  for (const board of boards) await measureRound(browser, signedIn, `${server.url}/boards/${board}`);
  for (const [name, values] of figures)
    console.log(`${name}: ${median(values).toFixed(0)} ms (${values.map((one) => one.toFixed(0)).join(" ")})`);
} finally {
  await browser.close();
  await server.stop();
  await databases?.drop();
}
