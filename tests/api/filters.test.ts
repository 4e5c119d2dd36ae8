// Lists with several filters: each narrows what the others leave, in every pair. The operations come from the router.

import { describe, expect, test } from "vitest";
import { operationsOf } from "../../src/api/rest.js";
import { appRouter } from "../../src/router.js";
import { type Fields, ok, type Person, testApp, unique } from "../helpers/app.js";

const { as, make } = await testApp();

/** A list, and values of its filters, each of which leaves out something that another one keeps. */
interface Filtered {
  path: string;
  reader: Person;
  filters: Record<string, string>;
  /** Of each call. */
  base?: Record<string, string>;
}

interface Row {
  /** Parameters that are no filters, such as windows and choices of the kind of answer. */
  others: readonly string[];
  /** Nothing for an operation without filters. */
  filtered?: () => Promise<Filtered>;
}

const NOTHING: Filtered = { path: "", reader: await make.user(), filters: {} };

const WORD = "needle";

/** Cards that fit all of these fields and have a label, and for each of these one that lacks it; on two boards of a workspace. */
async function cardsLackingEach(fields: Fields) {
  const { workspace, board, owner, label } = await make.label();
  const { list } = await make.list({ board });
  const { list: elsewhere } = await make.list({ board: (await make.board({ workspace })).board });
  const member = await make.member(board, "member");
  const labelPublicIds = [label.publicId];
  const all: Fields = { title: WORD, memberPublicIds: [member.memberPublicId], labelPublicIds, ...fields };
  const create = async (card: Fields, listPublicId = list.publicId) =>
    ok(await as(owner).post<{ publicId: string }>("/cards", { title: "Other", ...card, listPublicId }));
  const cards = [await create(all), await create({ ...all, labelPublicIds: [] }, elsewhere.publicId)];
  for (const missing of Object.keys(all)) {
    cards.push(await create(Object.fromEntries(Object.entries(all).filter(([name]) => name !== missing))));
  }
  return { workspace, board, owner, member, label, cards };
}

const ROWS: Record<string, Row> = {
  "board.get": {
    others: [],
    filtered: async () => {
      const fields = { priority: "high", dueDate: "2020-01-01" };
      const { board, owner, member, label } = await cardsLackingEach(fields);
      const { memberPublicId } = member;
      const filters = { search: WORD, labelPublicId: label.publicId, memberPublicId, priority: "high", due: "overdue" };
      return { path: `/boards/${board.publicId}`, reader: owner, filters };
    },
  },
  "workspace.calendar": {
    others: ["view", "anchor", "month", "timeZone", "days"],
    filtered: async () => {
      const { workspace, board, owner, member } = await cardsLackingEach({ priority: "high", dueDate: "2027-01-15" });
      const filters = {
        search: WORD,
        boardPublicId: board.publicId,
        memberPublicId: member.memberPublicId,
        priority: "high",
      };
      return {
        path: `/workspaces/${workspace.publicId}/calendar`,
        reader: owner,
        filters,
        base: { anchor: "2027-01-15" },
      };
    },
  },
  "workspace.search": {
    others: ["comments"],
    filtered: async () => {
      const { workspace, board, owner, member, cards } = await cardsLackingEach({ description: WORD });
      for (const { publicId } of cards) ok(await as(owner).put(`/cards/${publicId}`, { completed: true }));
      const { list } = await make.list({ board });
      await make.card({ list, title: WORD, memberPublicIds: [member.memberPublicId] });
      const filters = { boardPublicId: board.publicId, memberPublicId: member.memberPublicId, completed: "true" };
      return {
        path: `/workspaces/${workspace.publicId}/search`,
        reader: owner,
        filters,
        base: { query: WORD, limit: "100" },
      };
    },
  },
  "workspace.events": {
    others: [],
    filtered: async () => {
      const { workspace, board, list, card, owner } = await make.card();
      const { list: elsewhere } = await make.list({ board: (await make.board({ workspace })).board });
      const path = `/workspaces/${workspace.publicId}/events`;
      const { nextCursor } = ok(await as(owner).get<{ nextCursor: number }>(path));
      const rename = async (title: string) => ok(await as(owner).put(`/cards/${card.publicId}`, { title }));
      await rename("First");
      await make.card({ list });
      ok(await as(owner).put(`/cards/${card.publicId}`, { listPublicId: elsewhere.publicId, index: 0 }));
      await rename("Elsewhere");
      const filters = { after: `${nextCursor}`, boardPublicId: board.publicId, cardPublicId: card.publicId };
      return { path, reader: owner, filters, base: { limit: "100" } };
    },
  },
  "workspace.meetings.list": { others: ["from", "to"] },
  "board.list": {
    others: ["archived"],
    filtered: async () => {
      const { workspace, owner, tag } = await make.tag();
      for (const [isTagged, isFavourite, isArchived] of [
        [true, true, true],
        [true, false, true],
        [false, true, true],
        [true, true, false],
      ]) {
        const { publicId } = (await make.board({ workspace })).board;
        if (isTagged) ok(await as(owner).put(`/boards/${publicId}/tags/${tag.publicId}`));
        if (isFavourite) ok(await as(owner).put(`/boards/${publicId}`, { isFavourite }));
        if (isArchived) ok(await as(owner).post(`/boards/${publicId}/archive`));
      }
      const filters = { tagPublicId: tag.publicId, favourite: "true" };
      return {
        path: `/workspaces/${workspace.publicId}/boards`,
        reader: owner,
        filters,
        base: { archived: "true" },
      };
    },
  },
  "notification.list": {
    others: ["types"],
    filtered: async () => {
      const { card, board } = await make.card();
      const reader = await make.member(board, "member");
      for (let count = 0; count < 4; count += 1) await make.comment({ card, comment: `@${reader.email}` });
      const all = ok(await as(reader).get<{ publicId: string }[]>("/notifications"));
      ok(await as(reader).post(`/notifications/${all[2]?.publicId}/read`));
      return { path: "/notifications", reader, filters: { unread: "true", before: all[1]?.publicId ?? "" } };
    },
  },
  "admin.users.list": {
    others: [],
    filtered: async () => {
      const reader = await make.instanceAdmin();
      const name = unique(WORD);
      const [disabled, other] = [await make.user({ name }), await make.user()];
      await make.user({ name });
      for (const { publicId } of [disabled, other]) {
        ok(await as(reader).put(`/admin/users/${publicId}`, { disabled: true }));
      }
      return { path: "/admin/users", reader, filters: { search: name, status: "disabled" }, base: { limit: "100" } };
    },
  },
  "admin.audit": {
    others: [],
    filtered: async () => {
      const reader = await make.instanceAdmin();
      const person = await make.user();
      await make.token(person);
      await make.token(reader);
      const filters = { actorPublicId: person.publicId, type: "account.signedUp" };
      return { path: "/admin/audit", reader, filters, base: { limit: "100" } };
    },
  },
};

