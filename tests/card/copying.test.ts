// Guarantees of duplicating a card.

import { expect, test } from "vitest";
import { contentsOf, expectError, ok, testApp } from "../helpers/app.js";
import { storedOn, UNKNOWN } from "./stored.js";

const app = await testApp();
const { as, make, db } = app;
const { cardOf, boardOf, titlesIn, listOf, newsOf, expectSound } = storedOn(app);

interface Made {
  publicId: string;
  cardNumber: number;
}

/** A card with everything on it: two checklists, one with ticked and moved items, labels, an assignee, a comment. */
async function fullCard() {
  const { owner, workspace, board } = await make.board({
    labels: ["Bug", "Später"].map((name) => ({ name, colourCode: "#112233" })),
  });
  const member = await make.member(workspace, "member");
  const labels = (await boardOf(board)).labels;
  const { list, card } = await make.card({
    list: (await make.list({ board })).list,
    title: "Original",
    description: "Text",
    dueDate: "2026-11-20",
    priority: "high",
    labelPublicIds: labels.map(({ publicId }) => publicId),
    memberPublicIds: [member.memberPublicId],
  });
  const { checklist } = await make.checklist({ card, name: "First" });
  await make.checklist({ card, name: "Empty" });
  const items = [];
  for (const title of ["one", "two", "three"]) items.push((await make.item({ checklist, title })).item);
  ok(await as(owner).put(`/checklist-items/${items[1]?.publicId}`, { completed: true, index: 0 }));
  ok(await as(owner).put(`/cards/${card.publicId}`, { completed: true }));
  await make.comment({ card });
  return { owner, workspace, board, member, labels, list, card };
}

const shared = ({
  description,
  dueDate,
  dueHasTime,
  completedAt,
  priority,
  checklistItems,
  checklists,
}: Awaited<ReturnType<typeof cardOf>>) => ({
  description,
  dueDate,
  dueHasTime,
  completedAt,
  priority,
  checklistItems,
  checklists: checklists.map(({ name, items }) => ({
    name,
    items: items.map(({ title, completed }) => ({ title, completed })),
  })),
});

test("a copy goes to the end of the card's own list with all but its comments, under a number of its own", async () => {
  const { owner, workspace, board, member, labels, list, card } = await fullCard();
  await make.card({ list, title: "After" });
  const news = await newsOf(workspace);

  const made = ok(await as(owner).post<Made>(`/cards/${card.publicId}/duplicate`));

  expect(made).toEqual({ publicId: expect.any(String), cardNumber: 3 });
  expect(await titlesIn(list)).toEqual(["Original", "After", "Original"]);
  const [original, copy] = [await cardOf(owner, card), await cardOf(owner, made)];
  expect(shared(copy)).toEqual(shared(original));
  expect(copy).toMatchObject({ ...made, labels, commentCount: 0, checklistItems: { total: 3, completed: 1 } });
  expect(copy.members.map(({ publicId }) => publicId)).toEqual([member.memberPublicId]);
  expect(copy.checklists[0]?.items.map(({ title }) => title)).toEqual(["two", "one", "three"]);
  const idsOf = ({ checklists }: typeof copy) =>
    checklists.flatMap(({ publicId, items }) => [publicId, ...items.map((item) => item.publicId)]);
  expect(new Set([...idsOf(original), ...idsOf(copy)]).size).toBe(2 * idsOf(copy).length);
  const members = [{ publicId: member.memberPublicId }];
  expect(await news()).toMatchObject([
    { type: "card.created", board: board.publicId, card: made.publicId, data: { card: { ...copy, members } } },
  ]);
  await expectSound(workspace);
});

test("the copy is a thing of its own: what is done to one leaves the other", async () => {
  const { owner, workspace, card } = await fullCard();
  const made = ok(await as(owner).post<Made>(`/cards/${card.publicId}/duplicate`, { title: " Named " }));
  const copy = await cardOf(owner, made);
  expect(copy.title).toBe("Named");
  ok(await as(owner).delete(`/checklists/${copy.checklists[0]?.publicId}`));
  const original = await cardOf(owner, card);
  expect(original.checklists[0]?.items).toHaveLength(3);
  ok(await as(owner).delete(`/cards/${card.publicId}`));
  expect(await cardOf(owner, made)).toMatchObject({ labels: copy.labels, checklistItems: { total: 0, completed: 0 } });
  await expectSound(workspace);
});

