// Guarantees of the words that the page looks for, of the numbers of cards, of mentions, and of the keys of other layouts.

import { describe, expect, test } from "vitest";
import { editedText, matches, mentionOf, queryAt, shownOf, sourceOf } from "../../../packages/web/src/card/mentions.js";
import { keyPressed } from "../../../packages/web/src/keys/layouts.js";
import { hasWords, partsOf, quotedCard, wordsOf } from "../../../packages/web/src/search/words.js";

test("words are letters, digits and marks, without their case and accents", () => {
  expect(wordsOf("Über die  Küste, WB-12!")).toEqual(["uber", "die", "kuste", "wb", "12"]);
  expect(wordsOf(" - ")).toEqual([]);
});

describe("a text", () => {
  test.each([
    ["Paint the lighthouse", "light pai", true],
    ["Paint the lighthouse", "house", false],
    ["Paint the lighthouse", "paint boats", false],
    ["Über die Küste", "KUS uber", true],
    ["Anything", "", true],
  ])("%s, looked for by %s: %s", (text, query, isFound) => {
    expect(hasWords(text, wordsOf(query))).toBe(isFound);
  });

  test("is marked where words begin as one that is looked for, by the longest", () => {
    expect(partsOf("Paint the Paintings", ["pai", "paint"])).toEqual(["", "Paint", " the ", "Paint", "ings"]);
    expect(partsOf("Nothing", ["thing"])).toEqual(["Nothing"]);
  });
});

test("a card is quoted by its prefix and number, and by nothing else", () => {
  expect(quotedCard(" wb-12 ")).toEqual({ prefix: "WB", number: 12 });
  expect(quotedCard("ABCDEFGHIJ-123456789")).toEqual({ prefix: "ABCDEFGHIJ", number: 123_456_789 });
  for (const text of ["wb12", "wb-", "-12", "wb-12 x", "abcdefghijk-1", "wb-1234567890", "ü-1"])
    expect(quotedCard(text), text).toBeNull();
});

describe("a mention that is typed", () => {
  test.each<[string, string | null]>([
    ["Hello @ad", "ad"],
    ["@", ""],
    ["(@Ada Lo", "Ada Lo"],
    ["看@ad", "ad"],
    ["＠ad", "ad"],
    ["me@example", null],
    ["https://example.org/@ad", null],
    ["Hello @ ad", null],
    ["Hello @ad\nthere", null],
    ["Hello @ad (", null],
    [`@${"a".repeat(41)}`, "a".repeat(41)],
    [`@${"a".repeat(42)}`, null],
  ])("%j asks for %j", (text, name) => {
    const query = queryAt(text);
    expect(query?.name ?? null).toBe(name);
    if (query !== null) expect(query).toMatchObject({ start: text.length - query.name.length - 1, end: text.length });
  });

  test("fits the beginning of each name of somebody", () => {
    expect(matches("Ada Lovelace", "love")).toBe(true);
    expect(matches("Ada Lovelace", "ADA L")).toBe(true);
    expect(matches("Zoë", "zoe")).toBe(true);
    expect(matches("Ada Lovelace", "lace")).toBe(false);
  });
});

describe("a mention", () => {
  const ada = mentionOf({ publicId: "abcdefghijkl", name: "Ada [L] (x)" });

  test("names a person without brackets, and is shown by that name", () => {
    expect(ada).toBe("@[Ada L x](abcdefghijkl)");
    expect(shownOf(`Ask ${ada}, and ${ada}`)).toBe("Ask @Ada L x, and @Ada L x");
    expect(shownOf("@[Ada](short)")).toBe("@[Ada](short)");
  });

  test("stays one while the text around it is edited", () => {
    const text = `Ask ${ada} now`;
    const shown = shownOf(text);
    expect(editedText(text, `Do ${shown}`, 3)).toBe(`Do ${text}`);
    expect(editedText(text, `${shown}!`, shown.length + 1)).toBe(`${text}!`);
    expect(editedText(text, shown.replace("now", ""), shown.length - 3)).toBe(`Ask ${ada} `);
    expect(editedText(text, shown, 2)).toBe(text);
  });

  test("that is edited itself is letters from then on", () => {
    expect(editedText(`Ask ${ada}`, "Ask @Ada L ", 11)).toBe("Ask @Ada L ");
    expect(sourceOf(`Ask ${ada}`, 4, 12)).toBe(ada);
    expect(sourceOf(`Ask ${ada}`, 4, 11)).toBe("@Ada L ");
    expect(sourceOf(`Ask ${ada}`, 5, 12)).toBe("Ada L x");
  });
});

describe("a key", () => {
  test.each([
    ["K", "KeyK", "k"],
    ["k", "KeyR", "k"],
    ["Enter", "Enter", "Enter"],
    ["л", "KeyK", "k"],
    ["ض", "KeyQ", "q"],
    [".", "Slash", "."],
    ["?", "Minus", "?"],
    ["ю", "Period", "."],
    ["ç", "Slash", "/"],
    ["!", "Slash", "!"],
    ["1", "Digit1", "1"],
  ])("%s at %s is %s", (key, code, expected) => {
    expect(keyPressed({ key, code, shiftKey: false })).toBe(expected);
  });

  test("of a layout without a question mark is one with Shift", () => {
    expect(keyPressed({ key: "ک", code: "Slash", shiftKey: true })).toBe("?");
  });
});
