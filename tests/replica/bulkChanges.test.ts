// Changes of many cards at once: they cost one copy of the cards, whoever sees them.

import { expect, test, vi } from "vitest";
import { followBoard } from "../../packages/client/src/board/index.js";
import { type BoardState, boardState } from "../../packages/client/src/board/state.js";
import type { Snapshot } from "../../packages/client/src/board/things.js";
import { createClient } from "../../packages/client/src/client.js";
import { comparedAlone } from "../events/replay/snapshots.js";
import { ok, testApp } from "../helpers/app.js";
import { callsOf } from "../helpers/calls.js";
import { heldStreams, openedBoards, until } from "../helpers/followed.js";

const { as, make, listening } = await testApp();
const url = await listening();
const opened = openedBoards();

const CARDS = 10;

async function scene() {
  const { board, list, owner } = await make.list();
  const { list: other } = await make.list({ board });
  const ids: string[] = [];
  for (let n = 0; n < CARDS; n += 1) ids.push((await make.card({ list })).card.publicId);
  await make.card({ list: other });
  const { label } = await make.label({ board });
  const member = await make.member(board, "member");
  const follow = async (send: typeof fetch = fetch) => {
    const replica = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId);
    opened.push(replica);
    replica.subscribe(() => {});
    await until(() => replica.state().status === "live");
    return replica;
  };
  const read = async () => boardState(ok(await as(owner).get<Snapshot>(`/boards/${board.publicId}`)));
  return { owner, list, other, ids, label, member, follow, read };
}
type Scene = Awaited<ReturnType<typeof scene>>;

const KINDS = {
  "card.bulk.update": ({ label, member }: Scene) => ({
    completed: true,
    dueDate: "2026-12-24",
    priority: "high" as const,
    addLabelPublicIds: [label.publicId],
    addMemberPublicIds: [member.memberPublicId],
  }),
  "card.bulk.move": ({ other }: Scene) => ({ listPublicId: other.publicId, index: 0 }),
  "card.bulk.archive": () => ({}),
  "card.bulk.delete": () => ({}),
};

const shownOf = (board: BoardState | null) => board && comparedAlone(board);

/** The number of copies of a record of cards that something makes. */
const copies = (run: () => unknown) => callsOf("copyOf", "/board/state.ts", run);

const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];

test.each(kinds)(
  "%s of ten cards copies the record of cards once, and so do its events that arrive together",
  async (path) => {
    const one = await scene();
    const held = heldStreams();
    const [replica, onlooker] = [await one.follow(), await one.follow(held.send)];
    held.hold();
    const input = { cardPublicIds: one.ids, ...KINDS[path](one) };
    let answer: Promise<unknown> = Promise.resolve();
    const drawing = await copies(() => {
      answer = replica.change(path, input as never);
      replica.state();
    });
    expect(drawing).toBe(1);
    await answer;
    replica.close();
    const arriving = await copies(async () => {
      await held.release('"isLast":true');
      await vi.waitFor(async () => expect(shownOf(onlooker.state().board)).toEqual(shownOf(await one.read())));
    });
    expect(arriving).toBe(1);
  },
);

test("a list that is deleted with its cards copies the record of cards once", async () => {
  const { follow, list } = await scene();
  const replica = await follow();
  let answer: Promise<unknown> = Promise.resolve();
  const drawing = await copies(() => {
    answer = replica.change("board.lists.delete", { listPublicId: list.publicId });
    replica.state();
  });
  expect(drawing).toBe(1);
  await answer;
});

test("a change is drawn over those that wait, which are not drawn again", async () => {
  const { follow, ids } = await scene();
  const [first = "", second = "", ...others] = ids;
  const replica = await follow();
  const answers: Promise<unknown>[] = [];
  const drawings = await callsOf("applyEvent", "/board/applyEvent.ts", () => {
    answers.push(replica.change("card.bulk.archive", { cardPublicIds: others }));
    replica.state();
    answers.push(replica.change("card.bulk.update", { cardPublicIds: [first], completed: true }));
    replica.state();
  });
  expect(drawings).toBe(others.length + 1);
  await Promise.all(answers);
  await until(() => replica.state().waiting === 0);
  expect(replica.state().board?.lists[0]?.cardIds).toEqual([first, second]);
});

test("cards that wait to be moved together come behind the card behind which they were put, wherever that is by then", async () => {
  const { follow, ids, list, other, owner } = await scene();
  let letGo = () => {};
  const isHeld = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const replica = await follow(async (resource, init) => {
    if (String(resource).includes("card.archive")) await isHeld;
    return fetch(resource, init);
  });
  const orders = () => replica.state().board?.lists.map(({ cardIds }) => cardIds) ?? [];
  const [a = "", b = "", c = "", d = "", e = ""] = ids;
  const first = orders()[1]?.[0] ?? "";
  const answers = [replica.change("card.archive", { cardPublicId: e })];
  const listPublicId = other.publicId;
  answers.push(replica.change("card.bulk.move", { cardPublicIds: [c, a], listPublicId, index: 1 }) as never);
  expect(orders()[1]).toEqual([first, c, a]);
  ok(await as(owner).put(`/cards/${d}`, { listPublicId, index: 0 }));
  await until(() => orders()[1]?.[0] === d);
  expect(orders()[1]).toEqual([d, first, c, a]);
  letGo();
  await Promise.all(answers);
  await until(() => replica.state().waiting === 0);
  expect(orders()[1]).toEqual([d, first, c, a]);
  expect(orders()[0]?.[0]).toBe(b);
  const stored = ok(
    await as(owner).get<{ lists: { cards: { publicId: string }[] }[] }>(`/boards/${list.board.publicId}`),
  );
  expect(stored.lists[1]?.cards.map(({ publicId }) => publicId)).toEqual([d, first, c, a]);
});
