// `npm run pictures`: takes the pictures of the page in docs/pictures, of a service of its own that the demo filled.

import { spawn } from "node:child_process";
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
const SIZES = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

/** Starts the built service on a new embedded database, and passes on its address. */
async function withService(use: (url: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "work-board-pictures-"));
  const child = spawn(process.execPath, [pathOf("dist/server.js")], {
    env: { PORT: "0", HOST: "127.0.0.1", DATA_DIR: folder, LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.once("exit", () => reject(new Error("The service did not start")));
      createInterface(child.stdout).on("line", (line) => {
        const address = /work-board listens on (\S+)/.exec(line)?.[1];
        if (address !== undefined) resolve(address);
      });
    });
    await use(url);
  } finally {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each page by the name of its picture: its address, and what shows that it is there. */
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
  };
}

async function take(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.screenshot({ path: join(FOLDER, `${name}-${size}-${colorScheme}.png`) });
    }
  }
}

await mkdir(FOLDER, { recursive: true });
await withService(async (url) => {
  const demo = await fillDemo(url);
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
});
