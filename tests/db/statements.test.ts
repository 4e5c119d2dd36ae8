import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { card } from "../../src/db/schema/index.js";
import { compile, writtenOnce } from "../../src/db/statements.js";

const byTitle = sql`select from ${card} where ${card.title} = ${sql.placeholder("title")}::text`;

test("a statement that is written once has the text that it would have otherwise, and its values in their places", () => {
  const written = writtenOnce(sql`${byTitle} and ${card.id} = ${sql.placeholder("id")}::bigint`);
  const each = sql`select from ${card} where ${card.title} = ${"A"}::text and ${card.id} = ${7}::bigint`;
  expect(written({ id: 7, title: "A" })).toEqual(compile(each));
});

test("a statement that is written once holds no values, and wants one for each of its places", () => {
  expect(() => writtenOnce(sql`${byTitle} and ${eq(card.id, 7)}`)).toThrow(TypeError);
  expect(() => writtenOnce(byTitle)({ id: 7 })).toThrow(TypeError);
});
