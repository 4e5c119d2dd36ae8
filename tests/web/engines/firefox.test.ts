// The daily path in Firefox.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { testApp } from "../../helpers/app.js";
import { dailyPath } from "./dailyPath.js";
import { firefoxPath, openFirefox } from "./firefox.js";
import { Visit } from "./visit.js";

const testing = await testApp();
const NO_FIREFOX = firefoxPath === undefined ? " (left out: no Firefox in PATH or FIREFOX_PATH)" : "";

describe.skipIf(firefoxPath === undefined)(`Firefox${NO_FIREFOX}`, () => {
  test("the daily path works, and nothing is written to the console", async () => {
    const { driver, troubles } = await openFirefox();
    await dailyPath(testing, new Visit(driver));
    expect(troubles).toEqual([]);
  });
});
