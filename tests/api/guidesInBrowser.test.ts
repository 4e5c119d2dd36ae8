// The guides in a real browser: every link of every page, wide and narrow, in light and dark colours, by keyboard, and looked at by
// axe. With `SCREENSHOTS=<folder>` the test leaves pictures of what it saw.
//
// @module-tag slow

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { testApp } from "../helpers/app.js";
import { axeFaults, chromiumPath, NO_BROWSER, openContext } from "../helpers/browser.js";

const { listening } = await testApp();
const TIMEOUT_MS = 120_000;

const guides = readdirSync(new URL("../../docs", import.meta.url))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `/guides/${name.replace(/\.md$/, "")}`);
const PAGES = ["/guides", ...guides, "/guides/CHANGELOG"];

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };
type View = [name: string, viewport: typeof WIDE, colorScheme: "light" | "dark"];
const VIEWS: View[] = [
  ["light and wide", WIDE, "light"],
  ["dark and wide", WIDE, "dark"],
  ["light and narrow", NARROW, "light"],
  ["dark and narrow", NARROW, "dark"],
];

describe.skipIf(chromiumPath === undefined)(`in a browser${NO_BROWSER}`, async () => {
  const here = await listening();

  async function tab(
    viewport: typeof WIDE,
    colorScheme: "light" | "dark",
  ): Promise<{ page: Page; troubles: string[] }> {
    const page = await (await openContext({ viewport, colorScheme, locale: "en" })).newPage();
    const troubles: string[] = [];
    page.on("pageerror", (error) => troubles.push(error.message));
    page.on("console", (message) => troubles.push(message.text()));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${here}/`)) troubles.push(`elsewhere: ${request.url()}`);
    });
    return { page, troubles };
  }

  test.each(VIEWS)(
    "%s: axe finds nothing, nothing is wider than the page, nothing is blocked",
    async (name, viewport, colorScheme) => {
      const { page, troubles } = await tab(viewport, colorScheme);
      for (const path of PAGES) {
        await page.goto(here + path);
        const folder = process.env.SCREENSHOTS;
        const file = `${name}-${path}`.replace(/\W+/g, "-");
        if (folder) await page.screenshot({ path: join(folder, `${file}.png`) });
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path).toBe(true);
        expect(await axeFaults(page, colorScheme), path).toEqual([]);
      }
      expect(troubles).toEqual([]);
      await page.close();
    },
    TIMEOUT_MS,
  );

  test(
    "every link of every page leads to something, and a fragment to a heading",
    async () => {
      const { page } = await tab(WIDE, "light");
      const links = new Set<string>();
      for (const path of PAGES) {
        await page.goto(here + path);
        const found = await page.locator("a[href]").evaluateAll((all) => all.map((a) => Reflect.get(a, "href")));
        for (const link of found) links.add(String(link));
      }
      const anchors = new Map<string, string[]>();
      for (const link of links) {
        if (!link.startsWith(`${here}/`)) expect(link).toMatch(/^https:/);
        const [address = "", anchor] = link.split("#");
        if (link.startsWith(here)) anchors.set(address, [...(anchors.get(address) ?? []), ...(anchor ? [anchor] : [])]);
      }
      expect(links.size).toBeGreaterThan(100);
      const dead: string[] = [];
      for (const [address, names] of anchors) {
        const response = await page.goto(address);
        if (response?.status() !== 200) dead.push(address);
        for (const name of names) {
          await page.evaluate(`location.hash = ${JSON.stringify(name)}`);
          if ((await page.locator(":target").count()) !== 1) dead.push(`${address}#${name}`);
        }
      }
      expect(dead).toEqual([]);
      await page.close();
    },
    TIMEOUT_MS,
  );

  test(
    "by keyboard: the first tab skips to the text, and a link of the contents opens its section",
    async () => {
      const { page } = await tab(NARROW, "dark");
      await page.goto(`${here}/guides/operations`);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      expect(new URL(page.url()).hash).toBe("#content");
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.textContent")).toBe("On this page");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      expect(await page.locator(":target").textContent()).toBe("One machine");
      await page.close();
    },
    TIMEOUT_MS,
  );
});
