// Excerpts of many long texts.

import { expect, onTestFinished, test } from "vitest";
import { excerptsOf } from "../../src/workspace/excerpts.js";

test("other calls run between the excerpts of two long texts", async () => {
  let turns = 0;
  let turn = setImmediate(function count() {
    turns += 1;
    turn = setImmediate(count);
  });
  onTestFinished(() => clearImmediate(turn));

  const texts = Array.from({ length: 5 }, () => `${"ประชุมทีม".repeat(5000)} needle`);
  const excerpts = await excerptsOf([null, ...texts], "nëedle");

  expect(turns).toBeGreaterThanOrEqual(4);
  expect(excerpts[0]).toBeNull();
  for (const excerpt of excerpts.slice(1)) expect(excerpt?.endsWith("ทีม needle")).toBe(true);
});

test("a word is found whatever invisible characters and accents it has in the text or the query", async () => {
  const filling = "lorem ".repeat(100);
  for (const [written, query] of [
    ["Dampf\u00adschiff", "dampfschiff"],
    ["Dampfschiff", "dampf\u00adschiff"],
    ["re\u0301sume\u0301", "resume"],
    ["Ｄａｔａ", "data"],
    ["Œuvre", "oeu"],
  ] as const) {
    const [excerpt] = await excerptsOf([`${filling}${written}`], query);
    expect(excerpt).toContain(written);
  }
});
