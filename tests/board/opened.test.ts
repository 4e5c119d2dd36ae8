// Boards that people open: stored to the minute, for nobody but themselves, and without an event.

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { type Board, expectError, ok, type Person, testApp } from "../helpers/app.js";
import { eventsOf } from "./events.js";

const { as, make, db } = await testApp();

const open = (person: Person, board: Pick<Board, "publicId">) => as(person).put(`/boards/${board.publicId}/opened`);

const openingsOf = async ({ publicId }: Pick<Board, "publicId">) =>
  db.rows<{ person: string; openedAt: string }>(sql`
    select a.public_id as person, o.opened_at as "openedAt"
    from board_opened o join account a on a.id = o.account_id
    join board b on b.workspace_id = o.workspace_id and b.id = o.board_id
    where b.public_id = ${publicId}::text order by a.id`);

test("a board opened again within a minute is stored once, and later anew, without an event", async () => {
  const { owner, workspace, board } = await make.board();
  const before = await eventsOf(db, workspace, 1);
  ok(await open(owner, board));
  const first = await openingsOf(board);
  expect(first).toEqual([{ person: owner.publicId, openedAt: expect.any(String) }]);
  ok(await open(owner, board));
  expect(await openingsOf(board)).toEqual(first);
  const movedBack = (seconds: number) =>
    db.rows<{ openedAt: string }>(
      sql`update board_opened set opened_at = now() - make_interval(secs => ${seconds}::int) returning opened_at as "openedAt"`,
    );
  const [halfAMinuteAgo] = await movedBack(30);
  ok(await open(owner, board));
  expect((await openingsOf(board))[0]?.openedAt).toBe(halfAMinuteAgo?.openedAt);
  const [overAMinuteAgo] = await movedBack(61);
  ok(await open(owner, board));
  expect((await openingsOf(board))[0]?.openedAt).not.toBe(overAMinuteAgo?.openedAt);
  expect(await eventsOf(db, workspace, 1)).toEqual(before);
});

test("an opening that is not stored stores no response under its key either", async () => {
  const { owner, board } = await make.board();
  const url = `/api/v1/boards/${board.publicId}/opened`;
  for (const key of ["one", "two", "three"]) {
    const opening = as(owner).send({ method: "PUT", url, headers: { "idempotency-key": key } });
    expect(ok(await opening)).toEqual({ success: true });
  }
  const keys = await db.rows<{ count: number }>(sql`
    select count(*)::int as count from idempotency_key k join board b on b.workspace_id = k.workspace_id
    where b.public_id = ${board.publicId}::text`);
  expect(keys).toEqual([{ count: 1 }]);
});

test("each person has an opening of their own, which goes when they leave, and with the board", async () => {
  const { owner, workspace, board } = await make.board();
  const member = await make.member(workspace, "member");
  for (const person of [owner, member]) ok(await open(person, board));
  ok(await as(owner).delete(`/workspaces/${workspace.publicId}/members/${member.memberPublicId}`));
  expect((await openingsOf(board)).map(({ person }) => person)).toEqual([owner.publicId]);
  ok(await as(owner).delete(`/boards/${board.publicId}`));
  expect(await openingsOf(board)).toEqual([]);
  expectError(await open(owner, board), "NOT_FOUND");
});

test("an archived board can be opened, one that the person does not see cannot", async () => {
  const { owner, workspace, board } = await make.board({ visibility: "private" });
  const member = await make.member(workspace, "member");
  expectError(await open(member, board), "FORBIDDEN");
  ok(await as(owner).post(`/boards/${board.publicId}/archive`));
  ok(await open(owner, board));
  expect((await openingsOf(board)).map(({ person }) => person)).toEqual([owner.publicId]);
});
