// What is deleted for good leaves no text in the log, and who leaves no name (capabilities section 0, Events).

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { newPublicIdIn, workspaceOf } from "../../src/db/ids.js";
import { redactEvents } from "../../src/events/redaction.js";
import { type MemberPerson, ok, type Person, testApp, unique, type Workspace } from "../helpers/app.js";

const { as, make, db } = await testApp();

interface Logged {
  type: string;
  card: string | null;
  data: Record<string, unknown>;
  redacted: boolean;
}

const eventsOf = (workspace: Workspace) =>
  db.rows<Logged>(sql`
    select e.type, e.card_public_id as card, e.data, e.redacted
    from event e join workspace w on w.id = e.workspace_id
    where w.public_id = ${workspace.publicId}::text order by e.seq`);

const holding = async (workspace: Workspace, text: string) =>
  (await eventsOf(workspace)).filter(({ data }) => JSON.stringify(data).includes(text)).map(({ type }) => type);

interface Renamed {
  owner: Person;
  person: MemberPerson;
  workspace: Workspace;
}

/** A word that stands in everything that is written on a board. */
async function writtenBoard() {
  const word = unique("secret").replace(" ", "");
  const { owner, workspace, board: other } = await make.board();
  const { board } = await make.board({
    workspace,
    name: word,
    lists: [word],
    labels: [{ name: word, colourCode: "#000000" }],
  });
  const { list } = await make.list({ board, name: `${word} list` });
  const { label } = await make.label({ board, name: `${word} label` });
  const { card } = await make.card({ list, title: word, description: word });
  const { checklist } = await make.checklist({ card, name: word });
  const { item } = await make.item({ checklist, title: word });
  const { comment } = await make.comment({ card, comment: word });
  return { word, owner, workspace, other, board, list, label, card, checklist, item, comment };
}

test("a deleted board leaves no name and no text of it in earlier events, which say so and keep their identifiers", async () => {
  const { word, owner, workspace, board, list, label, card, checklist, item, comment } = await writtenBoard();
  const name = `${word} again`;
  ok(await as(owner).put(`/boards/${board.publicId}`, { name }));
  ok(await as(owner).put(`/lists/${list.publicId}`, { name, index: 0 }));
  ok(await as(owner).put(`/labels/${label.publicId}`, { name }));
  ok(await as(owner).put(`/cards/${card.publicId}`, { title: name, description: name, completed: true }));
  ok(await as(owner).put(`/checklists/${checklist.publicId}`, { name }));
  ok(await as(owner).put(`/checklist-items/${item.publicId}`, { title: name, completed: true }));
  ok(await as(owner).put(`/cards/${card.publicId}/comments/${comment.publicId}`, { comment: name }));
  ok(await as(owner).delete(`/checklist-items/${item.publicId}`));
  ok(await as(owner).delete(`/checklists/${checklist.publicId}`));
  const before = await eventsOf(workspace);
  const texts = (await holding(workspace, word)).length;
  expect(texts).toBeGreaterThan(15);

  ok(await as(owner).delete(`/boards/${board.publicId}`));

  expect(await holding(workspace, word)).toEqual(["board.deleted"]);
  const after = await eventsOf(workspace);
  expect(after.map(({ type }) => type)).toEqual([...before.map(({ type }) => type), "board.deleted"]);
  expect(after.filter(({ redacted }) => redacted)).toHaveLength(texts);
  const created = after.find(({ type }) => type === "comment.created");
  expect(created).toMatchObject({ card: card.publicId, data: { commentPublicId: comment.publicId }, redacted: true });
  expect(after.find(({ type }) => type === "list.moved")).toMatchObject({
    data: { listPublicId: list.publicId, from: { index: 1 }, to: { index: 0 } },
    redacted: false,
  });
  expect(after[0]).toEqual(before[0]);
});

test("with a board the texts of cards go that came to it, and those of cards stay that left it", async () => {
  const { owner, workspace, board } = await make.board();
  const { board: other } = await make.board({ workspace });
  const [here, there] = [(await make.list({ board })).list, (await make.list({ board: other })).list];
  const { card: came } = await make.card({ list: there, title: unique("came") });
  const { card: left } = await make.card({ list: here, title: unique("left") });
  ok(await as(owner).put(`/cards/${came.publicId}`, { listPublicId: here.publicId }));
  ok(await as(owner).put(`/cards/${left.publicId}`, { listPublicId: there.publicId }));
  const kept = await holding(workspace, left.title);
  expect(kept).toContain("card.created");
  expect(await holding(workspace, came.title)).toContain("card.created");

  ok(await as(owner).delete(`/boards/${board.publicId}`));

  expect(await holding(workspace, came.title)).toEqual([]);
  expect(await holding(workspace, left.title)).toEqual(kept);
});

test("a deleted card leaves no text of it, and nothing of another card goes", async () => {
  const { word, owner, workspace, card, list } = await writtenBoard();
  const { card: other } = await make.card({ list, title: unique("other") });
  const kept = await holding(workspace, other.title);

  ok(await as(owner).delete(`/cards/${card.publicId}`));

  const ofCard = (await eventsOf(workspace)).filter((event) => event.card === card.publicId);
  expect(ofCard.length).toBeGreaterThan(4);
  expect(JSON.stringify(ofCard)).not.toContain(word);
  expect(await holding(workspace, other.title)).toEqual(kept);
});

