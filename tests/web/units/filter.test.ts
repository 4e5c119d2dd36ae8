// Guarantees of the filter of a board: which cards it shows, and the address that names it.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CardState } from "work-board-client/board";
import {
  countOf,
  EVERYTHING,
  type Filter,
  filterOf,
  fitting,
  queryOf,
  toggled,
} from "../../../packages/web/src/board/filter/filter.js";
import { cardWith, people } from "./states.js";

const workspace = { publicId: "workspace", name: "Harbour", slug: "harbour", cardPrefix: "WB" };

const shows = (filter: Partial<Filter>, card: Partial<CardState>) =>
  fitting({ ...EVERYTHING, ...filter }, { workspace })(cardWith("card", card));

beforeEach(() => {
  vi.stubEnv("TZ", "America/New_York");
  // 10 December, noon in New York.
  vi.useFakeTimers({ now: new Date("2026-12-10T17:00:00.000Z"), toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const day = (date: string) => ({ dueDate: `${date}T00:00:00.000Z`, dueHasTime: false });
const instant = (dueDate: string) => ({ dueDate, dueHasTime: true });
const done = { completedAt: "2026-12-01T00:00:00.000Z" };

describe("a filter", () => {
  test.each<[string, Partial<Filter>, Partial<CardState>, boolean]>([
    ["without conditions shows every card", {}, {}, true],
    ["by label shows a card that has it", { label: ["bug"] }, { labelIds: ["idea", "bug"] }, true],
    ["by labels shows a card that has one of them", { label: ["bug", "idea"] }, { labelIds: ["idea"] }, true],
    ["by label hides a card with another one", { label: ["bug"] }, { labelIds: ["idea"] }, false],
    ["by label hides a card without labels", { label: ["bug"] }, {}, false],
    ["by no label shows a card without labels", { label: ["none"] }, {}, true],
    ["by no label hides a card with one", { label: ["none"] }, { labelIds: ["bug"] }, false],
    ["by no label or one of them shows a card with that", { label: ["none", "bug"] }, { labelIds: ["bug"] }, true],
    ["by person shows a card that is theirs, too", { person: ["ada"] }, { members: people("bob", "ada") }, true],
    ["by person hides a card of another", { person: ["ada"] }, { members: people("bob") }, false],
    ["by person hides a card of nobody", { person: ["ada"] }, {}, false],
    ["by nobody shows a card of nobody", { person: ["none"] }, {}, true],
    ["by nobody hides a card of somebody", { person: ["none"] }, { members: people("bob") }, false],
    ["by a label does not look at people", { label: ["ada"] }, { members: people("ada") }, false],
    [
      "by label and person hides a card that has the label alone",
      { label: ["bug"], person: ["ada"] },
      { labelIds: ["bug"], members: people("bob") },
      false,
    ],
    [
      "by label and person hides a card that has the person alone",
      { label: ["bug"], person: ["ada"] },
      { labelIds: ["idea"], members: people("ada") },
      false,
    ],
    [
      "by every kind shows a card that fits all",
      { label: ["bug"], person: ["ada"], due: ["today"], text: "net" },
      { labelIds: ["bug"], members: people("ada"), title: "Nets", ...day("2026-12-10") },
      true,
    ],
    ["without a date shows a card without one", { due: ["none"] }, {}, true],
    ["without a date hides a card with one", { due: ["none"] }, day("2026-12-10"), false],
    ["overdue shows yesterday", { due: ["overdue"] }, day("2026-12-09"), true],
    ["overdue hides today", { due: ["overdue"] }, day("2026-12-10"), false],
    ["overdue hides what is done", { due: ["overdue"] }, { ...day("2026-12-09"), ...done }, false],
    ["overdue hides a card without a date", { due: ["overdue"] }, {}, false],
    ["overdue shows a moment ago", { due: ["overdue"] }, instant("2026-12-10T16:59:59.000Z"), true],
    ["overdue hides what comes in a moment", { due: ["overdue"] }, instant("2026-12-10T17:00:01.000Z"), false],
    ["today shows today", { due: ["today"] }, day("2026-12-10"), true],
    ["today shows an hour ago", { due: ["today"] }, instant("2026-12-10T16:00:00.000Z"), true],
    ["today shows the end of the reader's day", { due: ["today"] }, instant("2026-12-11T04:59:00.000Z"), true],
    ["today hides the beginning of the next one", { due: ["today"] }, instant("2026-12-11T05:00:00.000Z"), false],
    ["today hides yesterday", { due: ["today"] }, day("2026-12-09"), false],
    ["today hides tomorrow", { due: ["today"] }, day("2026-12-11"), false],
    ["today hides a card without a date", { due: ["today"] }, {}, false],
    ["of a week shows today", { due: ["week"] }, day("2026-12-10"), true],
    ["of a week shows the seventh day", { due: ["week"] }, day("2026-12-16"), true],
    ["of a week hides the eighth day", { due: ["week"] }, day("2026-12-17"), false],
    ["of a week hides yesterday", { due: ["week"] }, day("2026-12-09"), false],
    ["of a week hides a card without a date", { due: ["week"] }, {}, false],
    ["of two dates shows the first", { due: ["overdue", "none"] }, day("2026-12-01"), true],
    ["of two dates shows the second", { due: ["overdue", "none"] }, {}, true],
    ["by text looks at the title", { text: "nets" }, { title: "Mend the nets" }, true],
    ["by text looks at the description", { text: "nets" }, { description: "Mend the nets" }, true],
    ["by text looks at the number", { text: "wb-12" }, { cardNumber: 12 }, true],
    ["by text does not take another number", { text: "wb-13" }, { cardNumber: 12 }, false],
    ["by text takes parts of words", { text: "end" }, { title: "Mend the nets" }, true],
    ["by text wants each word", { text: "mend boats" }, { title: "Mend the nets" }, false],
    ["by text takes words in any order", { text: "nets  mend" }, { title: "Mend the nets" }, true],
    [
      "by text takes words of title and description",
      { text: "nets soon" },
      { title: "Nets", description: "soon" },
      true,
    ],
    ["by text ignores case and accents", { text: "UBER" }, { title: "Über die Küste" }, true],
    ["by accents finds a text without", { text: "über" }, { title: "Uber" }, true],
    ["by blanks shows every card", { text: "  " }, {}, true],
  ])("%s", (_, filter, card, isShown) => {
    expect(shows(filter, card)).toBe(isShown);
  });
});

describe("the address of a filter", () => {
  test.each<[string, Filter]>([
    ["", EVERYTHING],
    ["?label=bug", { ...EVERYTHING, label: ["bug"] }],
    ["?label=bug&label=none", { ...EVERYTHING, label: ["bug", "none"] }],
    ["?person=ada&person=none", { ...EVERYTHING, person: ["ada", "none"] }],
    ["?due=overdue&due=none", { ...EVERYTHING, due: ["overdue", "none"] }],
    ["?text=mend+nets", { ...EVERYTHING, text: "mend nets" }],
    ["?label=a&person=b&due=week&text=c", { label: ["a"], person: ["b"], due: ["week"], text: "c" }],
  ])("is written and read: %s", (query, filter) => {
    expect(queryOf(filter)).toBe(query);
    expect(filterOf(query)).toEqual(filter);
  });

  test("names no text of blanks, and dates that there are", () => {
    expect(queryOf({ ...EVERYTHING, text: "  " })).toBe("");
    expect(filterOf("?due=never&due=today").due).toEqual(["today"]);
  });
});

test("the conditions of a filter are counted by kind", () => {
  expect(countOf(EVERYTHING)).toBe(0);
  expect(countOf({ ...EVERYTHING, text: " " })).toBe(0);
  expect(countOf({ ...EVERYTHING, label: ["a", "b"] })).toBe(1);
  expect(countOf({ label: ["a"], person: ["b"], due: ["today"], text: "c" })).toBe(4);
});

test("a value is chosen beside the others of its kind, and no longer when it was", () => {
  const filter = { ...EVERYTHING, label: ["bug"], person: ["bug"] };
  expect(toggled(filter, "label", "idea")).toEqual({ ...filter, label: ["bug", "idea"] });
  expect(toggled({ ...filter, label: ["bug", "idea"] }, "label", "bug")).toEqual({ ...filter, label: ["idea"] });
  expect(toggled(filter, "due", "today")).toEqual({ ...filter, due: ["today"] });
});
