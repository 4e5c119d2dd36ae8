// A real browser, without a window. Where there is none, tests are left out.

import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
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
