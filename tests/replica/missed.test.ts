// A follower that was away for longer than events are kept reads the board again, and is equal to the service from then on.

import { describe, expect, test, vi } from "vitest";
import { followBoard } from "../../packages/client/src/board/index.js";
import { Replica } from "../../packages/client/src/board/replica.js";
import { boardState } from "../../packages/client/src/board/state.js";
import type { Event, Snapshot } from "../../packages/client/src/board/things.js";
import { createClient } from "../../packages/client/src/client.js";
import { compared } from "../events/replay/snapshots.js";
import { type Board, type Card, ok, testApp } from "../helpers/app.js";
import { openedBoards, until } from "../helpers/followed.js";
import { forgetEvents } from "../helpers/sweeping.js";

const { as, make, db, listening } = await testApp();
const url = await listening();
const opened = openedBoards();

/** The network of a browser, which can be cut, and its cache. */
class Network {
  readonly #open = new Set<AbortController>();
  readonly #cached = new Map<string, { etag: string; body: string }>();
  isCut = false;
  /** Whether the next reading of a card is lost. */
  losesCard = false;
  /** The procedures that were called. */
  readonly calls: string[] = [];

  cut(): void {
    this.isCut = true;
    for (const request of this.#open) request.abort();
    this.#open.clear();
  }

  send: typeof fetch = async (resource, init) => {
    if (this.isCut) throw new TypeError("there is no network");
    const request = new AbortController();
    this.#open.add(request);
    const address = String(resource);
    this.calls.push(new URL(address).pathname.replace("/trpc/", ""));
    if (this.losesCard && address.includes("card.get")) {
      this.losesCard = false;
      throw new TypeError("the answer is lost");
    }
    const known = this.#cached.get(address);
    const headers = new Headers(init?.headers);
    if (known !== undefined) headers.set("if-none-match", known.etag);
    const signal = AbortSignal.any([request.signal, ...(init?.signal ? [init.signal] : [])]);
    const response = await fetch(resource, { ...init, headers, signal });
    // As browsers do: the body of the earlier answer under the headers of this one.
    if (response.status === 304) return new Response(known?.body, { headers: merged(response.headers) });
    const etag = response.headers.get("etag");
    if (etag !== null) this.#cached.set(address, { etag, body: await response.clone().text() });
    return response;
  };

  count = (procedure: string) => this.calls.filter((one) => one === procedure).length;
}

const merged = (headers: Headers) => new Headers([...headers, ["content-type", "application/json"]]);

/** A live follower of a board with two cards. */
async function scene(shared: boolean) {
  const { board, list, workspace, owner } = await make.list();
  const cards = [(await make.card({ list })).card, (await make.card({ list })).card] as const;
  const network = new Network();
  const client = createClient({ url, token: owner.token, fetch: network.send });
  const followed = followBoard(client, board.publicId, { shared });
  opened.push(followed);
  followed.subscribe(() => {});
  await until(() => followed.state().status === "live");
  const rename = async ({ publicId }: Card, title: string) => ok(await as(owner).put(`/cards/${publicId}`, { title }));
  const expectEqual = () =>
    vi.waitFor(async () => {
      const now = ok(await as(owner).get<Snapshot>(`/boards/${board.publicId}`));
      expect(followed.state().status).toBe("live");
      expect(compared(followed.state().board ?? boardState(now))).toEqual(compared(boardState(now)));
    }, 10_000);
  return { board, workspace, owner, cards, network, followed, rename, expectEqual };
}

const endOf = async (board: Board) =>
  ok(await as(board.owner).get<{ eventId: number }>(`/boards/${board.publicId}`)).eventId;

describe.each([
  ["with a stream of its own", false],
  ["with the shared stream", true],
])("%s", (_how, shared) => {
  test("what was changed while it was away is there, and it was read again once", async () => {
    const { board, workspace, cards, network, followed, rename, expectEqual } = await scene(shared);
    network.cut();
    await until(() => followed.state().status === "reconnecting");
    await rename(cards[0], "Missed");
    await rename(cards[1], "Missed, too");
    await forgetEvents(db, workspace, await endOf(board));
    network.isCut = false;
    await expectEqual();
    expect(network.count("board.get")).toBe(2);
    await rename(cards[0], "Seen");
    await expectEqual();
    expect(network.count("board.get")).toBe(2);
  });

  test("a board that did not change, while the events of others are gone, is followed from where its 304 stands", async () => {
    const { board, workspace, owner, cards, network, followed, rename, expectEqual } = await scene(shared);
    network.cut();
    await until(() => followed.state().status === "reconnecting");
    for (const _ of [1, 2, 3]) await make.list({ board: (await make.board({ workspace, owner })).board });
    await forgetEvents(db, workspace, await endOf(board));
    network.isCut = false;
    await expectEqual();
    await rename(cards[0], "Seen");
    await expectEqual();
    expect(network.count("board.get")).toBe(2);
  });
});

test("comments that were missed come to an open card, also if it cannot be read again at once", async () => {
  const { board, workspace, owner, cards, network, followed, expectEqual } = await scene(false);
  const [card] = cards;
  const comments = () => followed.state().board?.cards[card.publicId]?.details?.comments.map(({ comment }) => comment);
  const close = followed.openCard(card.publicId);
  await until(() => comments()?.length === 0);
  network.cut();
  await until(() => followed.state().status === "reconnecting");
  ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment: "Missed" }));
  await forgetEvents(db, workspace, await endOf(board));
  network.losesCard = true;
  network.isCut = false;
  await until(() => comments()?.join() === "Missed");
  expect(network.losesCard).toBe(false);
  close();
  await expectEqual();
});

test("a reset that comes while the board is read has it read again behind that, so that no state goes back", async () => {
  const { board, list, owner } = await make.list();
  const { card } = await make.card({ list });
  const releases: (() => void)[] = [];
  const send: typeof fetch = async (resource, init) => {
    const response = await fetch(resource, init);
    if (String(resource).includes("board.get")) await new Promise<void>((resolve) => releases.push(resolve));
    return response;
  };
  const replica = new Replica(
    createClient({ url, token: owner.token, fetch: send }),
    board.publicId,
    undefined,
    () => {},
  );
  const readings = [replica.read(), replica.reset()];
  await until(() => releases.length > 0);
  releases[0]?.();
  await readings[0];
  ok(await as(owner).put(`/cards/${card.publicId}`, { title: "New" }));
  const { items } = ok(await as(owner).get<{ items: Event[] }>(`/workspaces/${board.workspace.publicId}/events`));
  for (const event of items) replica.event(event);
  await until(() => releases.length > 1);
  releases[1]?.();
  await Promise.all(readings);
  expect(replica.state().board?.cards[card.publicId]?.title).toBe("New");
  replica.close();
});