test("a copy in another list, and on another board with labels by name and without those who do not see it", async () => {
  const { owner, workspace, board, member, labels, list, card } = await fullCard();
  const { list: second } = await listOf(["x"], { board });
  const { board: other } = await make.board({
    workspace,
    visibility: "private",
    labels: [{ name: "bug", colourCode: "#445566" }],
  });
  const { list: away } = await make.list({ board: other });
  const to = async (listPublicId: string) =>
    ok(await as(owner).post<Made>(`/cards/${card.publicId}/duplicate`, { listPublicId }));

  const near = await cardOf(owner, await to(second.publicId));
  expect(await titlesIn(second)).toEqual(["x", "Original"]);
  expect(near).toMatchObject({ labels, list: { publicId: second.publicId } });
  const news = await newsOf(workspace);
  const far = await cardOf(owner, await to(away.publicId));

  const original = await cardOf(owner, card);
  expect(shared(far)).toEqual(shared(original));
  expect(far).toMatchObject({ board: { publicId: other.publicId }, members: [] });
  expect(far.labels.map(({ name }) => name)).toEqual(["bug", "Später"]);
  expect(far.labels).toEqual((await boardOf(other)).labels);
  expect(original).toMatchObject({ labels, members: [{ publicId: member.memberPublicId }] });
  expect(await news()).toMatchObject([
    { type: "label.created", board: other.publicId, data: { label: far.labels[1] } },
    { type: "card.created", board: other.publicId, card: far.publicId, data: { card: far } },
  ]);
  expect(await titlesIn(list)).toEqual(["Original"]);
  await expectSound(workspace);
});

test("the copy of an archived card is active; of one whose list is gone it lies on the first list", async () => {
  const { owner, workspace, board, list, card } = await fullCard();
  ok(await as(owner).post(`/cards/${card.publicId}/archive`));
  const first = ok(await as(owner).post<Made>(`/cards/${card.publicId}/duplicate`));
  expect(await cardOf(owner, first)).toMatchObject({ index: 0, archivedAt: null, list: { publicId: list.publicId } });

  const { list: other } = await make.list({ board });
  ok(await as(owner).delete(`/lists/${list.publicId}`));
  const second = ok(await as(owner).post<Made>(`/cards/${card.publicId}/duplicate`));
  expect(await cardOf(owner, second)).toMatchObject({ index: 0, list: { publicId: other.publicId } });
  ok(await as(owner).delete(`/lists/${other.publicId}`));
  expectError(await as(owner).post(`/cards/${card.publicId}/duplicate`), "BAD_REQUEST");
  await expectSound(workspace);
});

test("unknown cards and lists, those of another workspace, guests and archived boards are refused", async () => {
  const { owner, workspace, board, card } = await make.card();
  const { list: foreign } = await make.list({ board: (await make.board({ owner })).board });
  const { list: hidden } = await make.list({ board: (await make.board({ workspace, visibility: "private" })).board });
  const member = await make.member(workspace, "member");
  const path = `/cards/${card.publicId}/duplicate`;
  const before = await contentsOf(db);

  for (const listPublicId of [UNKNOWN, foreign.publicId]) {
    expectError(await as(owner).post(path, { listPublicId }), "FORBIDDEN");
  }
  expectError(await as(member).post(path, { listPublicId: hidden.publicId }), "FORBIDDEN");
  expectError(await as(owner).post(`/cards/${UNKNOWN}/duplicate`), "FORBIDDEN");
  expectError(await as(owner).post(path, { title: "" }), "BAD_REQUEST", "title");
  expect(await contentsOf(db)).toEqual(before);
  expectError(await as(await make.member(board, "guest")).post(path), "FORBIDDEN");
  ok(await as(owner).post(`/boards/${board.publicId}/archive`));
  expectError(await as(owner).post(path), "BAD_REQUEST");
});
