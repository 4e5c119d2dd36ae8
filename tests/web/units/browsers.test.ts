// Guarantees of the names of browsers in the list of sessions.

import { expect, test } from "vitest";
import { browserIn } from "../../../packages/web/src/account/browsers.js";

const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const ANDROID = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0";
const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0";

test.each([
  [`${IPHONE} Version/18.1 Mobile/15E148 Safari/604.1`, "Safari · iOS"],
  [`${IPHONE} FxiOS/133.0 Mobile/15E148 Safari/605.1.15`, "Firefox · iOS"],
  [`${IPHONE} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`, "Chrome · iOS"],
  [`${IPHONE} Version/18.0 EdgiOS/131.0.2903.48 Mobile/15E148 Safari/604.1`, "Edge · iOS"],
  [`${IPHONE} Version/18.1 Mobile/15E148 Safari/604.1 OPT/5.2.0`, "Opera · iOS"],
  [`${ANDROID} Mobile Safari/537.36`, "Chrome · Android"],
  [`${ANDROID} Mobile Safari/537.36 EdgA/131.0.2903.48`, "Edge · Android"],
  [`${WINDOWS} Safari/537.36 Edg/131.0.2903.51`, "Edge · Windows"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox · Linux"],
  ["curl/8.11.0", "curl/8.11.0"],
])("%s is %s", (userAgent, name) => {
  expect(browserIn(userAgent)).toBe(name);
});
