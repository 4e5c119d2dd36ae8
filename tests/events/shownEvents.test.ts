// The log read back (contract section 5): who sees what, by cursor and by filter; and the activities of a card.

import { describe, expect, test } from "vitest";
import { type Board, type Card, ok, type Person, testApp } from "../helpers/app.js";

const { as, make } = await testApp();

interface Event {
  id: number;
  type: string;
  actor: { publicId: string; name: string; image: string | null; memberPublicId: string | null } | null;
  boardPublicId: string | null;
  cardPublicId: string | null;
  data: Record<string, unknown>;
  requestKey: string | null;
}

interface EventPage {
  items: Event[];
  nextCursor: number;
  hasMore: boolean;
}

const eventsOf = async (person: { token: string }, workspace: { publicId: string }, query = "") =>
  ok(await as(person).get<EventPage>(`/workspaces/${workspace.publicId}/events?limit=100${query}`));

const activitiesOf = async (person: { token: string }, card: { publicId: string }, query = "") =>
  ok(await as(person).get<{ items: Event[]; nextCursor: string | null }>(`/cards/${card.publicId}/activities${query}`));

const boardsIn = ({ items }: EventPage) => [...new Set(items.map(({ boardPublicId }) => boardPublicId))].sort();

/** A workspace with an open, a private and a deleted board, a webhook and an invite link. */
async function furnished() {
  const { board: open, workspace, owner } = await make.board();
  const hidden = (await make.board({ workspace, visibility: "private" })).board;
  const gone = (await make.board({ workspace })).board;
  const { card } = await make.card({ board: open });
  await make.card({ board: hidden });
  ok(await as(owner).delete(`/boards/${gone.publicId}`));
  ok(await as(owner).post(`/workspaces/${workspace.publicId}/tags`, { name: "Tag", colourCode: "#1f6feb" }));
  ok(await as(owner).post(`/workspaces/${workspace.publicId}/invites`));
  ok(
    await as(owner).post(`/workspaces/${workspace.publicId}/webhooks`, {
      name: "Hook",
      url: "https://example.org/",
      events: ["*"],
    }),
  );
  return { open, hidden, gone, workspace, owner, card };
}

