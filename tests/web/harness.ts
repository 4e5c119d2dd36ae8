// The page in a real browser. It is used by the roles and names that people with a screen reader hear; axe looks at it in both
// themes; and whatever its policy blocks, its scripts throw or another host is asked for fails the test.
//
// With `SCREENSHOTS=<folder>` each look leaves pictures, wide and narrow, light and dark. With `TRANSLATED=1` each browser translates
// the page.

import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { axeFaults, openContext } from "../helpers/browser.js";
import type { Person } from "../helpers/make.js";
import { spreadNet } from "./focusNet.js";
import { translate } from "./translator.js";

export { LAN_HOST, NO_BROWSER } from "../helpers/browser.js";

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };

/** A person's browser: a context of its own, whose page is `page`. */
export interface Tab {
  page: Page;
  /** Whatever was blocked, thrown or asked of another host so far. */
  troubles: string[];
  /** Fails if there was any of that. */
  expectNoTrouble(): void;
  /** Has axe look at the page in both themes, wide and narrow, and takes pictures. */
  look(name: string): Promise<void>;
}

type Session = Exclude<BrowserContextOptions["storageState"], string | undefined>;

type SignedIn = Pick<Person, "token" | "publicId">;

/** What a browser holds of somebody who has signed in at an address. */
function sessionOf({ token, publicId }: SignedIn, url: string): Session {
  const { hostname, port, origin } = new URL(url);
  const value = `${publicId} ${new Date().toISOString()}`;
  const cookie = { name: `work-board-${port}`, value: token, domain: hostname, path: "/", expires: -1 };
  return {
    cookies: [{ ...cookie, httpOnly: true, secure: false, sameSite: "Lax" }],
    origins: [{ origin, localStorage: [{ name: "work-board.lastSignedIn", value }] }],
  };
}

/** Opens a page at its address, in a new context. It calls no other origins than its own and these. */
export const openTab = (url: string, ...others: string[]): Promise<Tab> => open(url, others);

/** Opens a page as somebody who has signed in before. */
export async function openAs(
  person: SignedIn,
  url: string,
  reader: Pick<BrowserContextOptions, "locale" | "timezoneId"> = {},
): Promise<Tab> {
  const tab = await open(url, [], { storageState: sessionOf(person, url), ...reader });
  await tab.page.getByRole("navigation", { name: "Main" }).waitFor();
  return tab;
}

/** Opens a page in a browser that translates it, as somebody who has signed in before, if anybody. */
export async function openTranslated(url: string, person?: SignedIn): Promise<Tab> {
  return await open(url, [], person && { storageState: sessionOf(person, url) }, true);
}

/** Opens a page as somebody who has signed in before, on a phone: the pointer is a finger, and nothing hovers. */
export const openOnPhone = (person: SignedIn, url: string): Promise<Tab> =>
  open(url, [], { storageState: sessionOf(person, url), viewport: NARROW, hasTouch: true, isMobile: true });

async function open(
  url: string,
  others: readonly string[],
  options?: BrowserContextOptions,
  isTranslated = Boolean(process.env.TRANSLATED),
): Promise<Tab> {
  const context = await openContext({
    viewport: WIDE,
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    ...options,
  });
  if (isTranslated) await translate(context);
  // Pages of others, which call this service or are called by it, keep the focus as they like.
  if (others.length === 0) await spreadNet(context, !process.env.WITHOUT_SAFARIS_RULE);
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const origins = [url, ...others].map((address) => new URL(address).origin);
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("request", (request) => {
    if (!origins.includes(new URL(request.url()).origin)) troubles.push(`elsewhere: ${request.url()}`);
  });
  page.on("console", (message) => {
    const text = message.text();
    // Chromium writes this of every answer that is no success, such as a wrong password.
    if (text.startsWith("Failed to load resource")) return;
    // The link to a form for a new password does not tell whose password it is.
    if (text.startsWith("[DOM] Password forms should") && page.url().includes("/account/reset")) return;
    troubles.push(text);
  });
  // The page mends this by itself, so that nobody would see it.
  onTestFinished(() => expect(troubles.filter((trouble) => trouble.includes("no longer there"))).toEqual([]));
  await page.goto(url);
  return {
    page,
    troubles,
    expectNoTrouble: () => expect(troubles).toEqual([]),
    look: (name) => look(page, name),
  };
}

async function look(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  for (const viewport of [NARROW, WIDE]) {
    for (const colorScheme of ["dark", "light"] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const file = `${name}-${viewport.width}-${colorScheme}.png`;
      if (folder) await page.screenshot({ path: join(folder, file) });
      expect(await axeFaults(page, colorScheme), file).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${file} fits`).toBe(true);
    }
  }
}
