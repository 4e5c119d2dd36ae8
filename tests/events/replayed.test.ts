// Changes whose events once did not make the next snapshot of the last one (capabilities section 0, Events), each by itself. Random
// sequences of all changes are in `tests/fuzz/replay.test.ts`.

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Event } from "../../packages/client/src/board/things.js";
import { type Board, type Client, ok, type Person, testApp } from "../helpers/app.js";
import {
  compared,
  comparedAlone,
  readBoard,
  readEvents,
  readWholeBoard,
  replayed as replayedAlone,
  replayedWhole,
} from "./replay/snapshots.js";

const { as, make, db } = await testApp();

/**
 * Makes changes, and asserts that the events of a board, read when all is done, make the board of the one before: for one who read
 * every card of it, and for one who read the board alone. Gives the events.
 */
async function replayed(
  board: Board,
  run: () => Promise<unknown>,
  by: Pick<Person, "token"> = board.owner,
): Promise<Event[]> {
  const client = as(by);
  const after =
    (await readEvents(client, board.workspace, { after: 0, boardPublicId: board.publicId })).at(-1)?.id ?? 0;
  const whole = await readWholeBoard(client, board.publicId);
  const alone = await readBoard(client, board.publicId);
  await run();
  const events = await readEvents(client, board.workspace, { after, boardPublicId: board.publicId });
  const wholeAfter = events.reduce((state, event) => replayedWhole(state, event), whole);
  const aloneAfter = events.reduce(replayedAlone, alone);
  expect(compared(wholeAfter)).toEqual(compared(await readWholeBoard(client, board.publicId)));
  expect(comparedAlone(aloneAfter)).toEqual(comparedAlone(await readBoard(client, board.publicId)));
  return events;
}

const typesOf = (events: readonly Event[]) => events.map(({ type }) => type);

/** A board with a list, a guest who is on it and a member who is not. */
async function scene() {
  const { board, list, workspace, owner } = await make.list();
  const guest = await make.member(board, "guest");
  const member = await make.member(workspace, "member");
  return { board, list, workspace, owner, guest, member, client: as(owner) };
}

const codeOf = (inviteLink: string | null) => inviteLink?.split("/").at(-1);

async function inviteTo(client: Client, workspace: { publicId: string }, email: string, role: string) {
  const path = `/workspaces/${workspace.publicId}/members/invite`;
  const { inviteLink, publicId } = ok(
    await client.post<{ inviteLink: string; publicId: string }>(path, { email, role }),
  );
  return { inviteCode: codeOf(inviteLink), publicId };
}

test("a card that was deleted since leaves the others where moves beside it put them", async () => {
  const { board, list, client } = await scene();
  const cards = [(await make.card({ list })).card, (await make.card({ list })).card];

  const events = await replayed(board, async () => {
    const { card } = await make.card({ list, index: 0 });
    ok(await client.put(`/cards/${cards[1]?.publicId}`, { index: 1 }));
    ok(await client.delete(`/cards/${card.publicId}`));
  });

  expect(events[0]).toMatchObject({ type: "card.created", redacted: true });
  expect(events[0]?.data).toEqual({ to: { listPublicId: list.publicId, index: 0 } });
});

test("a card that one call edits and moves to another board arrives there as it is edited", async () => {
  const { board, list, workspace, client } = await scene();
  const { card } = await make.card({ board: (await make.board({ workspace })).board });

  const events = await replayed(board, async () => {
    const body = { title: "Edited", priority: "high", completed: true, listPublicId: list.publicId };
    ok(await client.put(`/cards/${card.publicId}`, body));
  });

  expect(typesOf(events)).toEqual(["card.moved"]);
});

test("a card that comes back is told whole: its board is enough to have read", async () => {
  const { board, list, client, member } = await scene();
  const { label } = await make.label({ board });
  const { card } = await make.card({
    list,
    labelPublicIds: [label.publicId],
    memberPublicIds: [member.memberPublicId],
  });
  await make.item({ checklist: (await make.checklist({ card })).checklist });
  ok(await client.post(`/cards/${card.publicId}/archive`));

  const events = await replayed(board, async () => ok(await client.post(`/cards/${card.publicId}/unarchive`)));

  expect(typesOf(events)).toEqual(["card.unarchived"]);
});

test("checklists and items that go take their counts with them", async () => {
  const { board, list, client } = await scene();
  const { card } = await make.card({ list });
  const [first, second] = [(await make.checklist({ card })).checklist, (await make.checklist({ card })).checklist];
  const items = [first, first, second].map((checklist) => make.item({ checklist }));
  for (const { item } of await Promise.all(items)) {
    ok(await client.put(`/checklist-items/${item.publicId}`, { completed: true }));
  }
  await make.item({ checklist: first });
  const { item } = (await items[2]) ?? { item: { publicId: "" } };

  const events = await replayed(board, async () => {
    ok(await client.delete(`/checklist-items/${item.publicId}`));
    ok(await client.delete(`/checklists/${first.publicId}`));
  });

  expect(typesOf(events)).toEqual(["checklist.item.deleted", "checklist.deleted"]);
});

test("who comes onto a board or a card is told by name and image, a member of the board with role and state", async () => {
  const { board, list, workspace, client, member } = await scene();
  const { card } = await make.card({ list });
  const other = await make.member(workspace, "admin");

  const events = await replayed(board, async () => {
    ok(await client.put(`/cards/${card.publicId}/members/${member.memberPublicId}`));
    ok(await client.post(`/boards/${board.publicId}/members`, { memberPublicId: other.memberPublicId }));
    ok(await client.post(`/boards/${board.publicId}/members/invite`, { email: "somebody@example.org" }));
  });

  const shown = { publicId: member.memberPublicId, name: member.name, image: null };
  expect(events.map(({ data }) => ("member" in data ? data.member : null))).toEqual([
    shown,
    { publicId: other.memberPublicId, name: other.name, image: null, role: "admin", status: "active" },
    { publicId: expect.any(String), name: "Invited", image: null, role: "guest", status: "invited" },
  ]);
});

