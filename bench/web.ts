// The page in a real Chromium: what it loads, and how long people wait for what they see. Each figure is the median of the rounds.
// BENCH_DATABASE_URL: a PostgreSQL server; without it the embedded database is measured.

import { parseArgs } from "node:util";
import type { Browser, BrowserContext, CDPSession, Locator, Page } from "playwright-core";
import { launchChromium } from "../scripts/chromium.js";
import { databasesOn, newDataDir } from "./databases.js";
import { median } from "./report.js";
import { startService } from "./servers.js";
import { PASSWORD, sizedBoards } from "./world.js";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, cards: { type: "string", default: "50,1000" } },
});
const ROUNDS = Number(options.rounds);
const SIZES = options.cards.split(",").map(Number);
const VIEWPORT = { width: 1440, height: 900 };
/** For what loads while nothing else happens. */
const IDLE_MS = 3000;
const SLOW = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };

/** Notes when events come, and when what is looked for was painted; `performance.timeOrigin` compares the clocks of two pages. */
const WATCH = `
  window.marks = {};
  window.wanted = { first: ["li[aria-posinset]", ""] };
  window.longTasks = [];
  const now = () => performance.timeOrigin + performance.now();
  const look = () => {
    for (const [name, [selector, text]] of Object.entries(wanted)) {
      if (![...document.querySelectorAll(selector)].some((one) => one.textContent.includes(text))) continue;
      delete wanted[name];
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { marks[name] = now(); };
        port2.postMessage(0);
      });
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  for (const type of ["keydown", "pointerdown", "pointermove", "pointerup", "click"]) {
    addEventListener(type, (event) => { marks[type] = performance.timeOrigin + event.timeStamp; }, true);
  }
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) longTasks.push([performance.timeOrigin + startTime, duration]);
  }).observe({ type: "longtask", buffered: true });
`;

const figures = new Map<string, number[]>();

function note(size: number, name: string, value: number): void {
  const key = `${size} cards: ${name}`;
  figures.set(key, [...(figures.get(key) ?? []), value]);
}

const want = (page: Page, name: string, selector: string, text = "") =>
  page.evaluate(`delete marks.${name}; wanted.${name} = ${JSON.stringify([selector, text])}; undefined`);

const markOf = (page: Page, name: string) => page.evaluate<number | null>(`marks.${name} ?? null`);

/** When something was painted that is looked for, in milliseconds since 1970. */
async function painted(page: Page, name: string): Promise<number> {
  for (let left = 3000; left > 0; left -= 1) {
    const at = await markOf(page, name);
    if (at !== null) return at;
    await page.waitForTimeout(5);
  }
  throw new Error(`${name} was not painted`);
}

/** The time from the last event of a type until something was painted. */
const since = async (page: Page, type: string, name: string): Promise<number> =>
  (await painted(page, name)) - ((await markOf(page, type)) ?? 0);

/** A page, and the bytes that it received. */
interface Opened {
  page: Page;
  session: CDPSession;
  bytes: () => { all: number; scripts: number };
}

async function openPage(context: BrowserContext): Promise<Opened> {
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  const scripts = new Set<string>();
  const received = { all: 0, scripts: 0 };
  session.on("Network.responseReceived", ({ requestId, response }) => {
    if (response.url.endsWith(".js")) scripts.add(requestId);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    received.all += encodedDataLength;
    if (scripts.has(requestId)) received.scripts += encodedDataLength;
  });
  return { page, session, bytes: () => ({ ...received }) };
}

const originOf = (page: Page) => page.evaluate<number>("performance.timeOrigin");

async function measureLoading(context: BrowserContext, address: string, size: number): Promise<Opened> {
  const opened = await openPage(context);
  const { page, session, bytes } = opened;
  await page.goto(address, { waitUntil: "commit" });
  const first = await painted(page, "first");
  const begun = bytes();
  note(size, "first card painted, ms", first - (await originOf(page)));
  note(size, "scripts by the first card, kB", begun.scripts / 1000);
  note(size, "all bytes by the first card, kB", begun.all / 1000);
  await page.waitForTimeout(IDLE_MS);
  const idle = bytes();
  note(size, "further scripts, idle, kB", (idle.scripts - begun.scripts) / 1000);
  note(size, "all bytes after idle loading, kB", idle.all / 1000);
  const tasks = await page.evaluate<[number, number][]>("longTasks");
  note(
    size,
    "longest task after the first card, ms",
    Math.max(0, ...tasks.filter(([at]) => at > first).map(([, ms]) => ms)),
  );
  await page.reload({ waitUntil: "commit" });
  await painted(page, "first");
  await page.waitForTimeout(IDLE_MS);
  note(size, "unchanged reload, kB", (bytes().all - idle.all) / 1000);
  await session.send("HeapProfiler.enable");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  note(size, "heap, MB", usedSize / 1e6);
  return opened;
}

const cardsOf = (page: Page, list: number) =>
  page.getByRole("list", { name: `Cards in List ${list}`, exact: true }).getByRole("listitem");

