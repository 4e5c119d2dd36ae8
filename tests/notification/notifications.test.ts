// Guarantees of notifications (specification 4.22, 4.23): what a person reads, what of it it may see, and what stays read.

import { describe, expect, test } from "vitest";
import { type Card, contentsOf, expectError, ok, type Person, testApp } from "../helpers/app.js";
import { notificationsOn } from "./received.js";

const app = await testApp();
const { as, anonymous, make, db, trpcClient } = app;
const { listOf } = notificationsOn(app);
const UNKNOWN = "AAAAAAAAAAAA";

const mention = async (card: Card, person: Person, by: Person = card.owner) =>
  (await make.comment({ card, by, comment: `@${person.email}` })).comment;
const unreadOf = async (person: { token: string }) =>
  ok(await as(person).get<{ count: number }>("/notifications/unread-count")).count;
const read = (person: { token: string }, publicId: string) => as(person).post(`/notifications/${publicId}/read`);

/** Someone who was told of `count` mentions on one card. */
async function withNotifications(count: number, role: "admin" | "member" = "member") {
  const made = await make.card();
  const person = await make.member(made.workspace, role);
  for (let n = 0; n < count; n += 1) await mention(made.card, person);
  return { ...made, person };
}

describe("the list", () => {
  test("shows a notification exactly as specified", async () => {
    const { owner, workspace, board, card, person } = await withNotifications(1);
    ok(await as(owner).put("/users/me", { image: "https://example.org/me.png" }));
    const { cardPrefix } = ok(await as(owner).get<{ cardPrefix: string }>(`/workspaces/${workspace.publicId}`));

    expect(await listOf(person)).toEqual([
      {
        publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
        type: "mention",
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        readAt: null,
        actor: { name: owner.name, email: owner.email, image: "https://example.org/me.png" },
        card: {
          publicId: card.publicId,
          title: card.title,
          cardNumber: card.cardNumber,
          boardPublicId: board.publicId,
          cardPrefix,
        },
        workspace: { publicId: workspace.publicId, name: workspace.name },
      },
    ]);
  });

  test("holds the caller's own alone, newest first, 20 unless told otherwise", async () => {
    const { card, person } = await withNotifications(22);
    await mention(card, card.owner, person);
    const all = await listOf(person, "?limit=50");
    expect(all).toHaveLength(22);
    expect(all.map(({ createdAt }) => createdAt)).toEqual(
      all
        .map(({ createdAt }) => createdAt)
        .sort()
        .reverse(),
    );
    expect(await listOf(person)).toEqual(all.slice(0, 20));
    expect(await listOf(person, "?limit=1")).toEqual(all.slice(0, 1));
    for (const limit of ["0", "51", "x", ""]) {
      expectError(await as(person).get(`/notifications?limit=${limit}`), "BAD_REQUEST", "limit");
    }
    expectError(await anonymous.get("/notifications"), "UNAUTHORIZED");
  });

  test("goes on before one of the caller's notifications; before anything else is BAD_REQUEST", async () => {
    const { owner, card, person } = await withNotifications(5);
    await mention(card, owner, person);
    const all = await listOf(person);
    const [first, second] = await (async () => {
      const one = await listOf(person, "?limit=3");
      return [one, await listOf(person, `?limit=3&before=${one.at(-1)?.publicId}`)];
    })();
    expect([...first, ...second]).toEqual(all);
    expect(await listOf(person, `?before=${all.at(-1)?.publicId}`)).toEqual([]);

    const [foreign] = await listOf(owner);
    for (const before of [UNKNOWN, foreign?.publicId]) {
      expectError(await as(person).get(`/notifications?before=${before}`), "BAD_REQUEST", "before");
    }
    expectError(await as(person).get("/notifications?before=short"), "BAD_REQUEST", "before");
  });

  test("can be cut to the unread or to the read, also page by page", async () => {
    const { person } = await withNotifications(4);
    const [newest, , third] = await listOf(person);
    for (const { publicId } of [newest, third].filter((one) => one !== undefined)) ok(await read(person, publicId));
    const all = await listOf(person);
    const unread = all.filter(({ readAt }) => readAt === null);

    expect(await listOf(person, "?unread=true")).toEqual(unread);
    expect(await listOf(person, "?unread=false")).toEqual(all.filter(({ readAt }) => readAt !== null));
    expect(await listOf(person, `?unread=true&before=${third?.publicId}`)).toEqual(unread.slice(1));
    expectError(await as(person).get("/notifications?unread=1"), "BAD_REQUEST", "unread");
  });

  test("tells of joining, a new role and removal, without a card", async () => {
    const { owner, workspace } = await make.workspace();
    const person = await make.user();
    const { inviteCode } = ok(
      await as(owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`),
    );
    ok(await as(person).post("/invites/accept", { inviteCode }));
    const members = ok(
      await as(owner).get<{ publicId: string; name: string }[]>(`/workspaces/${workspace.publicId}/members`),
    );
    const path = `/workspaces/${workspace.publicId}/members/${members.find(({ name }) => name === person.name)?.publicId}`;
    ok(await as(owner).put(`${path}/role`, { role: "admin" }));
    ok(await as(owner).delete(path));

    expect(await listOf(owner)).toMatchObject([
      { type: "workspace.member.added", actor: { name: person.name, email: null }, card: null },
    ]);
    const ofOwner = { actor: { name: owner.name, email: null, image: null }, card: null };
    expect(await listOf(person)).toMatchObject([
      { type: "workspace.member.removed", ...ofOwner, workspace: { name: workspace.name } },
      { type: "workspace.role.changed", ...ofOwner, workspace: { name: workspace.name } },
    ]);
  });

  test("is read over tRPC alike", async () => {
    const { person } = await withNotifications(2);
    expect(await trpcClient(person).notification.list.query({ limit: 1 })).toEqual(await listOf(person, "?limit=1"));
    expect(await trpcClient(person).notification.unreadCount.query()).toEqual({ count: 2 });
  });

  test("goes with its workspace", async () => {
    const { owner, workspace, person } = await withNotifications(2);
    ok(await as(owner).delete(`/workspaces/${workspace.publicId}`));
    expect(await listOf(person)).toEqual([]);
    expect(await unreadOf(person)).toBe(0);
  });
});

describe("the actor's address", () => {
  const emailSeenBy = async (person: Person) => (await listOf(person))[0]?.actor.email;

  test("is shown to admins always, to members where the workspace shows addresses, to guests never", async () => {
    const { owner, workspace, board, card } = await make.card();
    const [admin, member] = [await make.member(workspace, "admin"), await make.member(workspace, "member")];
    const guest = await make.member(board, "guest");
    for (const person of [admin, member, guest]) await mention(card, person);

    expect(await Promise.all([admin, member, guest].map(emailSeenBy))).toEqual([owner.email, owner.email, null]);
    ok(await as(owner).put(`/workspaces/${workspace.publicId}`, { showEmailsToMembers: false }));
    expect(await Promise.all([admin, member, guest].map(emailSeenBy))).toEqual([owner.email, null, null]);
  });

  test("is shown only while both belong to the workspace; a closed account is Deleted user", async () => {
    const { owner, workspace, card } = await make.card();
    const [actor, person] = [await make.member(workspace, "member"), await make.member(workspace, "admin")];
    await mention(card, person, actor);
    ok(await as(owner).delete(`/workspaces/${workspace.publicId}/members/${actor.memberPublicId}`));
    expect(await listOf(person)).toMatchObject([{ actor: { name: actor.name, email: null } }]);

    ok(await as(actor).post("/users/me/delete", { password: actor.password }));
    expect(await listOf(person)).toMatchObject([{ actor: { name: "Deleted user", email: null, image: null } }]);
  });
});

describe("the card", () => {
  test("is null once it is deleted, and shown while it or its board is archived", async () => {
    const { owner, board, card, person } = await withNotifications(1);
    ok(await as(owner).post(`/cards/${card.publicId}/archive`));
    ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    expect(await listOf(person)).toMatchObject([{ card: { publicId: card.publicId } }]);
    ok(await as(owner).post(`/boards/${board.publicId}/unarchive`));
    ok(await as(owner).delete(`/cards/${card.publicId}`));
    expect(await listOf(person)).toMatchObject([{ type: "mention", card: null }]);
    expect(await unreadOf(person)).toBe(1);
  });

  test("is null while its board is not the caller's to see, and after leaving the workspace", async () => {
    const { owner, workspace, board, card, person } = await withNotifications(1);
    const guest = await make.member(board, "guest");
    await mention(card, guest);
    ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "private" }));
    expect(await listOf(person)).toMatchObject([{ card: null }]);
    expect(await listOf(guest)).toMatchObject([{ card: { publicId: card.publicId } }]);
    ok(await as(owner).delete(`/boards/${board.publicId}/members/${guest.memberPublicId}`));
    expect(await listOf(guest)).toMatchObject([{ card: null }]);
    ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "workspace" }));
    expect(await listOf(person)).toMatchObject([{ card: { publicId: card.publicId } }]);

    ok(await as(person).delete(`/workspaces/${workspace.publicId}/members/${person.memberPublicId}`));
    expect(await listOf(person)).toMatchObject([
      { card: null, actor: { name: owner.name, email: null }, workspace: { publicId: workspace.publicId } },
    ]);
  });
});

describe("marking as read", () => {
  test("keeps the first time, however often, and writes no event", async () => {
    const { person } = await withNotifications(2);
    const [one, other] = await listOf(person);
    const before = await contentsOf(db);

    expect(ok(await read(person, one?.publicId ?? ""))).toEqual({ success: true });
    const [marked] = await listOf(person);
    expect(marked?.readAt).toMatch(/Z$/);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(ok(await read(person, one?.publicId ?? ""))).toEqual({ success: true });

    expect(await listOf(person)).toEqual([marked, other]);
    expect(await unreadOf(person)).toBe(1);
    expect(await contentsOf(db)).toEqual(before);
  });

  test("somebody else's or an unknown one is FORBIDDEN and changes nothing", async () => {
    const { owner, person } = await withNotifications(1);
    const [one] = await listOf(person);
    for (const publicId of [UNKNOWN, one?.publicId ?? ""]) expectError(await read(owner, publicId), "FORBIDDEN");
    expectError(await read(person, "short"), "BAD_REQUEST");
    expectError(await anonymous.post(`/notifications/${one?.publicId}/read`), "UNAUTHORIZED");
    expect(await listOf(person)).toEqual([one]);
  });

  test("all at once counts those that were unread, and leaves other people's alone", async () => {
    const { owner, card, person } = await withNotifications(3);
    await mention(card, owner, person);
    const [first] = await listOf(person);
    ok(await read(person, first?.publicId ?? ""));
    const [marked] = await listOf(person);

    expect(await unreadOf(person)).toBe(2);
    expect(ok(await as(person).post("/notifications/read-all"))).toEqual({ count: 2 });
    expect(ok(await as(person).post("/notifications/read-all", {}))).toEqual({ count: 0 });

    const after = await listOf(person);
    expect(after[0]).toEqual(marked);
    expect(after.every(({ readAt }) => readAt !== null)).toBe(true);
    expect(await unreadOf(person)).toBe(0);
    expect(await unreadOf(owner)).toBe(1);
    expectError(await anonymous.post("/notifications/read-all"), "UNAUTHORIZED");
    expectError(await anonymous.get("/notifications/unread-count"), "UNAUTHORIZED");
  });

  test("with an Idempotency-Key answers again as it did", async () => {
    const { person } = await withNotifications(2);
    const once = () => as(person).post("/notifications/read-all", undefined, { "idempotency-key": "read-them" });
    expect(ok(await once())).toEqual({ count: 2 });
    expect(ok(await once())).toEqual({ count: 2 });
  });
});

describe("tokens", () => {
  test("one that is bound to a workspace sees, counts and marks those of that workspace alone", async () => {
    const { workspace, card, person } = await withNotifications(2);
    const { workspace: otherWorkspace, card: otherCard } = await make.card();
    await make.member(otherWorkspace, "member", person);
    await mention(otherCard, person);
    const [elsewhere] = await listOf(person);
    const bound = await make.token(person, { workspacePublicId: workspace.publicId });

    const own = await listOf(bound);
    expect(own.map((one) => one.card?.publicId)).toEqual([card.publicId, card.publicId]);
    expect(await unreadOf(bound)).toBe(2);
    const before = elsewhere?.publicId ?? "";
    expectError(await as(bound).get(`/notifications?before=${before}`), "BAD_REQUEST", "before");
    expectError(await read(bound, before), "FORBIDDEN");
    ok(await read(bound, own[0]?.publicId ?? ""));
    expect(ok(await as(bound).post("/notifications/read-all"))).toEqual({ count: 1 });
    expect(await unreadOf(person)).toBe(1);
    expect(await listOf(person, "?unread=true")).toEqual([elsewhere]);
  });

  test("one that may only read lists and counts, and marks nothing", async () => {
    const { person } = await withNotifications(1);
    const token = await make.token(person, { scope: "read" });
    const [one] = await listOf(token);
    expect(await unreadOf(token)).toBe(1);
    expectError(await read(token, one?.publicId ?? ""), "FORBIDDEN");
    expectError(await as(token).post("/notifications/read-all"), "FORBIDDEN");
    expect(await unreadOf(person)).toBe(1);
  });
});