test("a copy and an import tell their members with roles", async () => {
  const { board, workspace, client, owner } = await scene();
  const file = ok(await client.get(`/boards/${board.publicId}/export`));
  ok(await client.post(`/boards/${board.publicId}/duplicate`));
  ok(await client.post("/imports/boards", { workspacePublicId: workspace.publicId, board: file }));

  const made = (await readEvents(client, workspace, { after: 0 })).flatMap(({ data }) =>
    "board" in data ? (data.board ?? []) : [],
  );

  expect(made.map(({ members }) => members.map(({ name, role, status }) => [name, role, status])).slice(1)).toEqual([
    [[owner.name, "admin", "active"]],
    expect.arrayContaining([[owner.name, "admin", "active"], expect.arrayContaining(["guest", "active"])]),
  ]);
});

test("a new role is told on the member's boards, to a guest of them as well", async () => {
  const { board, workspace, client, guest, member } = await scene();
  ok(await client.post(`/boards/${board.publicId}/members`, { memberPublicId: member.memberPublicId }));
  const path = `/workspaces/${workspace.publicId}/members/${member.memberPublicId}/role`;

  const events = await replayed(board, async () => ok(await client.put(path, { role: "admin" })), guest);

  expect(typesOf(events)).toEqual(["member.role.changed"]);
  expect(events[0]?.data).toEqual({ memberPublicId: member.memberPublicId, from: "member", to: "admin" });
});

test("what the caller may do follows its role and the archive of the board, within the scope of its token", async () => {
  const { board, workspace, client, guest, member } = await scene();
  const roleOf = (person: typeof guest) => `/workspaces/${workspace.publicId}/members/${person.memberPublicId}/role`;
  const archive = async () => ok(await client.post(`/boards/${board.publicId}/archive`));
  const unarchive = async () => ok(await client.post(`/boards/${board.publicId}/unarchive`));

  for (const person of [guest, member]) {
    for (const by of [person, await make.token(person, { scope: "read" })]) {
      await replayed(board, archive, by);
      if (by === person) await replayed(board, unarchive, by);
      else await unarchive();
      ok(await client.put(roleOf(person), { role: person === guest ? "guest" : "member" }));
      await replayed(
        board,
        async () => {
          await archive();
          ok(await client.put(roleOf(person), { role: "admin" }));
          await unarchive();
        },
        by,
      );
    }
  }
});

test("somebody invited to a board is told on it once they have joined", async () => {
  const { board, workspace, client, guest } = await scene();
  const person = await make.user();
  const { inviteCode, publicId } = await inviteTo(client, workspace, person.email, "guest");
  ok(await client.post(`/boards/${board.publicId}/members`, { memberPublicId: publicId }));

  const accept = async () => ok(await as(person).post("/invites/accept", { inviteCode }));
  const events = await replayed(board, accept, guest);

  expect(typesOf(events)).toEqual(["member.added"]);
  const member = { publicId, name: person.name, image: null, role: "guest", status: "active" };
  expect(events[0]?.data).toEqual({ memberPublicId: publicId, role: "guest", member });
});

test("a present member who accepts an invitation to boards comes onto them with the higher role", async () => {
  const { board, workspace, client, member } = await scene();
  const { inviteCode, publicId } = await inviteTo(client, workspace, "pending@example.org", "admin");
  ok(await client.post(`/boards/${board.publicId}/members`, { memberPublicId: publicId }));
  const other = (await make.board({ workspace })).board;
  ok(await client.post(`/boards/${other.publicId}/members`, { memberPublicId: member.memberPublicId }));

  const accept = async () => ok(await as(member).post("/invites/accept", { inviteCode }));
  const events = await replayed(board, () => replayed(other, accept));

  expect(typesOf(events)).toEqual(["member.removed", "board.member.added"]);
});

test("an invitation that is issued again with another role tells that on the boards of whom it is for", async () => {
  const { board, workspace, client } = await scene();
  const email = "late@example.org";
  const { publicId } = await inviteTo(client, workspace, email, "guest");
  ok(await client.post(`/boards/${board.publicId}/members`, { memberPublicId: publicId }));
  await db.rows(sql`
    update invite set expires_at = now() - interval '1 s'
    from workspace w where w.id = invite.workspace_id and w.public_id = ${workspace.publicId}::text`);

  const events = await replayed(board, () => inviteTo(client, workspace, email, "member"));

  expect(typesOf(events)).toEqual(["member.role.changed"]);
});

test("a card is as new as the event that took an assignee off it", async () => {
  const { board, list, workspace, client, guest, member } = await scene();
  const people = [guest.memberPublicId, member.memberPublicId];
  await make.card({ list, memberPublicIds: people });

  const events = await replayed(board, async () => {
    ok(await client.put(`/boards/${board.publicId}`, { visibility: "private" }));
    ok(await client.delete(`/workspaces/${workspace.publicId}/members/${guest.memberPublicId}`));
  });

  expect(typesOf(events)).toEqual(["board.updated", "card.member.removed", "card.member.removed", "member.removed"]);
});

test("a card that was archived before its list was deleted stays as old as it was", async () => {
  const { board, list, client } = await scene();
  const { card } = await make.card({ list });
  await make.card({ list });
  ok(await client.post(`/cards/${card.publicId}/archive`));

  const events = await replayed(board, async () => ok(await client.delete(`/lists/${list.publicId}`)));

  expect(typesOf(events)).toEqual(["card.archived", "list.deleted"]);
});