/** Opens a card of a page that settled, and one as soon as it can be clicked. */
async function measureOpening(context: BrowserContext, { page }: Opened, address: string, size: number): Promise<void> {
  await want(page, "dialog", "[role=dialog]");
  await cardsOf(page, 0).first().getByRole("link").click();
  note(size, "card open once settled, ms", await since(page, "click", "dialog"));
  await page.keyboard.press("Escape");
  const { page: early } = await openPage(context);
  await early.goto(address, { waitUntil: "commit" });
  await painted(early, "first");
  await want(early, "dialog", "[role=dialog]");
  await cardsOf(early, 0).first().getByRole("link").click();
  note(
    size,
    "clicked card open after the start of navigation, ms",
    (await painted(early, "dialog")) - (await originOf(early)),
  );
  await early.close();
}

async function measureTyping({ page }: Opened, size: number, round: number): Promise<void> {
  await page.getByRole("button", { name: "Add a card to List 1", exact: true }).click();
  const field = page.getByRole("textbox", { name: "Title of the new card" });
  const title = `Typed ${round}`;
  await field.pressSequentially(title);
  await want(page, "typed", "li[aria-posinset]", title);
  await page.keyboard.press("Enter");
  note(size, "Enter to the card shown, ms", await since(page, "keydown", "typed"));
  await page.keyboard.press("Escape");
}

async function centreOf(element: Locator): Promise<{ x: number; y: number }> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("The card is not shown");
  return { x: box.x + 100, y: box.y + box.height / 2 };
}

/** Drags the first card of a list to another one, which somebody else looks at. */
async function measureDragging({ page }: Opened, { page: other }: Opened, size: number, round: number): Promise<void> {
  // Not the list that a card was added to, which has scrolled to its end.
  const [from, to] = round % 2 === 0 ? [2, 3] : [3, 2];
  const card = cardsOf(page, from).first();
  const href = await card.getByRole("link").getAttribute("href");
  const begin = await centreOf(card);
  const end = await centreOf(cardsOf(page, to).first());
  await page.mouse.move(begin.x, begin.y);
  await page.mouse.down();
  await want(page, "lifted", "body > [aria-hidden=true] > [inert]");
  await page.mouse.move(begin.x + 12, begin.y + 6);
  note(size, "lift, ms", await since(page, "pointermove", "lifted"));
  await page.mouse.move(end.x, end.y, { steps: 8 });
  await page.waitForTimeout(200);
  const dropped = `[aria-label="Cards in List ${to}"] a[href="${href}"]`;
  for (const one of [page, other]) await want(one, "dropped", dropped);
  await page.mouse.up();
  note(size, "drop, ms", await since(page, "pointerup", "dropped"));
  note(
    size,
    "the move in another browser, ms",
    (await painted(other, "dropped")) - ((await markOf(page, "pointerup")) ?? 0),
  );
}

async function measureOutage(context: BrowserContext, { page }: Opened, size: number): Promise<void> {
  await want(page, "offline", "[role=status]", "Offline");
  const begun = Date.now();
  await context.setOffline(true);
  note(size, "offline shown, ms", (await painted(page, "offline")) - begun);
  await context.setOffline(false);
}

async function measureSlowNetwork(context: BrowserContext, address: string, size: number): Promise<void> {
  const { page, session } = await openPage(context);
  await session.send("Network.emulateNetworkConditions", SLOW);
  await page.goto(address, { waitUntil: "commit" });
  note(size, "first card at 10 Mbit/s and 40 ms, ms", (await painted(page, "first")) - (await originOf(page)));
}

async function measureRound(browser: Browser, signedIn: SignedIn, address: string, [size, round]: [number, number]) {
  const settings = { viewport: VIEWPORT, storageState: signedIn };
  const contexts: BrowserContext[] = [];
  const newContext = async () => {
    const context = await browser.newContext(settings);
    contexts.push(context);
    return context;
  };
  const context = await newContext();
  const own = await measureLoading(context, address, size);
  await measureOpening(context, own, address, size);
  await measureTyping(own, size, round);
  const other = await openPage(await newContext());
  await other.page.goto(address);
  await painted(other.page, "first");
  await other.page.waitForTimeout(IDLE_MS);
  await measureDragging(own, other, size, round);
  await measureOutage(context, own, size);
  await measureSlowNetwork(await newContext(), address, size);
  for (const one of contexts) await one.close();
}

type SignedIn = Awaited<ReturnType<BrowserContext["storageState"]>>;

async function signIn(browser: Browser, url: string, email: string): Promise<SignedIn> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("E-mail", { exact: true }).fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

const databases = process.env.BENCH_DATABASE_URL ? databasesOn(process.env.BENCH_DATABASE_URL) : null;
const server = await startService(
  databases === null ? { DATA_DIR: await newDataDir() } : { DATABASE_URL: await databases.create() },
);
const browser = await launchChromium();
try {
  const { email, boards } = await sizedBoards(server.url, SIZES);
  const signedIn = await signIn(browser, server.url, email);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, size] of SIZES.entries()) {
      await measureRound(browser, signedIn, `${server.url}/boards/${boards[index]}`, [size, round]);
    }
  }
  for (const [name, values] of figures)
    console.log(`${name}: ${median(values).toFixed(1)} (${values.map((one) => one.toFixed(0)).join(" ")})`);
} finally {
  await browser.close();
  await server.stop();
  await databases?.drop();
}
