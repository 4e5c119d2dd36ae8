// The oldest browsers that packages/web/browsers.ts names have what the built page uses, and the guide and index.html name them.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { BROWSERS, GUIDE, TOO_OLD } from "../../packages/web/browsers.js";
import { addScript, addStyles, featureAt, isIn, lackedOf, type Uses } from "./compatibility.js";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** Features that a supported browser lacks, and what happens there. */
const EXCEPTIONS: Record<string, string> = {
  "field-sizing": "a field with several lines scrolls",
  "text-wrap: pretty": "lines break as usual",
  "text-wrap: balance": "lines of headings break as usual",
  resize: "phones have no handle to size a field; it scrolls",
  "forced-color-adjust": "Safari has no forced colours",
  "accent-color": "the bar of an import has the colour that the page gives, whatever its contrast",
  "content-visibility": "a long public board is laid out as a whole",
  "scrollbar-width": "scrollbars are as wide as those of the system",
  "scrollbar-color": "scrollbars have the colours of the system",
  "overscroll-behavior": "a list that is pulled at its end may reload the page",
  "overscroll-behavior-y": "the page may scroll at the end of a list",
  "overscroll-behavior-x": "a swipe over a board whose lists all fit may go back in the history",
  "overflow-anchor": "only switches off what these browsers do not do",
  "break-after: avoid": "the heading of a list may end a printed page",
  "@page": "the margins of printed pages are those of the browser",
  ":selection": "selected text has the colours of the system",
  "cursor: pointer": "phones have no cursor",
  "cursor: default": "phones have no cursor",
  "cursor: not-allowed": "phones have no cursor",
  "cursor: progress": "phones have no cursor",
  "cursor: grabbing": "phones have no cursor",
  "AbortSignal.timeout": "Chrome 123 has it, and gives another name to its error, which nothing reads",
  ".movementX": "a phone closes the line of keys also when the page moves below the pointer",
  ".movementY": "as movementX",
  ".scrollbarGutter": "Base UI looks whether it is there",
  ".backdropFilter": "Base UI looks whether an element has it, and none has",
  ".changedTouches": "events of touch exist only where there is a touch screen",
  ".canIntercept": "React looks whether it is there",
  ".currentEntry": "React looks whether it is there",
  ".startViewTransition": "React looks whether it is there, and the page has no transitions of views",
  ".skipTransition": "as startViewTransition",
  ".viewTransitionName": "as startViewTransition",
  ".viewTransitionClass": "as startViewTransition",
  ".fetchPriority": "a hint of React for pictures",
  "fetchPriority:": "a hint of React for pictures",
  ".cssFloat": "the name of a style in React",
  "autoCorrect:": "a hint for phones",
  "autoCapitalize:": "a hint for phones",
  "Symbol.dispose": "tRPC makes the symbols where they are missing",
  "Symbol.asyncDispose": "tRPC makes the symbols where they are missing",
  ".asyncDispose": "tRPC makes the symbols where they are missing",
  SuppressedError: "tRPC has its own where it is missing",
  ".createPolicy": "DOMPurify looks whether there are trusted types",
  ".createHTML": "DOMPurify looks whether there are trusted types",
  ".createScriptURL": "DOMPurify looks whether there are trusted types",
  ".getAttributeType": "DOMPurify looks whether there are trusted types",
};

/** Members of libraries that have the names of features. */
const OF_LIBRARIES = [".attrName", ".createContext", ".displayName", ".isError", ".requestId", ".toArray"];

test("what the built scripts and styles use is in every supported browser, or is an exception with a reason", () => {
  const uses: Uses = new Map();
  for (const name of readdirSync(join(ROOT, "dist/web/assets"))) {
    if (name.endsWith(".js")) addScript(uses, read(`dist/web/assets/${name}`));
    if (name.endsWith(".css")) addStyles(uses, read(`dist/web/assets/${name}`));
  }
  expect(uses.size).toBeGreaterThan(500);
  expect(Object.keys(lackedOf(uses)).sort()).toEqual([...Object.keys(EXCEPTIONS), ...OF_LIBRARIES].sort());
});

describe("a feature is found", () => {
  const lackedIn = (add: typeof addScript, text: string) => {
    const uses: Uses = new Map();
    add(uses, text);
    return Object.keys(lackedOf(uses));
  };

  test.each([
    ["Math.sumPrecise([1])", "Math.sumPrecise"],
    ["new CloseWatcher()", "CloseWatcher"],
    ["card.showPopover(); document.startViewTransition(go)", ".startViewTransition"],
    ["Promise.try(go)", "Promise.try"],
  ])("in the script %s", (text, name) => expect(lackedIn(addScript, text)).toEqual([name]));

  test.each([
    ["a { anchor-name: --a }", "anchor-name"],
    ["a { text-wrap: pretty }", "text-wrap: pretty"],
    ["a { width: calc-size(auto, size) }", "calc-size()"],
    ["@position-try --a { top: 0 }", "@position-try"],
    ["a:open { top: 0 }", ":open"],
  ])("in the style %s", (text, name) => expect(lackedIn(addStyles, text)).toEqual([name]));

  test("unless every supported browser has it, or the style asks for it first", () => {
    expect(lackedIn(addScript, "AbortSignal.any([]); structuredClone(a); [].toSorted()")).toEqual([]);
    expect(
      lackedIn(addStyles, "@supports (anchor-name: --a) { a { anchor-name: --a } } a:has(b) { inset: 0 }"),
    ).toEqual([]);
  });
});

describe("readers", () => {
  let styles: string;
  beforeAll(() => {
    styles = read("packages/web/src/styles/tooOld.css");
  });

  test("find the browsers in the guide, and in index.html if theirs is too old", () => {
    expect(read("docs/page.md")).toContain(`\n${GUIDE}\n`);
    expect(read("dist/web/index.html")).toContain(`<p class="too-old">${TOO_OLD}</p>`);
  });

  // A condition that is true of one version is false of those before, so that the last one decides.
  test.each([
    ["Firefox", "(color: rgb(from red r g b))", ["types", "color", "rgb", "relative_syntax"], "127"],
    ["Safari", "(white-space-collapse: collapse)", ["properties", "white-space-collapse"], "17.3"],
    ["Chrome", "(color: light-dark(red, red))", ["types", "color", "light-dark"], "122"],
    ["Edge", "(color: light-dark(red, red))", ["types", "color", "light-dark"], "122"],
  ])("with the %s before the first supported one see that word: it lacks %s", (name, condition, path, before) => {
    expect(styles).toContain(condition);
    const feature = featureAt("css", ...path);
    const { data, version } = BROWSERS.find((one) => one.name === name) ?? { data: [], version: "" };
    expect(data.map((browser) => feature && isIn(feature, browser, before))).toEqual(data.map(() => false));
    expect(data.map((browser) => feature && isIn(feature, browser, version))).toEqual(data.map(() => true));
  });
});
