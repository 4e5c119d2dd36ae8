// A network that swallows packets, so that no connection through it ever fails: a change without an answer tells of it.

import { expect, test, vi } from "vitest";
import { type FollowedBoard, followBoard, followNotifications } from "../../packages/client/src/board/index.js";
import { createClient } from "../../packages/client/src/client.js";
import { type Board, type Card, ok, testApp } from "../helpers/app.js";
import { browserEvents } from "../helpers/browserEvents.js";
import { hole } from "../helpers/deadNetwork.js";
import { openedBoards, until } from "../helpers/followed.js";

const { as, make, listening } = await testApp();
const url = await listening();
const opened = openedBoards();

/** Follows a board in a tab of its own. Each status of the board is added to `statuses`. */
async function tab(at: string, board: Board, shared: boolean, send = fetch) {
  const client = createClient({ url: at, token: board.owner.token, fetch: send });
  const followed = followBoard(client, board.publicId, {
    shared,
  });
  opened.push(followed);
  const statuses: string[] = [];
  followed.subscribe(() => {
    const { status } = followed.state();
    if (statuses.at(-1) !== status) statuses.push(status);
  });
  await until(() => followed.state().status === "live");
  return { client, followed, statuses };
}

const rename = (followed: FollowedBoard, { publicId }: Card, title: string) =>
  followed.change("card.update", { cardPublicId: publicId, title });

test.each([
  ["a stream of its own", false],
  ["the stream of another tab", true],
])(
  "a board on a dead network is told within some seconds of a change, and the change is made when the network is back: %s",
  { timeout: 60_000 },
  async (_stream, shared) => {
    const { board, owner, card } = await make.card();
    const network = await hole(url);
    const leader = shared ? await tab(network.url, board, true) : null;
    const { followed } = await tab(network.url, board, shared);
    network.swallow();
    const change = rename(followed, card, "Through");
    const began = performance.now();
    await until(() => followed.state().status === "reconnecting" && followed.state().waiting === 1);
    const shownMs = performance.now() - began;
    expect(shownMs).toBeGreaterThan(3000);
    expect(shownMs).toBeLessThan(9000);
    if (leader !== null) expect(leader.followed.state().status).toBe("reconnecting");

    network.restore();
    await change;
    await until(() => followed.state().status === "live" && followed.state().waiting === 0);
    expect(ok(await as(owner).get(`/cards/${card.publicId}`))).toMatchObject({ title: "Through" });
  },
);

test("a dead network is told, too, if the stream was about to open anew for something else that is followed", async () => {
  const { board, owner, card } = await make.card();
  const network = await hole(url);
  const { client, followed } = await tab(network.url, board, true);
  network.swallow();
  const { publicId: account } = ok(await as(owner).get<{ publicId: string }>("/users/me"));
  const reset = async () => 0;
  const stop = followNotifications(client, { account, notificationId: 0, received: () => {}, reset, shared: true });
  rename(followed, card, "Lost").catch(() => {});
  await until(() => followed.state().status === "reconnecting", 9000);
  stop();
});

test("a change that goes out just when the network is back is sent once, though it waited for long", async () => {
  const events = browserEvents();
  const { board, card } = await make.card();
  const cuts = new Set<AbortController>();
  let isCut = false;
  let sent = 0;
  const send: typeof fetch = async (resource, init) => {
    if (isCut) throw new TypeError("there is no network");
    const cut = new AbortController();
    cuts.add(cut);
    const signal = AbortSignal.any([cut.signal, ...(init?.signal ? [init.signal] : [])]);
    if (init?.method === "POST") {
      sent += 1;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    return fetch(resource, { ...init, signal });
  };
  const { followed } = await tab(url, board, false, send);
  isCut = true;
  for (const cut of cuts) cut.abort();
  const change = rename(followed, card, "Back");
  await until(() => followed.state().status === "reconnecting");
  await new Promise((resolve) => setTimeout(resolve, 4000));
  isCut = false;
  events.dispatch("online");
  await change;
  expect(sent).toBe(1);
});

test("a board stays live while the service takes long for a change, and its events go on", async () => {
  const { board, owner, card } = await make.card();
  let streams = 0;
  const send: typeof fetch = async (resource, init) => {
    if (String(resource).includes("stream")) streams += 1;
    if (init?.method === "POST") await new Promise((resolve) => setTimeout(resolve, 5000));
    return fetch(resource, init);
  };
  const { followed, statuses } = await tab(url, board, false, send);
  const change = rename(followed, card, "Slow");
  await until(() => streams === 2);
  ok(await as(owner).post(`/cards/${card.publicId}/checklists`, { name: "Meanwhile" }));
  await change;
  await vi.waitFor(() => expect(followed.state().board?.cards[card.publicId]?.title).toBe("Slow"));
  expect(statuses.slice(statuses.indexOf("live"))).toEqual(["live"]);
  expect(streams).toBe(2);
});
