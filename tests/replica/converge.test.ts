// Followers of one board, whose connections get lost and whose changes are refused at times, are equal to the service in the end:
// nothing happens twice, nothing is lost, and what was confirmed is never shown undone.

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { type FollowedBoard, followBoard } from "../../packages/client/src/board/index.js";
import type { BoardState, CardState } from "../../packages/client/src/board/state.js";
import { createClient } from "../../packages/client/src/client.js";
import { compared, readWholeBoard } from "../events/replay/snapshots.js";
import { ok, type Person, testApp } from "../helpers/app.js";
import { SEED } from "../helpers/drawing.js";
import { restTransport } from "../helpers/restTransport.js";

const app = await testApp();
const { as, make, listening } = app;
const url = await listening();
const overRest = restTransport(url);

/** A generator of numbers below 1. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    return ((mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed) >>> 0;
  };
}

interface Losses {
  /** The share of mutations whose connection is lost: half of them after the change was made. */
  lost: number;
  /** The share of mutations that are refused before they reach the service. */
  refused: number;
}

/** A network that loses and refuses mutations; `send` takes the others to the service. */
function badFetch(send: typeof fetch, random: () => number, { lost, refused }: Losses): typeof fetch {
  const chance = (share: number) => random() / 2 ** 32 < share;
  /** The keys of changes that were made: the service answers them again, and does not refuse them any more. */
  const made = new Set<string | null>();
  return async (resource, init) => {
    if (init?.method !== "POST") return send(resource, init);
    const key = new Headers(init.headers).get("idempotency-key");
    if (!made.has(key) && chance(refused)) return refusal();
    if (!chance(lost)) return send(resource, init);
    if (chance(0.5)) {
      await (await send(resource, init)).text();
      made.add(key);
    }
    throw new TypeError("the connection was lost");
  };
}

const refusal = () =>
  Response.json(
    {
      error: { message: "Insufficient access", code: -32003, data: { code: "FORBIDDEN", httpStatus: 403, issues: [] } },
    },
    { status: 403, headers: { "service-version": "0.1.0" } },
  );

const pick = <T>(all: readonly T[], turn: number): T | undefined => all[turn % Math.max(1, all.length)];

/** One random change of a board as it is shown; null where there is nothing to change. */
function changeOf(replica: FollowedBoard, board: BoardState, random: () => number): Promise<unknown> | null {
  const cards = Object.values(board.cards).filter(({ isGone }) => !isGone);
  const [card, list] = [pick(cards, random()), pick(board.lists, random())];
  const label = pick(board.labels, random());
  const member = pick(board.members, random());
  const title = `t${random()}`;
  const place = { listPublicId: list?.publicId ?? "", index: random() % 5 };
  const on = card && { cardPublicId: card.publicId };
  const makes: (() => Promise<unknown> | null)[] = [
    () =>
      list ? replica.change("card.create", { ...place, title, labelPublicIds: label ? [label.publicId] : [] }) : null,
    () => (on && list ? replica.change("card.update", { ...on, ...place }) : null),
    () => (on && list ? replica.change("card.update", { ...on, ...place }) : null),
    () => (on ? replica.change("card.update", { ...on, title, completed: random() % 2 === 0 }) : null),
    () => (on && label ? replica.change("card.toggleLabel", { ...on, labelPublicId: label.publicId }) : null),
    () => (on && member ? replica.change("card.toggleMember", { ...on, memberPublicId: member.publicId }) : null),
    () => (on ? replica.change("card.comments.create", { ...on, comment: title }) : null),
    () => (on ? replica.change("card.duplicate", { ...on, title }) : null),
    () => (on && cards.length > 4 ? replica.change("card.archive", on) : null),
    () => (on && cards.length > 4 ? replica.change("card.delete", on) : null),
    () => (on ? replica.change("card.checklists.create", { ...on, name: title }) : null),
    () => detailChange(replica, card, title, random),
    () => detailChange(replica, card, title, random),
    () => replica.change("board.labels.create", { boardPublicId: board.publicId, name: title, colourCode: "#aabbcc" }),
    () => (label ? replica.change("board.labels.update", { labelPublicId: label.publicId, name: title }) : null),
    () => (list ? replica.change("board.lists.update", { listPublicId: list.publicId, index: random() % 4 }) : null),
    () =>
      board.lists.length < 4
        ? replica.change("board.lists.create", { boardPublicId: board.publicId, name: title })
        : null,
    () => replica.change("board.update", { boardPublicId: board.publicId, name: title }),
    () => {
      const cardPublicIds = [card, pick(cards, random())].flatMap((one) => one?.publicId ?? []);
      if (cardPublicIds.length === 0 || list === undefined) return null;
      return replica.change("card.bulk.move", { cardPublicIds, listPublicId: list.publicId });
    },
    () => (on ? replica.change("card.bulk.update", { cardPublicIds: [on.cardPublicId], priority: "high" }) : null),
  ];
  return pick(makes, random())?.() ?? null;
}

