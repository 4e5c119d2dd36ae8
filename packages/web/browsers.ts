// The oldest browsers that the page is made for. The targets of the build, the word in index.html, the line in docs/page.md and the
// test of the built files follow from this file.

import type { BrowserName } from "@mdn/browser-compat-data/types";

interface Supported {
  name: string;
  /** The first version, on computers and on phones. */
  version: string;
  /** The names by which the build knows it. */
  targets: readonly string[];
  /** The keys of its compatibility data. */
  data: readonly BrowserName[];
  /** The browser in which the tests run the page for it; null if compatibility data alone say that the page works. */
  tried: string | null;
}

export const BROWSERS: readonly Supported[] = [
  { name: "Chrome", version: "123", targets: ["chrome"], data: ["chrome", "chrome_android"], tried: "Chromium" },
  { name: "Edge", version: "123", targets: ["edge"], data: ["edge"], tried: null },
  { name: "Firefox", version: "128", targets: ["firefox"], data: ["firefox", "firefox_android"], tried: "Firefox ESR" },
  { name: "Safari", version: "17.4", targets: ["safari", "ios"], data: ["safari", "safari_ios"], tried: "WebKitGTK" },
];

/** The targets of scripts and styles. */
export const TARGETS: string[] = BROWSERS.flatMap(({ targets, version }) => targets.map((name) => name + version));

const listed = (words: readonly string[], type: "conjunction" | "disjunction") =>
  new Intl.ListFormat("en-GB", { type }).format(words);
const oldest = (type: "conjunction" | "disjunction") =>
  listed(
    BROWSERS.map(({ name, version }) => `${name} ${version}`),
    type,
  );

/** A sentence to readers whose browser is older. */
export const TOO_OLD: string = `Your browser is too old for this page. It needs ${oldest("disjunction")}, or a newer version.`;

const tried = BROWSERS.flatMap((browser) => browser.tried ?? []);
const untried = BROWSERS.flatMap(({ name, tried }) => (tried === null ? name : []));

/** The line of docs/page.md about browsers. */
export const GUIDE = [
  `The page works in ${oldest("conjunction")}, and in newer versions.`,
  `Its tests run in the current ${listed(tried, "conjunction")} of Debian; WebKitGTK has the engine of Safari.`,
  `For ${listed(untried, "conjunction")}, for phones and for the oldest versions, compatibility data alone say so.`,
  "In Safari, Tab skips links unless you also hold Option.",
].join(" ");
