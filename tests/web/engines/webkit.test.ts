// The daily path in WebKit, the engine of Safari.
//
// @module-tag slow

import { describe, test } from "vitest";
import { testApp } from "../../helpers/app.js";
import { dailyPath } from "./dailyPath.js";
import { Visit } from "./visit.js";
import { hasWebKit, openWebKit } from "./webkit.js";

const testing = await testApp();
const NO_WEBKIT = hasWebKit ? "" : " (left out: no WebKitWebDriver, MiniBrowser or Xvfb)";

describe.skipIf(!hasWebKit)(`WebKit${NO_WEBKIT}`, () => {
  test("the daily path works", async () => {
    await dailyPath(testing, new Visit(await openWebKit()));
  });
});
