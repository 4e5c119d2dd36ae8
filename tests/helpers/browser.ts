// A real browser, without a window. Where there is none, tests are left out.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { chromiumPath, launchChromium } from "../../scripts/chromium.js";

export { chromiumPath };

/** The end of a title of tests that are left out because there is no browser. */
export const NO_BROWSER = chromiumPath === undefined ? " (left out: no Chromium in PATH or CHROMIUM_PATH)" : "";

/** A name of this machine that is no secure context to a browser, as addresses of a LAN are none. */
export const LAN_HOST = "board.test";
const HOSTS = [LAN_HOST, "evil.test", "boards.example.org"];

let browser: Promise<Browser> | undefined;

/** A context of the browser that all files of a process share; it closes with its pages when the test ends. */
export async function openContext(options?: BrowserContextOptions): Promise<BrowserContext> {
  browser ??= launchChromium(...HOSTS);
  const context = await (await browser).newContext(options);
  onTestFinished(() => context.close());
  return context;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** What depends on the theme. */
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/** The faults that axe finds on a page: all of them in the light theme, those of colours in the dark one. */
export async function axeFaults(page: Page, theme: "light" | "dark"): Promise<{ id: string; target: string }[]> {
  // Evaluated by the debugger, which no policy of the page binds.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  return page.evaluate<{ id: string; target: string }[]>(
    `axe.run({ runOnly: ${JSON.stringify(theme === "light" ? TAGS : COLOURS)} })
      .then(({ violations }) => violations.map(({ id, nodes }) => ({ id, target: String(nodes[0]?.target) })))`,
  );
}
