// Random sequences of operations on the boards of a workspace, against a model: after each step what is read is what the model
// holds, and the log has the events of the step and no other. A failure shrinks to the fewest steps that show it.
// @module-tag slow

import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { eventsOf, miscounted } from "../board/events.js";
import { type Client, ok, testApp } from "../helpers/app.js";
import { SEED, timeFor } from "../helpers/drawing.js";
import { type Board, type Card, type Checklist, cardsOn, type Label, type Model } from "./boardModel.js";
import type { Answered, Choice, Scene } from "./boardScene.js";
import { STEPS } from "./boardSteps.js";
import { HALF } from "./settings.js";

const { as, make, db } = await testApp();

const STEPS_A_SEQUENCE = 50;
const SEQUENCES = Math.ceil(HALF / 10);
/** A failure is reported in what it has shrunk to by then. */
const BUDGET_MS = SEQUENCES * 30_000;

const choice: fc.Arbitrary<Choice> = fc.record({
  turns: fc.tuple(fc.nat(40), fc.nat(40), fc.nat(40), fc.nat(40)),
  index: fc.option(fc.oneof(fc.nat(4), fc.constantFrom(0, 1000, Number.MAX_SAFE_INTEGER)), { nil: undefined }),
  flag: fc.boolean(),
  word: fc.stringMatching(/^[a-zא-ת😀]{3,6}$/u),
});

/** One step, or nothing: what a failure does not need shrinks away. */
const step = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constant(null), weight: 0 },
  ...Object.entries(STEPS).map(([name, { weight }]) => ({ arbitrary: fc.tuple(fc.constant(name), choice), weight })),
);
const sequence = fc.array(step, { minLength: STEPS_A_SEQUENCE, maxLength: STEPS_A_SEQUENCE });

interface Summary {
  publicId: string;
  title: string;
  cardNumber: number;
  index: number | null;
  priority: string;
  completedAt: string | null;
  labels: { publicId: string }[];
  members: { publicId: string }[];
  checklistItems: { total: number; completed: number };
}

interface BoardRead {
  name: string;
  isArchived: boolean;
  labels: Label[];
  lists: { publicId: string; name: string; index: number; cards: Summary[] }[];
}

const sorted = (ids: readonly string[]) => [...ids].sort();
const ids = (things: readonly { publicId: string }[]) => sorted(things.map(({ publicId }) => publicId));

const shownSummary = ({ completedAt, labels, members, ...card }: Summary) => ({
  publicId: card.publicId,
  title: card.title,
  cardNumber: card.cardNumber,
  index: card.index,
  priority: card.priority,
  isCompleted: completedAt !== null,
  labels: ids(labels),
  members: ids(members),
  checklistItems: card.checklistItems,
});

function expectedSummary(card: Card) {
  const items = card.checklists.flatMap((checklist) => checklist.items);
  return {
    publicId: card.publicId,
    title: card.title,
    cardNumber: card.cardNumber,
    index: card.isArchived ? null : (card.list?.cards.indexOf(card) ?? null),
    priority: card.priority,
    isCompleted: card.isCompleted,
    labels: ids(card.labels),
    members: sorted(card.memberPublicIds),
    checklistItems: { total: items.length, completed: items.filter(({ completed }) => completed).length },
  };
}

const expectedBoard = (board: Board) => ({
  name: board.name,
  isArchived: board.isArchived,
  labels: ids(board.labels),
  lists: board.lists.map(({ publicId, name, cards }, index) => ({
    publicId,
    name,
    index,
    cards: cards.map(expectedSummary),
  })),
});

/** Reads boards as a browser does: with the entity tag of the last answer, which then stands for what was read. */
function boardReader(client: Client) {
  const kept = new Map<string, { etag: string; body: BoardRead }>();
  return async ({ publicId }: Board): Promise<BoardRead> => {
    const last = kept.get(publicId);
    const headers: Record<string, string> = last === undefined ? {} : { "if-none-match": last.etag };
    const res = await client.get<BoardRead>(`/boards/${publicId}`, headers);
    if (res.status === 304 && last !== undefined) return last.body;
    const body = ok(res);
    kept.set(publicId, { etag: res.headers.etag ?? "", body });
    return body;
  };
}

