// Moves that come at once and share a transaction, where each is planned before those before it are written.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { BoardState } from "../../packages/client/src/board/state.js";
import { comparedAlone, readBoard, readEvents, replayed } from "../events/replay/snapshots.js";
import { type Answer, ok, testApp } from "../helpers/app.js";
import { timeFor } from "../helpers/drawing.js";
import { storedOn } from "./stored.js";

const CARDS = 12;

const app = await testApp();
const { as, make } = app;
const { expectSound } = storedOn(app);

const call = fc.record({
  does: fc.oneof(
    { weight: 8, arbitrary: fc.constant("move") },
    {
      weight: 4,
      arbitrary: fc.constantFrom("create", "rename", "archive", "unarchive", "duplicate", "delete", "bulk"),
    },
  ),
  card: fc.nat({ max: 2 * CARDS - 1 }),
  list: fc.nat({ max: 2 }),
  index: fc.option(fc.nat({ max: CARDS + 6 }), { nil: undefined }),
});
const ALLOWED: Record<string, number[]> = {
  move: [200, 400, 404],
  create: [200],
  rename: [200, 404],
  archive: [200, 403],
  unarchive: [200, 403],
  duplicate: [200, 403],
  delete: [200, 404],
  bulk: [200, 400, 403],
};
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

async function newScene() {
  const { owner, workspace, board, list } = await make.list();
  const lists = [list, (await make.list({ board })).list, (await make.list({ board })).list];
  const titles = Array.from({ length: CARDS }, (_, n) => n);
  const cards: string[] = [];
  for (const list of lists.slice(0, 2)) for (const _ of titles) cards.push((await make.card({ list })).card.publicId);
  return { workspace, board, lists, cards, client: as(owner) };
}
type Scene = Awaited<ReturnType<typeof newScene>>;

function send({ lists, cards, client }: Scene, { does, card, list, index }: Call): Promise<Answer> {
  const publicId = cards[card];
  const target = { listPublicId: lists[list]?.publicId, index };
  if (does === "move") return client.put(`/cards/${publicId}`, target);
  if (does === "create") return client.post("/cards", { title: "New", ...target });
  if (does === "delete") return client.delete(`/cards/${publicId}`);
  if (does === "bulk")
    return client.post("/cards/bulk/move", { ...target, cardPublicIds: cards.slice(card, card + 3) });
  if (does === "rename") return client.put(`/cards/${publicId}`, { title: `Renamed ${index}` });
  return client.post(`/cards/${publicId}/${does}`);
}

const orderOf = ({ lists }: BoardState) => lists.map(({ cardIds }) => cardIds);

test("moves that come at once tell their places as they were, and end where they tell", {
  timeout: 90_000,
}, async () => {
  const isInTime = timeFor(2_000);
  const rounds = fc.array(fc.array(call, { minLength: 17, maxLength: 17 }), { minLength: 6, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(rounds, async (calls) => {
      if (!isInTime()) return;
      const scene = await newScene();
      const { workspace, board, client } = scene;
      for (const together of calls) {
        if (!isInTime()) break;
        const before = await readBoard(client, board.publicId);
        const known = await readEvents(client, workspace, { after: 0 });
        const answers = await Promise.all(together.map((one) => send(scene, one)));
        // An archived card cannot be moved, and one may have been deleted.
        for (const [n, { status, text }] of answers.entries())
          expect(ALLOWED[together[n]?.does ?? ""], text).toContain(status);
        const after = (await readEvents(client, workspace, { after: known.length })).reduce(replayed, before);
        const now = await readBoard(client, board.publicId);
        expect(orderOf(after)).toEqual(orderOf(now));
        expect(comparedAlone(after)).toEqual(comparedAlone(now));
      }
      await expectSound(workspace);
    }),
    { numRuns: 10, endOnFailure: true },
  );
});

test("a card goes to the index it asks for, whatever moved before it in the same moment", async () => {
  const { workspace, board, lists, cards, client } = await newScene();
  const [from, others] = [cards.slice(0, CARDS), cards.slice(CARDS)];
  const target = { listPublicId: lists[1]?.publicId, index: 3 };
  await Promise.all(from.map(async (card) => ok(await client.put(`/cards/${card}`, target))));

  const moved = (await readEvents(client, workspace, { after: 0 })).filter(({ type }) => type === "card.moved");
  const latestFirst = moved.map(({ cardPublicId }) => cardPublicId).toReversed();
  expect(latestFirst.toSorted()).toEqual(from.toSorted());
  const [, order] = orderOf(await readBoard(client, board.publicId));
  expect(order).toEqual([...others.slice(0, 3), ...latestFirst, ...others.slice(3)]);
});

test("cards that are moved to an index stand there in the given order, counted without them, and their events tell the same", async () => {
  const { workspace, board, lists, cards, client } = await newScene();
  const listPublicId = lists[1]?.publicId ?? "";
  const move = async (cardPublicIds: readonly string[], index: number) => {
    const before = await readBoard(client, board.publicId);
    const known = await readEvents(client, workspace, { after: 0 });
    ok(await client.post("/cards/bulk/move", { cardPublicIds, listPublicId, index }));
    const news = await readEvents(client, workspace, { after: known.length });
    const now = await readBoard(client, board.publicId);
    const expected = orderOf(before).map((ids) => ids.filter((id) => !cardPublicIds.includes(id)));
    expected[1] = expected[1]?.toSpliced(index, 0, ...cardPublicIds) ?? [];
    expect(orderOf(now)).toEqual(expected);
    expect(orderOf(news.reduce(replayed, before))).toEqual(expected);
    return news;
  };
  const [a = "", b = "", c = "", d = ""] = cards;
  const own = cards.slice(CARDS);
  // From elsewhere, from the list itself, from both in an order of their own, to its ends and beyond.
  await move([c, a], 2);
  await move([own[9] ?? "", own[0] ?? "", own[4] ?? ""], 3);
  await move([own[7] ?? "", d, own[1] ?? "", b], 5);
  await move([own[11] ?? "", own[2] ?? ""], 0);
  await move([own[3] ?? "", a], 99);
  expect(await move([own[3] ?? "", a], 99)).toEqual([]);
  // Until no whole number is left between two positions.
  for (let round = 0; round < 20; round += 1) await move(round % 2 === 0 ? [b, c, d] : [d, c, b], 4);
  await expectSound(workspace);
});
