// A real browser: the Chromium or Chrome of this machine, without a window.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll } from "vitest";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where the browser is: `CHROMIUM_PATH`, else in `PATH`; undefined where there is none, and tests are left out. */
export const chromiumPath =
  process.env.CHROMIUM_PATH ||
  (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find(isExecutable);

export async function openBrowser(...hosts: string[]): Promise<Browser> {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(", ");
  const browser = await chromium.launch({
    ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
    // Its sandbox cannot be had as root, which is what runs in containers.
    args: ["--no-sandbox", `--host-resolver-rules=${rules}`],
  });
  afterAll(() => browser.close());
  return browser;
}
