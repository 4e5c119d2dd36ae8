// Guarantees of the notes about a file: none is lost without being counted, and their number has an end.

import { describe, expect, test } from "vitest";
import { FileNotes } from "../../src/import/imported.js";
import { oneTo } from "./imports.js";

describe("notes about a file", () => {
  test("are a thousand of a reason, and of more the number of the rest, going on where earlier ones ended", () => {
    const before = new FileNotes();
    for (const n of oneTo(999)) before.add(n, "invalidDate", `${n}`);
    const notes = new FileNotes(before);
    notes.add(1000, "invalidDate", "last");
    expect(notes.notes).toHaveLength(1000);
    expect(notes.notes.at(-1)).toEqual({ rowNumber: 1000, reason: "invalidDate", value: "last" });

    for (const n of [1001, 1002]) notes.add(n, "invalidDate", "more");
    notes.add(0, "missingName", "other");
    expect(notes.notes).toHaveLength(1002);
    expect(notes.notes.filter(({ rowNumber }) => rowNumber === 0)).toEqual([
      { rowNumber: 0, reason: "missingName", value: "other" },
      { rowNumber: 0, reason: "invalidDate", value: "2 more" },
    ]);
    expect(before.notes).toHaveLength(999);
  });

  test("of a kind are one with their number, at the first of them, for a thousand kinds", () => {
    const before = new FileNotes();
    before.group(3, "noPlace", "kind 1");
    const notes = new FileNotes(before);
    for (const n of oneTo(1001)) notes.group(n, "noPlace", `kind ${n}`);
    expect(notes.notes).toHaveLength(1000);
    expect(notes.notes).toContainEqual({ rowNumber: 3, reason: "noPlace", value: "kind 1 (2 times)" });
    expect(notes.notes).not.toContainEqual(expect.objectContaining({ value: "kind 1001" }));
  });

  test("hold 200 characters of a value, and are sorted by their rows", () => {
    const notes = new FileNotes();
    notes.group(2, "noPlace", "x".repeat(201));
    notes.add(1, "missingName", "🚀".repeat(201));
    expect(notes.notes).toEqual([
      { rowNumber: 1, reason: "missingName", value: "🚀".repeat(200) },
      { rowNumber: 2, reason: "noPlace", value: "x".repeat(200) },
    ]);
  });
});
