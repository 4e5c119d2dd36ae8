import fc from "fast-check";
import { expect, test } from "vitest";
import { slugCandidates, slugFrom, withSuffix } from "../../src/workspace/slugs.js";

const LEGAL = /^(?![-]+$)[a-z0-9-]{3,60}$/;

test("whatever the name, its slug and every numbered form of it is legal and different", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 255 }), (name) => {
      const slugs = slugCandidates(slugFrom(name, "board"));
      for (const slug of slugs) expect(slug).toMatch(LEGAL);
      expect(new Set(slugs).size).toBe(slugs.length);
    }),
  );
});

test.each([
  ["Hello World", "hello-world"],
  ["ÀÉÎõü", "aeiou"],
  ["e\u0301te\u0301", "ete"],
  ["ﬁne", "fine"],
  ["İstanbul", "istanbul"],
  ["Straße", "stra-e"],
  ["a", "a-board"],
  ["--a--", "a-board"],
  ["...", "board"],
  ["", "board"],
  ["a&b", "a-b"],
  [`${"ab ".repeat(30)}`, "ab-".repeat(20).slice(0, 59)],
])("%j becomes %j", (name, slug) => {
  expect(slugFrom(name, "board")).toBe(slug);
});

test("numbers begin with 2, and a long slug is cut to make room, without a hyphen before the number", () => {
  expect(slugCandidates("abc").slice(0, 3)).toEqual(["abc", "abc-2", "abc-3"]);
  expect(withSuffix("x".repeat(60), "12")).toBe(`${"x".repeat(57)}-12`);
  expect(withSuffix(`${"x".repeat(56)}-yyy`, "12")).toBe(`${"x".repeat(56)}-12`);
});