/** All archived cards of a board, page by page. */
async function archivedOn(client: Client, board: Board, limit: number): Promise<Summary[]> {
  const found: Summary[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `/boards/${board.publicId}/archived-cards?limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`;
    const page: { items: Summary[]; nextCursor: string | null } = ok(await client.get(path));
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

const byId = (cards: readonly { publicId: string }[]) => [...cards].sort((a, b) => (a.publicId < b.publicId ? -1 : 1));

/** A new workspace with an open board and a private one that one of two members is on. */
async function newScene() {
  const { workspace, board, owner } = await make.board();
  const { board: other } = await make.board({ workspace, visibility: "private" });
  const seeing = await make.member(other, "member");
  const withoutAccess = await make.member(workspace, "member");
  const empty = { isArchived: false, lists: [], labels: [] };
  const everyone = [seeing.memberPublicId, withoutAccess.memberPublicId];
  const model: Model = {
    boards: [
      { ...empty, publicId: board.publicId, name: board.name, memberPublicIds: everyone },
      { ...empty, publicId: other.publicId, name: other.name, memberPublicIds: [seeing.memberPublicId] },
    ],
    cards: [],
    lastNumber: 0,
  };
  // Each board's arrays are its own.
  for (const one of model.boards) Object.assign(one, { lists: [], labels: [] });
  const client = as(owner);
  const scene: Scene = {
    model,
    client,
    labelsOf: async ({ publicId, labels }) => {
      const read = ok(await client.get<BoardRead>(`/boards/${publicId}`)).labels;
      return read.map((label) => labels.find((known) => known.publicId === label.publicId) ?? label);
    },
    checklistsOf: async ({ publicId }) =>
      ok(await client.get<{ checklists: Checklist[] }>(`/cards/${publicId}`)).checklists,
  };
  return { scene, workspace, read: boardReader(client), events: (await eventsOf(db, workspace)).length };
}

type Played = Awaited<ReturnType<typeof newScene>>;

/** Everything that can be read is what the model holds. */
async function expectModel({ scene: { model, client }, workspace, read }: Played, limit: number): Promise<void> {
  for (const board of model.boards) {
    const { name, isArchived, labels, lists } = await read(board);
    const shown = {
      name,
      isArchived,
      labels: ids(labels),
      lists: lists.map((list) => ({
        publicId: list.publicId,
        name: list.name,
        index: list.index,
        cards: list.cards.map(shownSummary),
      })),
    };
    expect(shown).toEqual(expectedBoard(board));
    const archived = cardsOn(model, board).filter((card) => card.isArchived);
    const pages = await archivedOn(client, board, limit);
    expect(byId(pages.map(shownSummary))).toEqual(byId(archived.map(expectedSummary)));
  }
  const openCards = model.boards
    .filter(({ isArchived }) => !isArchived)
    .map((board) => [board.publicId, cardsOn(model, board).filter(({ isArchived }) => !isArchived).length]);
  const path = `/workspaces/${workspace.publicId}/boards`;
  const listed = ok(await client.get<{ publicId: string; openCards: number }[]>(path));
  expect(listed.map(({ publicId, openCards: count }) => [publicId, count]).sort()).toEqual(openCards.sort());
}

/** The card that a step is about, with its checklists in order. */
async function expectCard({ scene: { client } }: Played, card: Card): Promise<void> {
  const read = ok(
    await client.get<{ checklists: Checklist[]; list: { publicId: string } | null }>(`/cards/${card.publicId}`),
  );
  expect(read.checklists).toEqual(card.checklists);
  expect(read.list?.publicId ?? null).toEqual(card.list?.publicId ?? null);
}

let sequences = 0;
let steps = 0;
let changes = 0;

async function play(played: Played, name: string, chosen: Choice): Promise<void> {
  const { scene, workspace } = played;
  const { model, client } = scene;
  const made = STEPS[name]?.make(scene, chosen) ?? null;
  if (made === null) return;
  const { call, status, events, apply } = made;
  const { lastNumber } = model;
  const numbers = new Set(model.cards.map(({ cardNumber }) => cardNumber));

  const res = await client[call.method]<Answered>(call.path, call.body);

  const what = `${name}: ${call.method} ${call.path} ${JSON.stringify(call.body)} → ${res.status} ${res.text}`;
  if (status === 0) expect([200, 400], what).toContain(res.status);
  else expect(res.status, what).toBe(status);
  if (res.status === 200) await apply(res.body);
  for (const { cardNumber } of model.cards) {
    if (!numbers.has(cardNumber)) expect(cardNumber, what).toBe(lastNumber + 1);
  }
  const logged = (await eventsOf(db, workspace, played.events)).map(({ type }) => type);
  played.events += logged.length;
  expect(sorted([...new Set(logged)]), what).toEqual(sorted(events));
  await expectModel(played, 1 + chosen.turns[0]).catch((error: Error) => {
    error.message = `${what}\n${error.message}`;
    throw error;
  });
  const card = model.cards[chosen.turns[0] % Math.max(1, model.cards.length)];
  if (card !== undefined) await expectCard(played, card);
  steps += 1;
  if (logged.length > 0) changes += 1;
}

test(
  `sequences of ${STEPS_A_SEQUENCE} operations leave the boards as a model has them, seed ${SEED}`,
  async () => {
    const isInTime = timeFor(BUDGET_MS);
    await fc.assert(
      fc.asyncProperty(sequence, async (chosen) => {
        if (!isInTime()) return;
        sequences += 1;
        const played = await newScene();
        for (const one of chosen) if (one !== null) await play(played, ...one);
        for (const board of played.scene.model.boards) expect(await miscounted(db, board)).toEqual([]);
      }),
      { numRuns: SEQUENCES },
    );
  },
  2 * BUDGET_MS,
);

afterAll(() => console.log(`sequences, seed ${SEED}: ${sequences}, ${steps} steps, ${changes} of them changes`));
