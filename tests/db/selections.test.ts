// What statements written by hand select, and what is refused of their rows.

import { readdirSync, readFileSync } from "node:fs";
import { and, eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { aliases, card, comment } from "../../src/db/schema/index.js";
import { computed, jsonArray, orNull, selection } from "../../src/db/selections.js";
import { compile, dialect } from "../../src/db/statements.js";

const { parentComment } = aliases;

const row = selection({
  title: card.title,
  dueDate: card.dueDate,
  ...orNull({ parent: parentComment.publicId }),
  isDue: sql<boolean>`${card.dueDate} < now()`,
  rank: computed<number>(),
});

test("a selection is written as a select list, without what stands beside it", () => {
  expect(compile(row).text).toBe(
    `"card"."title" as "title", "card"."due_date" as "dueDate", "parent_comment"."public_id" as "parent", "card"."due_date" < now() as "isDue"`,
  );
});

test("a statement has the text that Drizzle gives it", () => {
  const statement = sql`
    select ${row}, ${jsonArray({ id: card.id }, card.position)} from ${card} join ${comment} ${parentComment} on true
    where ${and(eq(card.workspaceId, 7), sql`${card.publicId} = ${"a"}::text`)}`;
  const { sql: text, params } = dialect.sqlToQuery(statement);
  expect(compile(statement)).toEqual({ text, params });
});

test("a selection holds no value", () => {
  expect(() => selection({ isOne: sql`${card.id} = ${1}::bigint` })).toThrow(TypeError);
});

describe("rows", () => {
  const whole = { title: "A", dueDate: null, parent: null, isDue: null, rank: 1 };

  test("are given as they are", () => {
    expect(row.decode([whole])).toEqual([whole]);
  });

  test("that lack what is selected are refused", () => {
    for (const name of Object.keys(whole)) {
      expect(() => row.decode([whole, { ...whole, [name]: undefined }])).toThrow(name);
    }
  });

  test("with NULL in a column that has none are refused, unless an outer join may leave it so", () => {
    expect(() => row.decode([{ ...whole, title: null }])).toThrow("title");
  });
});

test("nothing outside src/db reads rows whose columns nobody checks", () => {
  const source = new URL("../../src/", import.meta.url);
  const unchecked = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("db/"))
    .filter((name) => /\.rows[<(]/.test(readFileSync(new URL(name, source), "utf8")));
  expect(unchecked).toEqual([]);
});
