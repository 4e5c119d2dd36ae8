// Firefox over WebDriver BiDi, which it speaks itself.

import puppeteer, { type KeyInput } from "puppeteer-core";
import { onTestFinished } from "vitest";
import { programNamed } from "../../../scripts/executables.js";
import type { Driver } from "./driver.js";

/** The path of the browser: `FIREFOX_PATH`, else found in `PATH`; undefined if there is none. */
export const firefoxPath = process.env.FIREFOX_PATH || programNamed("firefox-esr", "firefox");

/** A mouse that hovers: without a screen, Firefox finds none. */
const MOUSE = 6;
const MOUSE_STEPS = 4;

/** A page in a new Firefox, whatever it throws or writes to its console, and the page on paper. */
export async function openFirefox(): Promise<{ driver: Driver; troubles: string[]; print(): Promise<Uint8Array> }> {
  const browser = await puppeteer.launch({
    browser: "firefox",
    ...(firefoxPath !== undefined && { executablePath: firefoxPath }),
    headless: true,
    defaultViewport: { width: 1440, height: 900 },
    extraPrefsFirefox: {
      "ui.primaryPointerCapabilities": MOUSE,
      "ui.allPointerCapabilities": MOUSE,
      "intl.accept_languages": "en-GB",
    },
  });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const troubles: string[] = [];
  page.on("pageerror", (error) => void troubles.push(String(error)));
  page.on("console", (message) => void troubles.push(message.text()));
  const driver: Driver = {
    open: async (url) => void (await page.goto(url)),
    evaluate: (expression) => page.evaluate(expression),
    async press(keys) {
      const names = keys.split("+") as KeyInput[];
      for (const name of names) await page.keyboard.down(name);
      for (const name of names.toReversed()) await page.keyboard.up(name);
    },
    type: (text) => page.keyboard.type(text),
    moveTo: ({ x, y }) => page.mouse.move(x, y, { steps: MOUSE_STEPS }),
    mouseDown: () => page.mouse.down(),
    mouseUp: () => page.mouse.up(),
  };
  return { driver, troubles, print: () => page.pdf({ format: "A4" }) };
}
