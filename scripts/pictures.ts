// `npm run pictures`: takes the pictures of the page in docs/pictures, of a service of its own that the demo filled.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { createClient } from "../packages/client/src/client.js";
import { launchChromium } from "./chromium.js";
import { PASSWORD, PEOPLE } from "./demo/content.js";
import { type Demo, fillDemo } from "./demo/fill.js";

const pathOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const FOLDER = pathOf("docs/pictures");
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const SHOTS = [
  { kind: "wide-light", viewport: WIDE, colorScheme: "light" },
  { kind: "wide-dark", viewport: WIDE, colorScheme: "dark" },
  { kind: "phone-light", viewport: PHONE, colorScheme: "light" },
] as const;

/** Starts the built service on the embedded database in a folder, and passes on its address. */
async function withService<T>(folder: string, use: (url: string) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [pathOf("dist/server.js")], {
    env: { PORT: "0", HOST: "127.0.0.1", DATA_DIR: folder, LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    const url = await new Promise<string>((resolve, reject) => {
      void ended.then(() => reject(new Error("The service did not start")));
      createInterface(child.stdout).on("line", (line) => {
        const address = /work-board listens on (\S+)/.exec(line)?.[1];
        if (address !== undefined) resolve(address);
      });
    });
    return await use(url);
  } finally {
    child.kill();
    await ended;
  }
}

/** The addresses of the pages, by the names of their pictures. */
async function pagesOf(url: string, { token, workspacePublicId, boardPublicId }: Demo) {
  const { lists } = await createClient({ url, token }).board.get.query({ boardPublicId });
  const cards = lists.flatMap(({ cards }) => cards);
  const card =
    cards.find(({ commentCount, checklistItems }) => commentCount > 0 && checklistItems.total > 0) ?? cards[0];
  return {
    home: "/",
    board: `/boards/${boardPublicId}`,
    card: `/cards/${card?.publicId}`,
    search: "/search",
    calendar: `/calendar/${workspacePublicId}`,
    notifications: "/notifications",
    account: "/settings/account",
    settings: `/settings/workspaces/${workspacePublicId}`,
    import: `/import/${workspacePublicId}`,
    public: `/public/boards/${boardPublicId}`,
    instance: "/admin",
  };
}

async function take(page: Page, name: string): Promise<void> {
  for (const { kind, viewport, colorScheme } of SHOTS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.screenshot({ path: join(FOLDER, `${name}-${kind}.png`) });
  }
}

async function takeAll(url: string, demo: Demo): Promise<void> {
  const { token, boardPublicId } = demo;
  await createClient({ url, token }).board.update.mutate({ boardPublicId, visibility: "public" });
  const browser = await launchChromium();
  const page = await browser.newPage({ locale: "en-GB" });
  await page.goto(url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await take(page, "sign-in");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("E-mail", { exact: true }).fill(PEOPLE.mara.email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  for (const [name, path] of Object.entries(await pagesOf(url, demo))) {
    await page.goto(url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    // Its queries and pictures; a board's stream never ends, so that the network is never idle.
    await page.waitForTimeout(1000);
    await take(page, name);
  }
  await browser.close();
}

await mkdir(FOLDER, { recursive: true });
const folder = await mkdtemp(join(tmpdir(), "work-board-pictures-"));
try {
  const demo = await withService(folder, fillDemo);
  // The commands have the embedded database while no service runs.
  execFileSync(process.execPath, [pathOf("bin/work-board.cjs"), "admin", "grant", PEOPLE.mara.email], {
    env: { DATA_DIR: folder },
  });
  await withService(folder, (url) => takeAll(url, demo));
} finally {
  await rm(folder, { recursive: true, force: true });
}
