// Guarantees of how a file is validated: its limits are taken exactly, and a file of mistakes is answered with few of them.

import { expect, test } from "vitest";
import { z } from "zod";
import { checked } from "../../src/import/files/checkedFile.js";

const Part = z.looseObject({ id: z.string() });
const Small = checked({ parts: { part: Part, max: 3 } }, z.looseObject({}));

const parts = (count: number) => ({ parts: Array.from({ length: count }, (_, n) => ({ id: `${n}` })) });
const issuesOf = (value: unknown, schema: z.ZodType = Small) => schema.safeParse(value).error?.issues ?? [];

test("as many parts as are allowed are taken, and one more is refused without a path into it", () => {
  expect(issuesOf(parts(3))).toEqual([]);
  expect(issuesOf(parts(4))).toMatchObject([{ path: ["parts"], message: "Must have at most 3 items" }]);
});

test("the arrays of a part hold 20 000 items in all, up to six levels deep, and not one more", () => {
  const holding = (count: number) => ({
    parts: [{ id: "a", some: Array(5000).fill(0), deep: [[Array(count).fill(0)]] }],
  });
  expect(issuesOf(holding(14_998))).toEqual([]);
  expect(issuesOf(holding(14_999))).toMatchObject([
    { path: ["parts", 0], message: "Must have at most 20000 items in its arrays" },
  ]);
});

test("of one part 20 mistakes are told, and of those after it none", () => {
  const wide = z.object(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`field${n}`, z.string()])));
  const schema = checked({ first: { part: wide, max: 9 }, second: { part: wide, max: 9 } }, z.looseObject({}));
  const issues = issuesOf({ first: [{}, {}], second: [{}] }, schema);
  expect(issues).toHaveLength(20);
  expect(new Set(issues.map(({ path }) => path.slice(0, 2).join()))).toEqual(new Set(["first,0"]));
});
