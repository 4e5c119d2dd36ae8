// An open card: its earlier comments, and what it has while it is read and after it was closed.

import { expect, test } from "vitest";
import { followBoard } from "../../packages/client/src/board/index.js";
import { createClient } from "../../packages/client/src/client.js";
import { ok, testApp } from "../helpers/app.js";
import { openedBoards, until } from "../helpers/followed.js";

const { as, make, listening } = await testApp();
const url = await listening();
const opened = openedBoards();

/** A live board with one card, and its follower, whose requests go through `send`. */
async function scene(send: typeof fetch = fetch) {
  const { board, owner, card } = await make.card();
  const replica = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId);
  opened.push(replica);
  replica.subscribe(() => {});
  await until(() => replica.state().status === "live");
  const shown = () => replica.state().board?.cards[card.publicId];
  return { owner, card, replica, shown };
}

test("earlier comments that are asked for twice at once are there once", async () => {
  const { owner, card, replica, shown } = await scene();
  for (let at = 1; at <= 52; at += 1)
    ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment: `${at}` }));
  replica.openCard(card.publicId);
  await until(() => shown()?.details?.comments.length === 50);
  await Promise.all([replica.readEarlier(card.publicId), replica.readEarlier(card.publicId)]);
  expect(shown()?.details?.comments.map(({ comment }) => comment)).toEqual(
    Array.from({ length: 52 }, (_, index) => `${index + 1}`),
  );
  expect(shown()?.details?.earlier).toBeNull();
});

test("a card that is closed while it is read has no details", async () => {
  const held: (() => void)[] = [];
  let answered = 0;
  const hold: typeof fetch = async (resource, init) => {
    const response = await fetch(resource, init);
    if (!String(resource).includes("card.get")) return response;
    await new Promise<void>((resolve) => held.push(resolve));
    answered += 1;
    return response;
  };
  const { card, replica, shown } = await scene(hold);
  const close = replica.openCard(card.publicId);
  await until(() => held.length === 1);
  close();
  held[0]?.();
  await until(() => answered === 1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(shown()?.details).toBeNull();
});

test("a card that is open twice keeps its details until it is closed twice", async () => {
  const { card, replica, shown } = await scene();
  const [closeFirst, closeSecond] = [replica.openCard(card.publicId), replica.openCard(card.publicId)];
  await until(() => shown()?.details != null);
  closeFirst();
  closeFirst();
  expect(shown()?.details).not.toBeNull();
  closeSecond();
  expect(shown()?.details).toBeNull();
});
