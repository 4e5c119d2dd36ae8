// Guarantees of the columns of an imported table: what each means, and what the service is told of it.

import { describe, expect, test } from "vitest";
import {
  type Meanings,
  mappingOf,
  mayBeWider,
  meanings,
  type Preview,
  suggested,
  widthOf,
  withMeaning,
} from "../../../packages/web/src/imports/columns.js";

const previewOf = (fields: Partial<Preview>): Preview => ({
  header: [],
  rows: [],
  rowCount: 0,
  delimiter: ",",
  suggestedMapping: {},
  warnings: [],
  ...fields,
});

const SEVERAL = ["description", "labels", "assignee", "checklist"];

describe("a column that gets the meaning", () => {
  test.each(meanings)("%s takes it from another one, unless several may have it", (meaning) => {
    const before = withMeaning([null, null, null], 0, meaning);
    expect(before).toEqual([meaning, null, null]);
    expect(withMeaning(before, 2, meaning)).toEqual([SEVERAL.includes(meaning) ? meaning : null, null, meaning]);
  });

  test("null is left out, as others are that were", () => {
    expect(withMeaning(["title", null, "list"], 2, null)).toEqual(["title", null, null]);
  });

  test("that it has keeps it", () => {
    expect(withMeaning(["title", "list"], 0, "title")).toEqual(["title", "list"]);
  });

  test("another one leaves the meanings of others alone", () => {
    expect(withMeaning(["title", "list", "board"], 1, "priority")).toEqual(["title", "priority", "board"]);
  });
});

describe("the mapping of columns", () => {
  test.each<[string, Meanings, object | null]>([
    ["needs a title", ["list", null], null],
    ["counts columns from 0", [null, "title", "list"], { title: 1, list: 2 }],
    ["has the first column, too", ["title"], { title: 0 }],
    ["has several columns where there are", ["title", "labels", "labels"], { title: 0, labels: [1, 2] }],
    ["has one column by itself", ["labels", "title"], { title: 1, labels: 0 }],
    ["has the first of two where one may be", ["title", "list", "list"], { title: 0, list: 1 }],
  ])("%s", (_, all, mapping) => {
    expect(mappingOf(all)).toEqual(mapping);
  });
});

test("the suggestion of the service gives each column its meaning, and the others none", () => {
  const suggestedMapping = { title: 1, description: [0, 3], list: 2 };
  const preview = previewOf({ header: ["a", "b", "c", "d", "e"], suggestedMapping });
  expect(suggested(preview)).toEqual(["description", "title", "list", "description", null]);
});

test("a file is as wide as its header or its longest row", () => {
  expect(widthOf(previewOf({ header: ["a", "b"], rows: [["1"], ["1", "2", "3"]] }))).toBe(3);
  expect(widthOf(previewOf({ header: ["a", "b"], rows: [["1"]] }))).toBe(2);
  expect(widthOf(previewOf({}))).toBe(0);
  expect(mayBeWider(previewOf({ header: Array.from({ length: 200 }, () => "") }))).toBe(true);
  expect(mayBeWider(previewOf({ header: Array.from({ length: 199 }, () => "") }))).toBe(false);
});
