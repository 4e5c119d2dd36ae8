// Markdown is rendered in time that the length of a text explains (a freeze of the tab would reach everybody who opens the card).

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { htmlOf } from "../../packages/web/src/card/boundedMarkdown.js";
import { shownOf } from "../../packages/web/src/card/mentions.js";

const LONGEST = 50_000;
const filled = (unit: string, before = "", after = "") => {
  const room = LONGEST - before.length - after.length;
  return before + unit.repeat(Math.ceil(room / unit.length)).slice(0, room) + after;
};
const WORDS = "Most of what people write is prose, one sentence after another, and somebody has to read all of it. ";
const MARKED_UP =
  "See [the page](https://example.com/a?b=c_d), *this* or **that**, `code_x`, https://example.com/x_y_z and snake_case. ";

/** Texts that need seconds to hours without a limit. */
const TOO_SLOW = {
  "openers of emphasis within words": filled("_a"),
  "openers that nothing closes": filled("*a-"),
  "openers and one that closes": filled("*a-", "", "*"),
  "strikethrough that nothing closes": filled("(~a"),
  "emphasis within emphasis": "*a ".repeat(10_000) + "b*".repeat(10_000),
  "blanks within a line": `a${" ".repeat(LONGEST - 2)}a`,
  "signs of addresses": filled("!"),
  "halves of addresses": filled("=@"),
  "an address with a long end": filled("!", "http://a"),
  "links that nothing closes": filled("[](", ")"),
  "links without blanks between them": filled("[a](b)"),
  "backticks within a link": `[${"`".repeat(LONGEST - 5)}](x)`,
  "comments that nothing closes": filled("a <!-- x>"),
  "instructions that nothing closes": filled("a<?x>"),
  quotes: filled(">"),
  "quotes of items": filled(" >-"),
  "items within items on one line": `${"- ".repeat(12_000)}a\na\n`,
  "items that continue quotes": filled("> - a\nb\n"),
  "lines of one item": filled(" a\n", "- a\n"),
  "tables with the wrong number of columns": filled("a|b\n-|-|-\n"),
  "a wide table of short rows": `${"|a".repeat(5000)}|\n${"|-".repeat(5000)}|\n${"|\n".repeat(10_000)}`,
  "a long address that many links refer to": `[a]: http://${"x".repeat(25_000)}\n\n${"[a]".repeat(8000)}`,
};

/** Texts as long, each with a part of what is to be rendered. */
const HONEST = {
  "prose in one paragraph": [filled(WORDS + MARKED_UP), "<strong>that</strong>"],
  "prose in paragraphs": [filled(`${(WORDS + MARKED_UP).repeat(4)}\n\n`), "<em>this</em>"],
  "a log in a fence": [
    `\`\`\`\n${filled("12:00:00.123 [INFO] *** foo_bar(_a, *b) <x> ~~ `q` !!!   -----   =====\n")}\n\`\`\``,
    "<pre><code>",
  ],
  "a log that is no fence": [filled("12:00:00.123 [INFO] foo_bar: x=1 by ann@example.com\n"), "mailto:ann@example.com"],
  "a table of 200 rows": [
    `| a | b | c | d |\n|---|---|---|---|\n${"| *one* | [two](http://x.y/z) | `three` | six_six |\n".repeat(200)}`,
    "<td><em>one</em></td>",
  ],
  "a list with nested lists": [
    filled("- [x] an item with **bold** and [a link](http://a.b/c)\n  - a nested one\n    1. a deeper one\n"),
    "<strong>bold</strong>",
  ],
  "quotes and answers": [
    filled("> A quote of *somebody*\n> > who quoted another\n\nAn answer.\n\n"),
    "<em>somebody</em>",
  ],
  "fences between lines": [filled("A line:\n```\nsome code\n```\n"), "<pre><code>some code"],
  "Chinese without blanks": [
    filled("这是一个很长的段落，包含[链接](https://example.com/a)。".padEnd(300, "字")),
    "链接</a>",
  ],
  "one word": [filled("a"), "<p>aaa"],
} as const;

describe("a text of 50,000 characters", () => {
  test.each(Object.entries(TOO_SLOW))("is refused if it needs too much work: %s", (_, text) => {
    expect(text.length).toBeLessThanOrEqual(LONGEST);
    expect(() => htmlOf(text)).toThrow(/too much work|too deeply/);
  });

  test.each(Object.entries(HONEST))("is rendered if people write so: %s", (_, [text, part]) => {
    expect(htmlOf(text)).toContain(part);
  });

  test("of anything that repeats becomes at most 20 times as long, or is refused", () => {
    const unit = fc.array(fc.constantFrom(...'*_~`[]()<>!#-+|&\n \t:/.@1a\\="'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(unit, (characters) => {
        const text = filled(characters.join(""), "a ");
        let html = "";
        try {
          html = htmlOf(text);
        } catch (error) {
          expect(String(error)).toMatch(/too much work|too deeply/);
        }
        expect(html.length).toBeLessThan(20 * LONGEST);
      }),
      { numRuns: 40 },
    );
  });
});

test("a mention begins at the last @ and bracket before its label, in texts and in fields, as the service reads it", () => {
  const text = "@[nobody and @[Ann Lee](abcdefghijkl)";
  expect(htmlOf(text)).toContain('@[nobody and <span data-member="abcdefghijkl">Ann Lee</span>');
  expect(shownOf(text)).toBe("@[nobody and @Ann Lee");
});