describe("of a workspace", () => {
  test("an admin sees every event, numbered without a gap, whatever the pages", async () => {
    const { workspace, owner } = await furnished();
    const { items } = await eventsOf(owner, workspace);
    expect(items.map(({ id }) => id)).toEqual(items.map((_, index) => index + 1));
    const paged: Event[] = [];
    for (let after = 0; ; ) {
      const page = ok(
        await as(owner).get<EventPage>(`/workspaces/${workspace.publicId}/events?limit=3&after=${after}`),
      );
      paged.push(...page.items);
      expect(page.nextCursor).toBe(page.items.at(-1)?.id ?? after);
      expect(page.hasMore).toBe(page.nextCursor !== items.at(-1)?.id);
      if (page.items.length === 0) break;
      after = page.nextCursor;
    }
    expect(paged).toEqual(items);
  });

  test("a member sees its boards and the workspace's own, but for invitations, webhooks and deleted boards", async () => {
    const { workspace, owner, open, hidden, gone } = await furnished();
    const member = await make.member(workspace, "member");
    const all = await eventsOf(owner, workspace);
    const seen = await eventsOf(member, workspace);
    expect(boardsIn(all)).toEqual([open.publicId, hidden.publicId, gone.publicId, null].sort());
    expect(boardsIn(seen)).toEqual([open.publicId, null].sort());
    const isPrivate = ({ type }: Event) => /^(?:invite|webhook)\./.test(type);
    expect(all.items.filter(isPrivate)).toHaveLength(2);
    expect(seen.items).toEqual(
      all.items.filter(
        (event) => !isPrivate(event) && (event.boardPublicId === null || event.boardPublicId === open.publicId),
      ),
    );
  });

  test("a guest sees the events of its boards alone", async () => {
    const { workspace, owner, hidden } = await furnished();
    const guest = await make.member(hidden, "guest");
    const seen = await eventsOf(guest, workspace);
    expect(boardsIn(seen)).toEqual([hidden.publicId]);
    expect(seen.items).toEqual((await eventsOf(owner, workspace, `&boardPublicId=${hidden.publicId}`)).items);
  });

  test("`hasMore` counts the events that the reader sees under the filter alone", async () => {
    const { workspace, owner, open, hidden, card } = await furnished();
    const guest = await make.member(hidden, "guest");
    const member = await make.member(workspace, "member");
    for (const person of [owner, member, guest]) {
      for (const filter of ["", `&boardPublicId=${open.publicId}`, `&cardPublicId=${card.publicId}`]) {
        const { items } = await eventsOf(person, workspace, filter);
        const upTo = (limit: number) =>
          as(person).get<EventPage>(`/workspaces/${workspace.publicId}/events?limit=${limit}${filter}`);
        if (items.length > 0) expect(ok(await upTo(items.length)).hasMore, filter).toBe(false);
        if (items.length > 1) expect(ok(await upTo(items.length - 1)).hasMore, filter).toBe(true);
      }
    }
  });

  test("a filter gives that board or card alone, and nothing where it names something unseen", async () => {
    const { workspace, owner, open, hidden, card } = await furnished();
    const member = await make.member(workspace, "member");
    for (const person of [owner, member]) {
      expect(boardsIn(await eventsOf(person, workspace, `&boardPublicId=${open.publicId}`))).toEqual([open.publicId]);
      const ofCard = await eventsOf(person, workspace, `&cardPublicId=${card.publicId}`);
      expect(ofCard.items.map(({ type }) => type)).toEqual(["card.created"]);
      const ofBoth = `&cardPublicId=${card.publicId}&boardPublicId=${hidden.publicId}`;
      expect((await eventsOf(person, workspace, ofBoth)).items).toEqual([]);
    }
    const hiddenCards = (await eventsOf(owner, workspace, `&boardPublicId=${hidden.publicId}`)).items;
    const hiddenCard = hiddenCards.find(({ type }) => type === "card.created")?.cardPublicId;
    for (const filter of [
      `boardPublicId=${hidden.publicId}`,
      `cardPublicId=${hiddenCard}`,
      "cardPublicId=unknownunkno",
    ]) {
      expect(await eventsOf(member, workspace, `&after=2&${filter}`)).toEqual({
        items: [],
        nextCursor: 2,
        hasMore: false,
      });
    }
  });

  test("the actor is the account and its membership, and stays as a tombstone when that is closed", async () => {
    const { board, list } = await make.list();
    const member = await make.member(board.workspace, "member");
    ok(await as(member).post("/cards", { title: "Mine", listPublicId: list.publicId }));
    const last = async () =>
      (await eventsOf(board.owner, board.workspace)).items.find(({ type }) => type === "card.created");
    const { publicId, name, memberPublicId } = member;
    expect((await last())?.actor).toEqual({ publicId, name, image: null, memberPublicId });
    ok(await as(member).post("/users/me/delete", { password: member.password }));
    expect((await last())?.actor).toEqual({ publicId, name: "Deleted user", image: null, memberPublicId: null });
  });
});

