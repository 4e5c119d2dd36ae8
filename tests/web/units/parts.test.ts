// Guarantees of small parts of the page: their words, colours and states, and what this browser stores.

import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { FollowedBoard, Refused } from "work-board-client/board";
import { cardInConflict, isConflict } from "../../../packages/web/src/board/conflicts.js";
import { type Group, groupsOf } from "../../../packages/web/src/notifications/groups.js";
import { Avatar } from "../../../packages/web/src/parts/Avatar.js";
import { COLOURS, colourOfNext } from "../../../packages/web/src/parts/colours.js";
import { shortTime } from "../../../packages/web/src/parts/times.js";
import { storeOf } from "../../../packages/web/src/store.js";
import { stored } from "../../../packages/web/src/stored.js";
import { loaded } from "./browser.js";

const { WebhookState, linesOf, takeLines } = await loaded(async () => ({
  ...(await import("../../../packages/web/src/settings/Webhooks.js")),
  ...(await import("../../../packages/web/src/board/lines.js")),
}));

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

const textOf = (node: ReactNode) => renderToStaticMarkup(node).replaceAll(/<[^>]+>/g, "");

test.each([
  ["Ada Lovelace", "AL"],
  ["Ada", "A"],
  ["ada de la Cruz", "AC"],
  ["  Ada  Lovelace ", "AL"],
  ["", ""],
])("the initials of %j are %s", (name, initials) => {
  expect(textOf(createElement(Avatar, { name }))).toBe(initials);
});

test("each new label gets another colour, in turn", () => {
  expect(colourOfNext(0)).toBe(COLOURS[0][1]);
  expect(colourOfNext(1)).toBe(COLOURS[1][1]);
  expect(colourOfNext(COLOURS.length)).toBe(COLOURS[0][1]);
});

test("a time is that of today, the day of this year, or the date", () => {
  // Formats keep the time zone in which they are first used: the other tests of due dates have this one.
  vi.stubEnv("TZ", "America/New_York");
  const now = new Date(2026, 11, 10, 12);
  const written = (options: Intl.DateTimeFormatOptions, date: Date) =>
    new Intl.DateTimeFormat(undefined, options).format(date);
  const [today, day, year] = [new Date(2026, 11, 10, 9, 5), new Date(2026, 11, 9, 9, 5), new Date(2025, 11, 10, 9, 5)];
  const short = { day: "numeric", month: "short" } as const;
  expect(shortTime(today.toISOString(), now)).toBe(written({ hour: "2-digit", minute: "2-digit" }, today));
  expect(shortTime(day.toISOString(), now)).toBe(written(short, day));
  expect(shortTime(year.toISOString(), now)).toBe(written({ ...short, year: "numeric" }, year));
});

test.each<[boolean, number | null, string]>([
  [true, null, "Active"],
  [true, 204, "Active"],
  [true, 399, "Active"],
  [true, 400, "Last answer 400"],
  [false, 500, "Paused"],
])("a webhook (active: %s, last answer %s) is shown as %s", (active, lastStatus, text) => {
  const of = { active, lastStatus } as Parameters<typeof WebhookState>[0]["of"];
  expect(textOf(createElement(WebhookState, { of }))).toBe(text);
});

test("notifications stand together by card, and without one by workspace, in the order of the newest", () => {
  const workspace = { publicId: "harbour" };
  const of = (publicId: string, card: string | null) =>
    ({ publicId, workspace, card: card && { publicId: card } }) as unknown as Group["notifications"][number];
  const groups = groupsOf([of("1", "B"), of("2", "A"), of("3", null), of("4", "B"), of("5", null)]);
  expect(groups.map(({ publicId, notifications }) => [publicId, ...notifications.map((one) => one.publicId)])).toEqual([
    ["B", "1", "4"],
    ["A", "2"],
    ["harbour", "3", "5"],
  ]);
});

test("each line that is not blank is a new thing, up to its length", () => {
  expect(linesOf("  a \n\n \nb", 10)).toEqual(["a", "b"]);
  expect(linesOf("abcdef\n👍👍👍", 2)).toEqual(["ab", "👍👍"]);
});

test("a field gives its lines as far as there is room for changes, and says whether it has lines left", () => {
  const taken: string[] = [];
  const take = (value: string, waiting: number) => {
    const field = Object.assign(new EventTarget(), { value }) as HTMLTextAreaElement;
    const followed = { state: () => ({ waiting }) } as FollowedBoard;
    return [takeLines(field, followed, 10, (line) => taken.push(line)), field.value];
  };
  expect(take("a\nb\nc", 498)).toEqual([true, "c"]);
  expect(take("d\ne", 498)).toEqual([false, ""]);
  expect(taken).toEqual(["a", "b", "d", "e"]);
});

describe("a conflict", () => {
  const refused = (fields: object) =>
    ({
      path: "card.update",
      code: "PRECONDITION_FAILED",
      input: { cardPublicId: "A", description: "x" },
      ...fields,
    }) as Refused;
  test("is a description that was refused since another one stands there", () => {
    expect(cardInConflict(refused({}))).toBe("A");
    expect(isConflict(refused({}), "A")).toBe(true);
    expect(isConflict(refused({}), "B")).toBe(false);
    expect(cardInConflict(refused({ code: "FORBIDDEN" }))).toBeNull();
    expect(cardInConflict(refused({ path: "card.archive" }))).toBeNull();
    expect(cardInConflict(refused({ input: { cardPublicId: "A", title: "x" } }))).toBeNull();
  });
});

test("a store tells of changes alone, until that ends", () => {
  const store = storeOf(1);
  const seen: number[] = [];
  const stop = store.subscribe(() => seen.push(store.get()));
  store.set(1);
  store.set(2);
  stop();
  store.set(3);
  expect([seen, store.get()]).toEqual([[2], 3]);
});

describe("a text of this browser", () => {
  const storage = (isFull: () => boolean) => {
    const all = new Map<string, string>();
    const set = (key: string, value: string) => {
      if (isFull()) throw new Error("full");
      all.set(key, value);
    };
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => all.get(key) ?? null,
      setItem: set,
      removeItem: (key: string) => all.delete(key),
    });
    return all;
  };

  test("is stored and removed, and read by others", () => {
    const all = storage(() => false);
    stored("a").set("text");
    expect([stored("a").get(), stored("b").get(), all.get("a")]).toEqual(["text", null, "text"]);
    stored("a").set(null);
    expect(all.has("a")).toBe(false);
  });

  test("stays as long as the page where the storage is full, and is stored again later", () => {
    let isFull = false;
    const all = storage(() => isFull);
    const place = stored("a");
    place.set("first");
    isFull = true;
    place.set("second");
    expect([place.get(), all.get("a")]).toEqual(["second", "first"]);
    isFull = false;
    place.set("third");
    all.set("a", "of another tab");
    expect(place.get()).toBe("of another tab");
  });

  test("stays as long as the page where there is no storage", () => {
    const place = stored("a");
    place.set("text");
    expect(place.get()).toBe("text");
    place.set(null);
    expect(place.get()).toBeNull();
  });
});
