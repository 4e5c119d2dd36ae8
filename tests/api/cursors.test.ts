// A cursor is good for the list that it comes from, and for no other.

import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { pagesOf } from "../../src/api/cursors.js";
import { account } from "../../src/db/schema/index.js";
import { expectError, ok, type Person, testApp } from "../helpers/app.js";
import { operations } from "../helpers/samples.js";

const { as, make, db } = await testApp();

interface Page {
  items: unknown[];
  nextCursor: string | null;
}

const paged = operations.filter(({ input }) => "cursor" in input.shape).map(({ restPath }) => restPath);

const OF: Record<string, (place: Place) => string[]> = {
  "/admin/audit": () => ["/admin/audit?", "/admin/audit?type=account.signedUp&"],
  "/admin/users": () => ["/admin/users?", "/admin/users?status=active&"],
  "/boards/{boardPublicId}/archived-cards": ({ boards }) => boards.map((board) => `/boards/${board}/archived-cards?`),
  "/cards/{cardPublicId}/activities": ({ cards }) => cards.map((card) => `/cards/${card}/activities?`),
  "/cards/{cardPublicId}/comments": ({ cards }) => cards.map((card) => `/cards/${card}/comments?`),
  "/workspaces/{workspacePublicId}/search": ({ workspace }) =>
    ["one", "two"].map((word) => `/workspaces/${workspace}/search?query=${word}&`),
  "/workspaces/{workspacePublicId}/webhooks/{webhookPublicId}/deliveries": ({ workspace, webhooks }) =>
    webhooks.map((webhook) => `/workspaces/${workspace}/webhooks/${webhook}/deliveries?`),
};

interface Place {
  owner: Person;
  workspace: string;
  boards: string[];
  cards: string[];
  webhooks: string[];
}

/** A workspace of an instance admin in which each of the lists holds two things at least. */
async function filled(): Promise<Place> {
  const { workspace, owner } = await make.workspace();
  await make.user();
  await db.update(account).set({ isAdmin: true }).where(eq(account.publicId, owner.publicId));
  const place: Place = { owner, workspace: workspace.publicId, boards: [], cards: [], webhooks: [] };
  for (const name of ["One", "Two"]) {
    const fields = { name, url: "https://hooks.example.org/in", events: ["*"] };
    const made = ok(await as(owner).post<{ publicId: string }>(`/workspaces/${workspace.publicId}/webhooks`, fields));
    place.webhooks.push(made.publicId);
  }
  for (const _ of ["first", "second"]) {
    const { board } = await make.board({ workspace });
    const { list } = await make.list({ board });
    const [shown, ...others] = [await make.card({ list }), await make.card({ list, title: "one two" })];
    others.push(await make.card({ list, title: "two one" }));
    for (const { card } of others) ok(await as(owner).post(`/cards/${card.publicId}/archive`));
    await make.card({ list, title: "one two" });
    for (const comment of ["a", "b"]) await make.comment({ card: shown.card, comment });
    place.boards.push(board.publicId);
    place.cards.push(shown.card.publicId);
  }
  return place;
}

describe("a cursor", () => {
  let place: Place;
  let lists: string[];
  const cursors = new Map<string, string>();

  beforeAll(async () => {
    place = await filled();
    lists = Object.values(OF).flatMap((pathsIn) => pathsIn(place));
    for (const list of lists) {
      const { nextCursor } = ok(await as(place.owner).get<Page>(`${list}limit=1`));
      cursors.set(list, nextCursor ?? "");
    }
  });

  test("every operation that takes one stands here", () => {
    expect(Object.keys(OF).toSorted()).toEqual(paged.toSorted());
  });

  test("goes on in its own list", async () => {
    for (const [list, cursor] of cursors) {
      const all = ok(await as(place.owner).get<Page>(list));
      const rest = ok(await as(place.owner).get<Page>(`${list}cursor=${cursor}`));
      expect(rest.items, list).toEqual(all.items.slice(1));
    }
  });

  test("is BAD_REQUEST, naming `cursor`, in every other list", async () => {
    expect(cursors.size).toBe(2 * paged.length);
    for (const [from, cursor] of cursors) {
      for (const list of lists) {
        if (list === from) continue;
        expectError(await as(place.owner).get(`${list}cursor=${cursor}`), "BAD_REQUEST", "cursor");
      }
    }
  });
});

test("a cursor is told from those of a list of another name that is of the same and ordered alike", () => {
  const [one, other] = ["one", "other"].map((name) => pagesOf(name, z.tuple([z.number()]))("card"));
  const cursor = one?.pageOf([1, 2], 1, (last) => [last]).nextCursor ?? undefined;
  expect(one?.endOf(cursor)).toEqual([1]);
  expect(() => other?.endOf(cursor)).toThrow();
});