describe("an event", () => {
  test("carries its operation, which the answer's header names, and what kind of origin it has", async () => {
    const { list, owner, workspace } = await make.list();
    const { token } = await make.token(owner);
    const fields = { listPublicId: list.publicId, title: "x" };
    const headers = [
      (await as(owner).post("/cards", fields)).headers,
      (await as({ token }).post("/cards", fields)).headers,
    ];
    const { items } = await eventsOf(owner, workspace);
    expect(items.slice(-2)).toMatchObject([
      { operationPublicId: headers[0]?.["operation-id"], origin: { kind: "user" }, redacted: false },
      { operationPublicId: headers[1]?.["operation-id"], origin: { kind: "token" }, redacted: false },
    ]);
    expect(items.slice(-2).map(({ id }) => String(id))).toEqual(headers.map((one) => one["event-id"]));
  });

  test("carries the Request-Key of its request, in activities too; a stored answer writes none", async () => {
    const { card, owner, workspace } = await make.card();
    const key = "0123456789abcdef_-ABCDEF01234567";
    const rename = (title: string, headers: Record<string, string>) =>
      as(owner).send<object>({
        method: "PUT",
        url: `/api/v1/cards/${card.publicId}`,
        body: JSON.stringify({ title }),
        headers: { "content-type": "application/json", ...headers },
      });
    ok(await rename("Mine", { "idempotency-key": "once", "request-key": key }));
    const again = await rename("Mine", { "idempotency-key": "once", "request-key": "another-key" });
    expect(again.headers["idempotent-replayed"]).toBe("true");
    ok(await rename("Without", {}));

    const { items } = await eventsOf(owner, workspace, `&cardPublicId=${card.publicId}`);
    const updates = (all: Event[]) =>
      all.flatMap(({ type, requestKey }) => (type === "card.updated" ? [requestKey] : []));
    expect(updates(items)).toEqual([key, null]);
    expect(updates((await activitiesOf(owner, card)).items).sort()).toEqual([key, null]);
  });

  test("shows people as they are named now; one who has left is a former member", async () => {
    const { list, board, owner, workspace } = await make.list();
    const [stays, leaves] = [await make.member(board, "member"), await make.member(board, "member")];
    const memberPublicIds = [stays.memberPublicId, leaves.memberPublicId];
    const { card } = await make.card({ list, memberPublicIds });
    ok(await as(stays).post(`/cards/${card.publicId}/comments`, { comment: "Mine" }));
    ok(await as(stays).put("/users/me", { name: "Renamed", image: "https://example.org/me.png" }));
    ok(await as(owner).delete(`/workspaces/${workspace.publicId}/members/${leaves.memberPublicId}`));
    const { items } = await eventsOf(owner, workspace, `&cardPublicId=${card.publicId}`);
    const now = { name: "Renamed", image: "https://example.org/me.png" };
    expect(items.find(({ type }) => type === "card.created")?.data).toMatchObject({
      card: {
        members: expect.arrayContaining([
          { publicId: stays.memberPublicId, ...now },
          { publicId: leaves.memberPublicId, name: "Former member", image: null },
        ]),
      },
    });
    expect(items.find(({ type }) => type === "comment.created")?.data).toMatchObject({
      comment: { author: { publicId: stays.publicId, ...now, memberPublicId: stays.memberPublicId } },
    });
  });
});

describe("of a card", () => {
  async function moved(): Promise<{ from: Board; to: Board; card: Card; owner: Person }> {
    const { board: to, workspace, owner } = await make.board();
    const from = (await make.board({ workspace, visibility: "private" })).board;
    const { list } = await make.list({ board: to });
    const { card } = await make.card({ board: from });
    ok(await as(owner).put(`/cards/${card.publicId}`, { listPublicId: list.publicId }));
    ok(await as(owner).put(`/cards/${card.publicId}`, { title: "Arrived" }));
    return { from, to, card, owner };
  }

  test("activities are newest first, by cursor", async () => {
    const { card, owner } = await moved();
    const { items } = await activitiesOf(owner, card);
    expect(items.map(({ type }) => type)).toEqual(["card.updated", "card.moved", "card.created"]);
    const first = await activitiesOf(owner, card, "?limit=2");
    const second = await activitiesOf(owner, card, `?limit=2&cursor=${first.nextCursor}`);
    expect([...first.items, ...second.items]).toEqual(items);
    expect(second.nextCursor).toBeNull();
  });

  test("what happened on another board shows to those alone who see that board", async () => {
    const { card, from, to } = await moved();
    const member = await make.member(to.workspace, "member");
    const guest = await make.member(to, "guest");
    for (const person of [member, guest]) {
      expect((await activitiesOf(person, card)).items.map(({ type }) => type)).toEqual(["card.updated", "card.moved"]);
    }
    ok(await as(from.owner).post(`/boards/${from.publicId}/members`, { memberPublicId: member.memberPublicId }));
    expect((await activitiesOf(member, card)).items.map(({ type }) => type)).toEqual([
      "card.updated",
      "card.moved",
      "card.created",
    ]);
  });
});
