// Who sees a board (contract section 2, Boards): the rule in SQL, and what every reading shows of boards, against the rule in
// TypeScript, over roles, visibilities, places on the board, memberships and tokens.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { seesBoard, seesBoardSql } from "../../src/access/boardVisibility.js";
import { type Card, expectError, ok, testApp, type Workspace } from "../helpers/app.js";
import type { Role } from "../helpers/make.js";
import { notificationsOn } from "../notification/received.js";

const app = await testApp();
const { as, make, db } = app;
const { listOf } = notificationsOn(app);

const ROLES = ["admin", "member", "guest"] as const;
const VISIBILITIES = ["workspace", "private", "public"] as const;
const PLACES = [true, false] as const;
const KINDS = VISIBILITIES.flatMap((visibility) => PLACES.map((isOn) => ({ visibility, isOn })));

type Kind = (typeof KINDS)[number];
const nameOf = ({ visibility, isOn }: Kind) => `${visibility}, ${isOn ? "on it" : "not on it"}`;

test("the rule in SQL gives what the rule in TypeScript gives, for every combination", async () => {
  const combinations = ROLES.flatMap((role) => KINDS.map((kind) => ({ role, ...kind })));
  for (const { role, visibility, isOn } of combinations) {
    const condition = seesBoardSql(sql`${role}::text`, sql`${visibility}::text`, sql`${isOn}::boolean`);
    const [row] = await db.rows<{ sees: boolean }>(sql`select ${condition} as sees`);
    expect({ role, visibility, isOn, sees: row?.sees }).toEqual({
      role,
      visibility,
      isOn,
      sees: seesBoard(role, visibility, isOn),
    });
  }
});

/** A board of each visibility with a due card, twice: some people are going to be on the one, nobody on the other. */
async function boardsIn(workspace: Workspace) {
  const made: { kind: Kind; card: Card }[] = [];
  for (const kind of KINDS) {
    const { board } = await make.board({ workspace, visibility: kind.visibility });
    const { card } = await make.card({ board, title: "Needle", dueDate: "2027-01-15" });
    made.push({ kind, card });
  }
  return made;
}

type Boards = Awaited<ReturnType<typeof boardsIn>>;

async function personOn(workspace: Workspace, boards: Boards, role: Role) {
  const person = await make.member(workspace, role);
  for (const { kind, card } of boards) {
    if (!kind.isOn) continue;
    const { publicId, owner } = card.list.board;
    ok(await as(owner).post(`/boards/${publicId}/members`, { memberPublicId: person.memberPublicId }));
  }
  return person;
}

const { workspace } = await make.workspace();
const boards = await boardsIn(workspace);
const elsewhere = (await make.workspace()).workspace;

/** The boards that somebody may see, by the rule; by their names. */
const seenBy = (role: Role | null) =>
  boards
    .filter(({ kind }) => role !== null && seesBoard(role, kind.visibility, kind.isOn))
    .map(({ kind }) => nameOf(kind))
    .sort();

const namesOf = (publicIds: readonly (string | null)[]) =>
  boards
    .filter(({ card }) => publicIds.includes(card.list.board.publicId))
    .map(({ kind }) => nameOf(kind))
    .sort();

interface OnBoard {
  publicId: string;
  boardPublicId: string | null;
}

async function shownTo(reader: { token: string }) {
  const client = as(reader);
  const at = `/workspaces/${workspace.publicId}`;
  const listed = async <Body>(path: string, boardsOf: (body: Body) => (string | null)[]) => {
    const answer = await client.get<Body>(path);
    if (answer.status === 200) return namesOf(boardsOf(ok(answer)));
    expectError(answer, "FORBIDDEN");
    return null;
  };
  const opened = async (pathOf: (card: Card) => string) => {
    const open: string[] = [];
    for (const { kind, card } of boards) {
      const answer = await client.get(pathOf(card));
      if (answer.status === 200) open.push(nameOf(kind));
      else expectError(answer, "FORBIDDEN");
    }
    return open.sort();
  };
  return {
    boards: await listed<OnBoard[]>(`${at}/boards`, (body) => body.map(({ publicId }) => publicId)),
    search: await listed<{ items: OnBoard[] }>(`${at}/search?query=needle`, ({ items }) =>
      items.map(({ boardPublicId }) => boardPublicId),
    ),
    calendar: await listed<OnBoard[]>(`${at}/calendar?anchor=2027-01-15`, (body) =>
      body.map(({ boardPublicId }) => boardPublicId),
    ),
    events: await listed<{ items: OnBoard[] }>(`${at}/events?limit=100`, ({ items }) =>
      items.map(({ boardPublicId }) => boardPublicId),
    ),
    "each board": await opened((card) => `/boards/${card.list.board.publicId}`),
    "each board's file": await opened((card) => `/boards/${card.list.board.publicId}/export`),
    "each card": await opened((card) => `/cards/${card.publicId}`),
    "each card's activities": await opened((card) => `/cards/${card.publicId}/activities`),
  };
}

