// Guarantees of the limits of one import from a file: each is taken exactly, counted over all cards, and refused beyond.

import { expect, test } from "vitest";
import { failureOf } from "../../src/api/errors.js";
import { FILE_LIMITS } from "../../src/board/file.js";
import { type FileCardPlan, type FilePlan, mustBeWithinLimits } from "../../src/import/files/filePlans.js";
import { FileNotes } from "../../src/import/imported.js";

/** A plan of two cards, with a part of a card on each. */
const planOf = (...parts: Partial<FileCardPlan>[]): FilePlan => ({
  name: "Board",
  visibility: "workspace",
  people: [],
  boardMembers: new Set(),
  lists: [],
  labels: [],
  cards: parts.map((part, index) => ({
    title: "Card",
    listIndex: 0,
    labelIndexes: [],
    people: [],
    rowNumber: index + 1,
    ...part,
  })),
  notes: new FileNotes(),
});

const zeros = (count: number) => Array<number>(count).fill(0);
const comment = { comment: "x", author: "a", createdAt: "2027-01-01T00:00:00.000Z", editedAt: null, parentIndex: null };

test.each<[string, number, (count: number) => Partial<FileCardPlan>]>([
  ["labels on cards", FILE_LIMITS.labelled, (count) => ({ labelIndexes: zeros(count) })],
  ["assignees on cards", FILE_LIMITS.assigned, (count) => ({ people: zeros(count) })],
  [
    "checklist items",
    FILE_LIMITS.items,
    (count) => ({ checklists: [{ name: "c", items: zeros(count).map(() => ({ title: "x", completed: false })) }] }),
  ],
  ["comments", FILE_LIMITS.comments, (count) => ({ comments: zeros(count).map(() => comment) })],
])("%s: %i on all cards together are taken, and one more is refused", (what, limit, part) => {
  mustBeWithinLimits(planOf(part(limit - 10), part(10)));
  try {
    mustBeWithinLimits(planOf(part(limit - 10), part(11)));
  } catch (error) {
    const { body } = failureOf(error);
    expect(body.issues).toEqual([{ path: ["board"], message: `An import can have at most ${limit} ${what}` }]);
    return;
  }
  throw new Error("was taken");
});