test("a deleted comment leaves no text of it, and the card's other texts stay", async () => {
  const { owner, workspace, card } = await make.card();
  const { comment } = await make.comment({ card, comment: unique("first") });
  const { comment: other } = await make.comment({ card, comment: unique("other") });
  const path = `/cards/${card.publicId}/comments/${comment.publicId}`;
  const changed = unique("changed");
  ok(await as(owner).put(path, { comment: changed }));

  ok(await as(owner).delete(path));

  expect(await holding(workspace, comment.comment)).toEqual([]);
  expect(await holding(workspace, changed)).toEqual([]);
  expect(await holding(workspace, other.comment)).toEqual(["comment.created"]);
  expect(await holding(workspace, card.title)).toEqual(["card.created"]);
});

test.each([
  [
    "deletes the account",
    async ({ person }: Renamed) => as(person).post("/users/me/delete", { password: person.password }),
  ],
  [
    "is removed and then deletes the account",
    async ({ owner, person, workspace }: Renamed) => {
      ok(await as(owner).delete(`/workspaces/${workspace.publicId}/members/${person.memberPublicId}`));
      return as(person).post("/users/me/delete", { password: person.password });
    },
  ],
])("nobody finds a name or an image in the log of somebody who %s", async (_, end) => {
  const { owner, workspace, board } = await make.board();
  const [person, other] = [await make.member(board, "guest"), await make.member(board, "member")];
  const [name, image] = [unique("Renamed"), `https://example.org/${unique("image").replace(" ", "-")}.png`];
  ok(await as(person).put("/users/me", { name, image }));
  ok(await as(other).put("/users/me", { name: unique("Other") }));

  ok(await end({ owner, person, workspace }));

  for (const text of [person.name, name, image]) expect(await holding(workspace, text)).toEqual([]);
  expect(await holding(workspace, other.name)).toEqual(["member.updated"]);
  const { items } = ok(
    await as(owner).get<{ items: { type: string; actor: { name: string }; data: object; redacted: boolean }[] }>(
      `/workspaces/${workspace.publicId}/events?boardPublicId=${board.publicId}`,
    ),
  );
  expect(items.filter(({ type }) => type === "member.updated")).toMatchObject([
    { actor: { name: "Deleted user" }, data: { memberPublicId: person.memberPublicId }, redacted: true },
    { redacted: false },
  ]);
  expect(JSON.stringify(items)).not.toContain(name);
});

test("nobody finds the name of somebody in the log who is removed and was on no board", async () => {
  const { owner, workspace } = await make.workspace();
  const person = await make.member(workspace, "member");
  ok(await as(person).put("/users/me", { name: unique("Renamed") }));
  expect(await holding(workspace, person.name)).toEqual(["member.updated"]);

  ok(await as(owner).delete(`/workspaces/${workspace.publicId}/members/${person.memberPublicId}`));

  expect(await holding(workspace, person.name)).toEqual([]);
});

test("what an earlier change of the same transaction wrote of a card is redacted as well", async () => {
  const { workspace, board, card } = await make.card();
  const workspaceId = workspaceOf(workspace.publicId) ?? 0;
  const word = unique("late");
  const place = { boardPublicId: board.publicId, cardPublicId: card.publicId };
  const operation = { actorId: null, operationPublicId: newPublicIdIn(workspaceId), origin: "system" as const };
  const data = { changes: { title: { from: card.title, to: word } } };
  let commits = 0;
  const stop = db.onCommit(() => {
    commits += 1;
  });

  await Promise.all([
    db.change(workspaceId, { accountId: null }, async (unit) => {
      await unit.db.rows(sql`select 1`);
      unit.log({ ...place, ...operation, type: "card.updated", data });
    }),
    db.change(workspaceId, { accountId: null }, (unit) => redactEvents(unit, { cardPublicIds: [card.publicId] })),
  ]);

  stop();
  expect(commits).toBe(1);
  expect(await holding(workspace, word)).toEqual([]);
  expect((await eventsOf(workspace)).at(-1)).toEqual({
    type: "card.updated",
    card: card.publicId,
    data: {},
    redacted: true,
  });
});

test("a board with more events than one statement goes over leaves no text", { tags: ["slow"] }, async () => {
  const { owner, workspace } = await make.workspace();
  const word = unique("row").replace(" ", "");
  const rows = Array.from({ length: 1100 }, (_, n) => [`${word} ${n}`, "List"]);
  const { boardPublicId } = ok(
    await as(owner).post<{ boardPublicId: string }>("/imports/csv/boards", {
      workspacePublicId: workspace.publicId,
      rows,
      mapping: { title: 0, list: 1 },
      boardName: unique("Board"),
    }),
  );
  expect((await holding(workspace, word)).length).toBe(1100);

  ok(await as(owner).delete(`/boards/${boardPublicId}`));

  expect(await holding(workspace, word)).toEqual([]);
});