type Shown = Awaited<ReturnType<typeof shownTo>>;

const LISTS = ["boards", "search", "calendar", "events"];

/** What every reading is to show to somebody, who is refused lists where it does not belong to the workspace. */
const all = (names: string[], isIn: boolean, shown: Shown) =>
  Object.fromEntries(Object.keys(shown).map((name) => [name, LISTS.includes(name) && !isIn ? null : names]));

describe.each(ROLES)("every reading shows a person who is %s the boards of the rule", (role) => {
  test("with a session, and with tokens that reach the workspace", async () => {
    const person = await personOn(workspace, boards, role);
    const readers = [
      person,
      await make.token(person),
      await make.token(person, { scope: "read" }),
      await make.token(person, { workspacePublicId: workspace.publicId }),
    ];
    for (const reader of readers) {
      const shown = await shownTo(reader);
      expect(shown).toEqual(all(seenBy(role), true, shown));
    }
  });

  test("and none with a token that is bound elsewhere, nor once the person is removed", async () => {
    const person = await personOn(workspace, boards, role);
    await make.member(elsewhere, "admin", person);
    const bound = await make.token(person, { workspacePublicId: elsewhere.publicId });
    const shown = await shownTo(bound);
    expect(shown).toEqual(all(seenBy(null), false, shown));

    ok(await as(workspace.owner).delete(`/workspaces/${workspace.publicId}/members/${person.memberPublicId}`));
    expect(await shownTo(person)).toEqual(all(seenBy(null), false, shown));
  });

  test("mentions tell of their cards alone", async () => {
    const person = await personOn(workspace, boards, role);
    for (const { card } of boards) await make.comment({ card, comment: `@[them](${person.memberPublicId})` });
    expect(namesOf((await listOf(person)).map(({ card }) => card?.boardPublicId ?? null))).toEqual(seenBy(role));
  });

  test("the person is assigned to their cards alone, and a pending one to none", async () => {
    const person = await personOn(workspace, boards, role);
    expect(await assignableOn(person.memberPublicId)).toEqual(seenBy(role));
    const invited = ok(
      await as(workspace.owner).post<{ publicId: string }>(`/workspaces/${workspace.publicId}/members/invite`, {
        email: `pending.${role}@example.org`,
        role,
      }),
    );
    expect(await assignableOn(invited.publicId)).toEqual([]);
  });

  test("whoever becomes one stays assigned to their cards alone", async () => {
    const { memberPublicId } = await personOn(workspace, boards, "admin");
    const made = [];
    for (const { kind, card } of boards) {
      made.push({ kind, card: (await make.card({ list: card.list, memberPublicIds: [memberPublicId] })).card });
    }
    ok(await as(workspace.owner).put(`/workspaces/${workspace.publicId}/members/${memberPublicId}/role`, { role }));
    const assigned: string[] = [];
    for (const { kind, card } of made) {
      const { members } = ok(await as(workspace.owner).get<{ members: unknown[] }>(`/cards/${card.publicId}`));
      if (members.length > 0) assigned.push(nameOf(kind));
    }
    expect(assigned.sort()).toEqual(seenBy(role));
  });
});

test("who does not belong to the workspace sees none of its boards, public ones neither", async () => {
  const stranger = await make.user();
  const shown = await shownTo(stranger);
  expect(shown).toEqual(all([], false, shown));
});

async function assignableOn(memberPublicId: string) {
  const assignable: string[] = [];
  for (const { kind, card } of boards) {
    const answer = await as(workspace.owner).post("/cards", {
      title: "Assigned",
      listPublicId: card.list.publicId,
      memberPublicIds: [memberPublicId],
    });
    if (answer.status === 200) assignable.push(nameOf(kind));
    else expectError(answer, "BAD_REQUEST", "memberPublicIds");
  }
  return assignable.sort();
}
