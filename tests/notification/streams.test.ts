// The stream of one's notifications, on the listening application.

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { type Board, ok, testApp } from "../helpers/app.js";
import { read } from "../helpers/streams.js";

const { as, make, db, listening, another } = await testApp();
const url = await listening();

interface Listed {
  publicId: string;
  type: string;
  workspace: { publicId: string };
  card: { publicId: string } | null;
}

const follow = (person: { token: string }, lastEventId?: string) =>
  read(`${url}/api/v1/notifications/stream`, person.token, lastEventId);

async function mention(board: Board, memberPublicId: string) {
  const { card } = await make.card({ board });
  ok(await as(board.owner).post(`/cards/${card.publicId}/comments`, { comment: `@[x](${memberPublicId})` }));
}

test("each new notification of the caller arrives once, as it is listed, and nobody else's does", async () => {
  const { board } = await make.board();
  const max = await make.member(board.workspace, "member");
  const [reading, others] = await Promise.all([follow(max), follow(board.owner)]);
  await mention(board, max.memberPublicId);
  await mention(board, max.memberPublicId);
  await reading.until(() => reading.items().length === 2);
  const listed = ok(await as(max).get<Listed[]>("/notifications"));
  expect(reading.items()).toEqual(listed.toReversed());
  expect(others.items()).toEqual([]);
});

test("resumes without loss from the first id, whatever workspaces told in between, at the same time", async () => {
  const { board } = await make.board();
  const max = await make.member(board.workspace, "member");
  const places = [{ board, memberPublicId: max.memberPublicId }];
  for (let n = 0; n < 3; n += 1) {
    const other = (await make.board({ owner: board.owner })).board;
    const { inviteLink } = ok(
      await as(board.owner).post<{ inviteLink: string }>(`/workspaces/${other.workspace.publicId}/members/invite`, {
        email: max.email,
      }),
    );
    ok(await as(max).post("/invites/accept", { inviteCode: inviteLink.split("/").at(-1) }));
    const members = ok(
      await as(max).get<{ publicId: string; email: string }[]>(`/workspaces/${other.workspace.publicId}/members`),
    );
    places.push({ board: other, memberPublicId: members.find(({ email }) => email === max.email)?.publicId ?? "" });
  }
  const first = await follow(max);
  await first.until(() => first.messages.length > 0);
  first.leave();
  await Promise.all(
    Array.from({ length: 40 }, (_, n) => places[n % places.length]).map((place) =>
      place === undefined ? undefined : mention(place.board, place.memberPublicId),
    ),
  );
  let lastId = first.lastId();
  const ids: string[] = [];
  while (ids.length < 40) {
    const resumed = await follow(max, lastId);
    const wanted = Math.min(7, 40 - ids.length);
    await resumed.until(() => resumed.items().length >= wanted);
    resumed.leave();
    const taken = resumed.messages.filter(({ data }) => data !== undefined).slice(0, wanted);
    ids.push(...taken.map(({ data }) => JSON.parse(data ?? "").publicId));
    lastId = taken.at(-1)?.id;
  }
  const listed = ok(await as(max).get<Listed[]>("/notifications?limit=50"));
  expect(new Set(ids).size).toBe(40);
  expect(listed.map(({ publicId }) => publicId)).toEqual(expect.arrayContaining(ids));
});

test("what a process left uncounted is counted once, by whoever looks first, in the order in which it was told", async () => {
  const { board } = await make.board();
  const max = await make.member(board.workspace, "member");
  const first = await follow(max);
  await first.until(() => first.messages.length > 0);
  first.leave();
  for (let n = 0; n < 5; n += 1) await mention(board, max.memberPublicId);
  const uncounted = () =>
    db.rows(sql`
      select n.public_id from notification n join account a on a.id = n.account_id
      where a.public_id = ${max.publicId}::text and n.seq is null`);
  expect(await uncounted()).toHaveLength(5);

  const apps = await Promise.all([another({}), another({})]);
  const readings = await Promise.all(
    apps.map(async (one) => read(`${await one.listening()}/api/v1/notifications/stream`, max.token, first.lastId())),
  );
  const listed = ok(await as(max).get<Listed[]>("/notifications"));
  for (const reading of readings) {
    await reading.until(() => reading.items().length === 5);
    expect(reading.items()).toEqual(listed.toReversed());
  }
  expect(await uncounted()).toEqual([]);
});

test("a bound token gets those of its workspace alone", async () => {
  const { board } = await make.board();
  const max = await make.member(board.workspace, "member");
  const elsewhere = (await make.board({ owner: max })).board;
  const bound = await make.token(max, { workspacePublicId: elsewhere.workspace.publicId, scope: "read" });
  const [all, few] = await Promise.all([follow(max), follow(bound)]);
  await mention(board, max.memberPublicId);
  await all.until(() => all.items().length === 1);
  const { inviteCode } = ok(
    await as(max).post<{ inviteCode: string }>(`/workspaces/${elsewhere.workspace.publicId}/invites`),
  );
  ok(await as(await make.user()).post("/invites/accept", { inviteCode }));
  await few.until(() => few.items().length === 1);
  expect(few.items<Listed>()).toMatchObject([
    { type: "workspace.member.added", workspace: { publicId: elsewhere.workspace.publicId } },
  ]);
});

test("ends at once when the account is deleted", async () => {
  const max = await make.user();
  const reading = await follow(max);
  ok(await as(max).post("/users/me/delete", { password: max.password }));
  await reading.ended;
  expect(reading.messages.at(-1)?.event).toBe("end");
});
