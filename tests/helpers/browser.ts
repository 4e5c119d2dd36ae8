// A real browser, without a window. Where there is none, tests are left out.

import type { Browser } from "playwright-core";
import { afterAll } from "vitest";
import { launchChromium } from "../../scripts/chromium.js";

export { chromiumPath } from "../../scripts/chromium.js";

export async function openBrowser(...hosts: string[]): Promise<Browser> {
  const browser = await launchChromium(...hosts);
  afterAll(() => browser.close());
  return browser;
}