const PAGE = ["limit", "cursor"];
const operations = operationsOf(appRouter).flatMap(({ path, method, type, restPath, input }) => {
  const names = Object.entries(input.shape).flatMap(([name, field]) =>
    restPath.includes(`{${name}}`) || PAGE.includes(name) || !field.safeParse(undefined).success ? [] : [name],
  );
  return method === "GET" && type === "query" && names.length > 1 ? [{ path, names }] : [];
});

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** What a list holds, by identifier: an array, a page of items, or the cards of a board's lists. */
function idsOf(body: unknown): string[] {
  if (Array.isArray(body)) return body.filter(isFields).map(({ publicId, id }) => String(publicId ?? id));
  if (!isFields(body)) return expect.fail("no list");
  if (Array.isArray(body.lists)) return body.lists.filter(isFields).flatMap(({ cards }) => idsOf(cards));
  return idsOf(body.items);
}

test("there is a row for each operation with several parameters, and for no other", () => {
  expect(Object.keys(ROWS).sort()).toEqual(operations.map(({ path }) => path).sort());
});

describe.each(operations)("$path", ({ path, names }) => {
  test("has filters of which each, beside any other, leaves out what it leaves out alone", async () => {
    const row = ROWS[path] ?? expect.fail("no row");
    const { path: url, reader, filters, base } = (await row.filtered?.()) ?? NOTHING;
    expect([...Object.keys(filters), ...row.others].sort()).toEqual([...names].sort());
    const listed = async (chosen: readonly string[]) => {
      const query = { ...base, ...Object.fromEntries(chosen.map((name) => [name, filters[name] ?? ""])) };
      return idsOf(ok(await as(reader).get<unknown>(`${url}?${new URLSearchParams(query)}`)));
    };
    for (const one of Object.keys(filters)) {
      const alone = await listed([one]);
      for (const other of Object.keys(filters).filter((name) => name > one)) {
        const beside = new Set(await listed([other]));
        const both = alone.filter((id) => beside.has(id));
        expect(await listed([one, other]), `${one} and ${other}`).toEqual(both);
        expect(both.length, `${one} and ${other} have something in common`).toBeGreaterThan(0);
        expect(both.length, `${other} leaves something out`).toBeLessThan(alone.length);
        expect(both.length, `${one} leaves something out`).toBeLessThan(beside.size);
      }
    }
  });
});