function detailChange(replica: FollowedBoard, card: CardState | undefined, title: string, random: () => number) {
  const checklist = pick(card?.details?.checklists ?? [], random());
  if (checklist === undefined) return null;
  const item = pick(checklist.items, random());
  const ofChecklist = { checklistPublicId: checklist.publicId };
  const turn = random() % 4;
  if (item === undefined || turn === 0) return replica.change("card.checklists.addItem", { ...ofChecklist, title });
  const ofItem = { itemPublicId: item.publicId };
  if (turn === 1) return replica.change("card.checklists.updateItem", { ...ofItem, completed: !item.completed });
  if (turn === 2) return replica.change("card.checklists.updateItem", { ...ofItem, index: random() % 3 });
  return replica.change("card.checklists.deleteItem", ofItem);
}

const until = (condition: () => boolean) =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 30_000, interval: 20 });

/** A follower with all cards open, and what its promises say. */
class Follower {
  readonly board: FollowedBoard;
  readonly #random: () => number;
  readonly #open = new Set<string>();
  made = 0;
  refused = 0;
  readonly #answers: Promise<unknown>[] = [];

  constructor(
    boardPublicId: string,
    readonly person: Person,
    seed: number,
    losses: Losses,
    send: typeof fetch,
  ) {
    this.#random = randomFrom(seed);
    const client = createClient({ url, token: person.token, fetch: badFetch(send, randomFrom(seed + 1), losses) });
    this.board = followBoard(client, boardPublicId);
    this.board.subscribe(() => {});
  }

  get shown(): BoardState {
    const { board } = this.board.state();
    if (board === null) throw new Error("The board was not read");
    return board;
  }

