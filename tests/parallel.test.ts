// The same call fifty times at once: a defined answer for each, and a consistent end.

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { ok, testApp } from "./helpers/app.js";

const { as, make, db } = await testApp();

const TIMES = 50;
const times = <T>(run: () => Promise<T>) => Promise.all(Array.from({ length: TIMES }, run));

function tally(values: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
}

test("fifty toggles of a label put it on 25 times and take it off 25 times", async () => {
  const { owner, board, card } = await make.card();
  const { label } = await make.label({ board });
  const answers = await times(() =>
    as(owner).put<{ newLabel: boolean }>(`/cards/${card.publicId}/labels/${label.publicId}`),
  );
  expect(tally(answers.map((answer) => ok(answer).newLabel))).toEqual({ true: 25, false: 25 });
  expect(ok(await as(owner).get(`/cards/${card.publicId}`))).toMatchObject({ labels: [] });
});

test("fifty toggles of an assignee and of a tag end where they began", async () => {
  const { owner, workspace, board, card } = await make.card();
  const member = await make.member(workspace, "member");
  const { tag } = await make.tag({ workspace });
  const assigned = await times(() =>
    as(owner).put<{ newMember: boolean }>(`/cards/${card.publicId}/members/${member.memberPublicId}`),
  );
  const tagged = await times(() =>
    as(owner).put<{ newTag: boolean }>(`/boards/${board.publicId}/tags/${tag.publicId}`),
  );
  expect(tally(assigned.map((answer) => ok(answer).newMember))).toEqual({ true: 25, false: 25 });
  expect(tally(tagged.map((answer) => ok(answer).newTag))).toEqual({ true: 25, false: 25 });
});

test("fifty reads of a notification are fifty successes, and keep the first time", async () => {
  const { owner, workspace, card } = await make.card();
  const member = await make.member(workspace, "member");
  ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment: `@[You](${member.memberPublicId})` }));
  const list = async () => ok(await as(member).get<{ publicId: string; readAt: string | null }[]>("/notifications"));
  const [unread] = await list();
  const path = `/notifications/${unread?.publicId}/read`;
  ok(await as(member).post(path));
  const [first] = await list();
  const answers = await times(() => as(member).post(path));
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: TIMES });
  expect(await list()).toEqual([first]);
});

test("fifty removals of a member, of a card, of a label and of a list are one success and 49 times NOT_FOUND", async () => {
  const { owner, workspace, board, list, card } = await make.card();
  const member = await make.member(workspace, "member");
  const { label } = await make.label({ board });
  const paths = [
    `/cards/${card.publicId}`,
    `/labels/${label.publicId}`,
    `/lists/${list.publicId}`,
    `/workspaces/${workspace.publicId}/members/${member.memberPublicId}`,
  ];
  for (const path of paths) {
    const answers = await times(() => as(owner).delete(path));
    expect([path, tally(answers.map(({ status }) => status))]).toEqual([path, { 200: 1, 404: TIMES - 1 }]);
  }
});

test("fifty archivings and unarchivings of one card leave it once on its list or once in the archive", async () => {
  const { owner, list, card } = await make.card();
  const answers = await Promise.all(
    Array.from({ length: TIMES }, (_, n) =>
      as(owner).post(`/cards/${card.publicId}/${n % 2 === 0 ? "archive" : "unarchive"}`),
    ),
  );
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: TIMES });
  const [stored] = await db.rows(sql`
    select l.open_cards = (select count(*) from card c where c.workspace_id = l.workspace_id and c.list_id = l.id and c.position is not null) as sound
    from list l where l.public_id = ${list.publicId}::text`);
  expect(stored).toEqual({ sound: true });
});

test("fifty invitations of one address make one pending member and one invitation", async () => {
  const { owner, workspace } = await make.workspace();
  const path = `/workspaces/${workspace.publicId}/members/invite`;
  const email = `one.${workspace.publicId.toLowerCase()}@example.org`;
  const answers = await times(() => as(owner).post<{ publicId: string; invited: boolean }>(path, { email }));
  expect(tally(answers.map((answer) => ok(answer).invited))).toEqual({ true: 1, false: TIMES - 1 });
  expect(new Set(answers.map((answer) => ok(answer).publicId)).size).toBe(1);
});
