// The Chromium or Chrome of this machine.

import { type Browser, chromium } from "playwright-core";
import { programNamed } from "./executables.js";

/** The path of the browser: `CHROMIUM_PATH`, else found in `PATH`; undefined if there is none. */
export const chromiumPath =
  process.env.CHROMIUM_PATH || programNamed("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

/** Starts the browser without a window, for which these names are this machine. */
export function launchChromium(...hosts: string[]): Promise<Browser> {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(", ");
  return chromium.launch({
    ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
    // Its sandbox cannot be had as root, which is what runs in containers.
    args: ["--no-sandbox", "--disable-gpu", `--host-resolver-rules=${rules}`],
  });
}
