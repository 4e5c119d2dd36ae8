// What a change of one's own shows before the service has answered, and what is sent of it.

import { expect, onTestFinished, test, vi } from "vitest";
import { followBoard } from "../../packages/client/src/board/index.js";
import { Queue } from "../../packages/client/src/board/queue.js";
import { Sending } from "../../packages/client/src/board/sending.js";
import type { Snapshot } from "../../packages/client/src/board/things.js";
import { createClient, newKey } from "../../packages/client/src/client.js";
import { ok, testApp } from "../helpers/app.js";
import { openedBoards } from "../helpers/followed.js";

const { as, make, listening } = await testApp();
const url = await listening();
const opened = openedBoards();

/** A live board with a card that has a label and a member. */
async function scene() {
  const { board, list, owner } = await make.list();
  const { card } = await make.card({ list });
  const { label } = await make.label({ board });
  const member = await make.member(board, "member");
  ok(await as(owner).put(`/cards/${card.publicId}/labels/${label.publicId}`));
  ok(await as(owner).put(`/cards/${card.publicId}/members/${member.memberPublicId}`));
  const replica = followBoard(createClient({ url, token: owner.token }), board.publicId);
  opened.push(replica);
  replica.subscribe(() => {});
  await vi.waitFor(() => expect(replica.state().status).toBe("live"), { timeout: 5000 });
  const shown = () => replica.state().board?.cards[card.publicId];
  const { publicId: cardPublicId } = card;
  const { publicId: labelPublicId } = label;
  return { board, list, owner, replica, shown, cardPublicId, labelPublicId, member };
}

test("a label or a person that is to be on a card stays on one that has it", async () => {
  const { replica, owner, shown, cardPublicId, labelPublicId, member } = await scene();
  const { memberPublicId } = member;
  await Promise.all([
    replica.change("card.toggleLabel", { cardPublicId, labelPublicId, on: true }),
    replica.change("card.toggleMember", { cardPublicId, memberPublicId, on: true }),
  ]);
  const there = { labels: [{ publicId: labelPublicId }], members: [{ publicId: memberPublicId }] };
  expect(shown()).toMatchObject({ labelIds: [labelPublicId], members: there.members });
  expect(ok(await as(owner).get(`/cards/${cardPublicId}`))).toMatchObject(there);
});

test("a board that is made a favourite is one at once, and after the answer", async () => {
  const { board, replica } = await scene();
  const isFavourite = () => replica.state().board?.isFavourite;
  const starred = replica.change("board.update", { boardPublicId: board.publicId, isFavourite: true });
  expect(isFavourite()).toBe(true);
  await starred;
  expect(replica.state().waiting).toBe(0);
  expect(isFavourite()).toBe(true);
});

test("a card that was put behind one made offline is behind it, though others have added cards above meanwhile", async () => {
  const { board, list, owner } = await make.list();
  const cards = [];
  for (const title of ["C", "D", "B"]) cards.push((await make.card({ list, title })).card.publicId);
  let isCut = true;
  const send: typeof fetch = (resource, init) =>
    isCut && init?.method === "POST" ? Promise.reject(new TypeError("there is no network")) : fetch(resource, init);
  const replica = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId);
  opened.push(replica);
  replica.subscribe(() => {});
  await vi.waitFor(() => expect(replica.state().status).toBe("live"), { timeout: 5000 });
  const titles = () => replica.state().board?.lists[0]?.cardIds.map((id) => replica.state().board?.cards[id]?.title);
  const listPublicId = list.publicId;
  const first = replica.change("board.update", { boardPublicId: board.publicId, name: "Sent before" });
  const made = replica.change("card.create", { listPublicId, title: "A", index: 1 });
  const moved = replica.change("card.update", { cardPublicId: cards[2] ?? "", listPublicId, index: 2 });
  expect(titles()).toEqual(["C", "A", "B", "D"]);
  ok(await as(owner).post("/cards", { listPublicId, title: "X", index: 0 }));
  await vi.waitFor(() => expect(titles()).toEqual(["X", "C", "A", "B", "D"]));
  isCut = false;
  await Promise.all([first, made, moved]);
  const { lists } = ok(await as(owner).get<Snapshot>(`/boards/${board.publicId}`));
  expect(lists[0]?.cards.map(({ title }) => title)).toEqual(["X", "C", "A", "B", "D"]);
});

test("a change whose first try is lost is made, and so are those behind it, though the browser lacks a function that waiting needs", async () => {
  const { list, owner, board } = await scene();
  let tries = 0;
  const send: typeof fetch = (resource, init) => {
    if (init?.method === "POST" && ++tries === 1) return Promise.reject(new TypeError("the connection was lost"));
    return fetch(resource, init);
  };
  const replica = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId);
  opened.push(replica);
  await vi.waitFor(() => expect(replica.state().board).not.toBe(null), { timeout: 5000 });
  vi.spyOn(AbortSignal, "any").mockImplementation(() => {
    throw new TypeError("AbortSignal.any is not a function");
  });
  onTestFinished(() => void vi.restoreAllMocks());

  const create = (title: string) => replica.change("card.create", { listPublicId: list.publicId, title });
  const made = await Promise.all([create("First"), create("Second")]);

  expect(made).toMatchObject([{ cardNumber: 2 }, { cardNumber: 3 }]);
});

test("an exception on the way to the service is reported, and the change is sent again", async () => {
  const { replica, list, owner } = await scene();
  const queue = new Queue();
  const change = { key: newKey(), path: "card.create" as const, input: { listPublicId: list.publicId, title: "Made" } };
  const { board: base } = replica.state();
  if (base === null) throw new Error("The board was not read");
  queue.add({ ...change, at: new Date().toISOString() }, base);
  const reportError = vi.fn();
  vi.stubGlobal("reportError", reportError);
  onTestFinished(() => void vi.unstubAllGlobals());
  let isFirst = true;
  const sending = new Sending(
    createClient({ url, token: owner.token }),
    queue,
    {
      current: () => ({ base, me: { publicId: "", name: "", image: null } }),
      changed() {
        const fails = isFirst;
        isFirst = false;
        if (fails) throw new TypeError("a function is missing");
      },
      save: async () => {},
      answered: (key) => queue.answer(key, null),
      refused: () => {},
      changedAccount: () => {},
      stopped: () => {},
    },
    new AbortController().signal,
  );

  await sending.run();

  expect(queue.waiting).toBe(0);
  const { lists } = ok(await as(owner).get<Snapshot>(`/boards/${replica.state().board?.publicId}`));
  expect(lists[0]?.cards.map(({ title }) => title)).toContain("Made");
  expect(reportError.mock.calls).toMatchObject([[{ message: "a function is missing" }]]);
});
