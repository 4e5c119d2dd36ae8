// The daily path in Firefox.
//
// @module-tag slow

import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { testApp } from "../../helpers/app.js";
import { dailyPath } from "./dailyPath.js";
import { firefoxPath, openFirefox } from "./firefox.js";
import { Visit } from "./visit.js";

/** The number of pages of a PDF, most of whose objects are compressed. */
function pagesIn(pdf: Uint8Array): number {
  const streams = Buffer.from(pdf)
    .toString("latin1")
    .matchAll(/stream\r?\n(.*?)endstream/gs);
  const inflated = [...streams].map(([, stream = ""]) => {
    try {
      return inflateSync(Buffer.from(stream, "latin1")).toString("latin1");
    } catch {
      return "";
    }
  });
  return inflated.join("\n").match(/\/Type \/Page\b/g)?.length ?? 0;
}

const testing = await testApp();
const NO_FIREFOX = firefoxPath === undefined ? " (left out: no Firefox in PATH or FIREFOX_PATH)" : "";

describe.skipIf(firefoxPath === undefined)(`Firefox${NO_FIREFOX}`, () => {
  test("the daily path works, nothing is written to the console, and the board is printed on one page", async () => {
    const { driver, troubles, print } = await openFirefox();
    await dailyPath(testing, new Visit(driver));
    expect(troubles).toEqual([]);
    expect(pagesIn(await print())).toBe(1);
  });
});