  change(): void {
    for (const { publicId, key } of Object.values(this.shown.cards).slice(0, 6)) {
      if (!this.#open.has(key)) this.board.openCard(publicId);
      this.#open.add(key);
    }
    const answer = changeOf(this.board, this.shown, this.#random);
    if (answer === null) return;
    this.made += 1;
    const refuse = () => {
      this.refused += 1;
    };
    this.#answers.push(answer.catch(refuse));
  }

  /** Waits until everything is answered and held. */
  async finish(): Promise<void> {
    await Promise.all(this.#answers);
    await until(() => Object.values(this.shown.cards).every(({ isWaiting }) => !isWaiting));
    expect(this.board.state().waiting).toBe(0);
    // Changes that became one are refused once.
    const { refused } = this.board.state();
    expect(refused.length).toBeLessThanOrEqual(this.refused);
    expect(refused.length > 0).toBe(this.refused > 0);
  }
}

/** A board with the cards that it has; those that `like` has open are open, if it is given. */
const cardsOf = (board: BoardState, like?: BoardState): BoardState => {
  const cards = Object.values(board.cards).flatMap((card) => {
    const known = like?.cards[card.publicId];
    if (card.isGone || (like !== undefined && known === undefined)) return [];
    return [[card.publicId, like !== undefined && known?.details === null ? { ...card, details: null } : card]];
  });
  return { ...board, cards: Object.fromEntries(cards) };
};

/** Titles and texts are drawn anew for each change: one that is there twice was made twice. */
function expectNothingTwice(board: BoardState): void {
  const cards = Object.values(board.cards);
  const texts = cards.flatMap(({ title, details }) => [title, ...(details?.comments ?? []).map((one) => one.comment)]);
  expect(texts).toEqual([...new Set(texts)]);
}

async function play(seed: number, changes: number, losses: Losses): Promise<string> {
  const { board, list, owner, workspace } = await make.list();
  await make.list({ board });
  for (const _ of [1, 2, 3]) await make.card({ list });
  const others = [await make.member(workspace, "member"), await make.member(workspace, "member")];
  for (const { memberPublicId } of others) {
    ok(await as(owner).post(`/boards/${board.publicId}/members`, { memberPublicId }));
  }
  // Two change the board over tRPC, and one over REST.
  const networks = [fetch, fetch, overRest];
  const followers = [owner, ...others].map(
    (person, n) => new Follower(board.publicId, person, seed + 10 * n, losses, networks[n] ?? fetch),
  );
  try {
    for (const one of followers) await until(() => one.board.state().status === "live");
    const random = randomFrom(seed + 5);
    while (followers.reduce((sum, { made }) => sum + made, 0) < changes) {
      pick(followers, random())?.change();
      if (random() % 3 > 0) await new Promise((resolve) => setTimeout(resolve, random() % 15));
    }
    for (const one of followers) await one.finish();
    for (const one of followers) {
      const now = await readWholeBoard(as(one.person), board.publicId);
      expectNothingTwice(now);
      const equal = () => expect(compared(cardsOf(one.shown))).toEqual(compared(cardsOf(now, one.shown)));
      await vi.waitFor(equal, 10_000);
    }
    return followers.map(({ made, refused }) => `${made} changes, ${refused} refused`).join("; ");
  } finally {
    for (const one of followers) one.board.close();
  }
}

test("followers over tRPC and REST are equal to the service after random changes", async () => {
  console.log(await play(SEED, 60, { lost: 0, refused: 0 }));
}, 60_000);

test("also where a fifth of the connections is lost and some changes are refused", async () => {
  console.log(await play(SEED, 40, { lost: 0.2, refused: 0.05 }));
}, 120_000);

/** Each that is lost waits a second or more for its next try. */
const CHANGES = process.env.SLOW_TESTS ? 40 : 12;

/** Where a card is and what it is called, after some changes that were not refused. */
type Wanted = { title: string; listPublicId: string };

/** Makes changes of two cards, with nobody else there, and expects every state to show those that were not refused. */
async function expectShown(seed: number, send: typeof fetch): Promise<void> {
  const random = randomFrom(seed);
  const { board, list, owner } = await make.list();
  const lists = [list, (await make.list({ board })).list];
  const cards = [(await make.card({ list })).card, (await make.card({ list })).card];
  const follower = new Follower(board.publicId, owner, seed, { lost: 0.2, refused: 0.1 }, send);
  await until(() => follower.board.state().status === "live");
  const wanted = new Map(cards.map((card) => [card.publicId, [] as Partial<Wanted>[]]));
  const shownOf = (publicId: string): Wanted => ({
    title: follower.shown.cards[publicId]?.title ?? "",
    listPublicId: follower.shown.lists.find(({ cardIds }) => cardIds.includes(publicId))?.publicId ?? "",
  });
  const initial = new Map(cards.map(({ publicId }) => [publicId, shownOf(publicId)]));
  let states = 0;
  const expectWanted = () => {
    states += 1;
    for (const { publicId } of cards) {
      expect(shownOf(publicId)).toEqual(Object.assign({}, initial.get(publicId), ...(wanted.get(publicId) ?? [])));
    }
  };
  const failures: unknown[] = [];
  follower.board.subscribe(() => {
    try {
      expectWanted();
    } catch (error) {
      failures.push(error);
    }
  });
  const answers: Promise<unknown>[] = [];
  for (let n = 0; n < CHANGES; n += 1) {
    const { publicId: cardPublicId } = pick(cards, random()) ?? { publicId: "" };
    const listPublicId = pick(lists, random())?.publicId ?? "";
    const values = random() % 2 === 0 ? { title: `t${random()}` } : { listPublicId };
    wanted.get(cardPublicId)?.push(values);
    const answer = follower.board.change("card.update", {
      cardPublicId,
      ...values,
      ...("title" in values ? {} : { index: 0 }),
    });
    expectWanted();
    const refuse = () => {
      const others = wanted.get(cardPublicId)?.filter((one) => one !== values) ?? [];
      wanted.set(cardPublicId, others);
    };
    answers.push(answer.catch(refuse));
    if (random() % 2 === 0) await new Promise((resolve) => setTimeout(resolve, random() % 40));
  }
  await Promise.all(answers);
  await follower.board.change("board.update", { boardPublicId: board.publicId, name: "The end" }).catch(() => {});
  expect(failures).toEqual([]);
  expectWanted();
  expect(states).toBeGreaterThan(2 * CHANGES);
  follower.board.close();
}

test.each([
  ["tRPC", fetch],
  ["REST", overRest],
])("what a follower did over %s is shown from then on, unless it is refused", { timeout: 120_000 }, (_how, send) =>
  expectShown(SEED, send),
);

test("500 random changes over a bad network", { tags: ["slow"], timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      async (seed) => void console.log(await play(seed, 500, { lost: 0.2, refused: 0.05 })),
    ),
    { numRuns: 1, seed: SEED },
  );
});
