// A snapshot plus the events after it is the next snapshot (capabilities section 0, Events), for random sequences over every
// mutation of the router. Events are read from the workspace's list after each step, from the board's list later, when texts of
// what was deleted are gone, and in some sequences from a stream as well. A guest and a plain member follow a board meanwhile, over
// connections that get lost, repeat events and miss some. What searches find the cards by is compared at the end.

import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { Replica } from "../../packages/client/src/board/replica.js";
import type { BoardState } from "../../packages/client/src/board/state.js";
import type { Comment, Event } from "../../packages/client/src/board/things.js";
import { createClient } from "../../packages/client/src/client.js";
import { appRouter } from "../../src/router.js";
import { missearched } from "../board/events.js";
import {
  aloneOf,
  compared,
  comparedAlone,
  readBoard,
  readEvents,
  readWholeBoard,
  replayed,
  replayedWhole,
} from "../events/replay/snapshots.js";
import { type Person, testApp } from "../helpers/app.js";
import { SEED, timeFor } from "../helpers/drawing.js";
import { read } from "../helpers/streams.js";
import { WORKSPACE_STEPS } from "./replay/boardSteps.js";
import { CARD_STEPS } from "./replay/cardSteps.js";
import { type Accounts, type Choice, Scene, type Step } from "./replay/scene.js";
import { HALF } from "./settings.js";

const STEPS: Record<string, Step> = { ...WORKSPACE_STEPS, ...CARD_STEPS };

const ACCOUNT_ALONE = "changes an account, which no event tells";
const OF_WORKSPACE = "its events are of the workspace, and no board shows what it changes";

/** Mutations that no sequence calls, and why. */
const WITHOUT_STEP: Record<string, string> = {
  "user.signIn": ACCOUNT_ALONE,
  "user.signOut": ACCOUNT_ALONE,
  "user.changePassword": ACCOUNT_ALONE,
  "user.requestPasswordReset": ACCOUNT_ALONE,
  "user.resetPassword": ACCOUNT_ALONE,
  "user.requestEmailVerification": ACCOUNT_ALONE,
  "user.confirmEmail": ACCOUNT_ALONE,
  "user.changeEmail": ACCOUNT_ALONE,
  "user.twoFactor.begin": ACCOUNT_ALONE,
  "user.twoFactor.confirm": ACCOUNT_ALONE,
  "user.twoFactor.disable": ACCOUNT_ALONE,
  "user.twoFactor.recoveryCodes": ACCOUNT_ALONE,
  "user.sessions.revoke": ACCOUNT_ALONE,
  "user.oidc.start": ACCOUNT_ALONE,
  "user.oidc.finish": ACCOUNT_ALONE,
  "user.oidc.unlink": ACCOUNT_ALONE,
  "admin.users.create": ACCOUNT_ALONE,
  "admin.users.resetLink": ACCOUNT_ALONE,
  "admin.users.update": ACCOUNT_ALONE,
  "user.tokens.create": ACCOUNT_ALONE,
  "user.tokens.revoke": ACCOUNT_ALONE,
  "user.notificationSettings.update": ACCOUNT_ALONE,
  "user.unsubscribe": ACCOUNT_ALONE,
  "notification.read": ACCOUNT_ALONE,
  "notification.readAll": ACCOUNT_ALONE,
  "workspace.create": "its log begins empty",
  "workspace.delete": "its log goes with it",
  "workspace.webhooks.create": OF_WORKSPACE,
  "workspace.webhooks.update": OF_WORKSPACE,
  "workspace.webhooks.delete": OF_WORKSPACE,
  "workspace.webhooks.rotateSecret": OF_WORKSPACE,
  "workspace.webhooks.test": OF_WORKSPACE,
  "workspace.webhooks.redeliver": OF_WORKSPACE,
  "workspace.meetings.save": OF_WORKSPACE,
  "workspace.meetings.delete": OF_WORKSPACE,
  "import.csvPreview": "changes nothing",
};

const SEQUENCES = Math.ceil(HALF / 10);
const STEPS_A_SEQUENCE = 40;
/** A failure is reported in what it has shrunk to by then. */
const BUDGET_MS = SEQUENCES * 15_000;

const app = await testApp();
const { as, make } = app;
const accounts: Accounts = { owner: await make.user(), others: [await make.user(), await make.user()] };
const guestAccount = await make.user();

const choice: fc.Arbitrary<Choice> = fc.record({
  turns: fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99), fc.nat(99)),
  index: fc.option(fc.nat(3), { nil: undefined }),
  flag: fc.boolean(),
  word: fc.stringMatching(/^[a-zא-ת😀]{3,6}$/u),
});

/** What makes something comes more often than what takes it away, and what acts on cards more often than all else. */
function weightOf(name: string): number {
  if (name.startsWith("user.")) return 1;
  if (/\.(?:delete|remove|deleteItem)$/.test(name)) return 3;
  return name in CARD_STEPS ? (/create$/i.test(name) ? 20 : 10) : 4;
}

const step = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constant(null), weight: 0 },
  ...Object.keys(STEPS).map((name) => ({
    arbitrary: fc.tuple(fc.constant(name), choice),
    weight: weightOf(name),
  })),
);

interface Sequence {
  steps: ([string, Choice] | null)[];
  /** After so many steps the boards are compared. */
  stride: number;
  /** So many steps come at once, and share a transaction where they meet. */
  atOnce: number;
  isStreamed: boolean;
  /** How events come to the followers: so many, up to the cut of a connection, and what happens then. */
  deliveries: Delivery[];
}

interface Delivery {
  count: number;
  end: "cut" | "again" | "reset";
}

const sequence: fc.Arbitrary<Sequence> = fc.record({
  steps: fc.array(step, { minLength: STEPS_A_SEQUENCE, maxLength: STEPS_A_SEQUENCE }),
  stride: fc.constantFrom(8, 16),
  atOnce: fc.constantFrom(1, 8),
  isStreamed: fc.boolean(),
  deliveries: fc.array(
    fc.record({ count: fc.integer({ min: 1, max: 12 }), end: fc.constantFrom("cut", "again", "reset") }),
    {
      minLength: 4,
      maxLength: 8,
    },
  ),
});

/** In the order of a tour: first what makes things, last what takes them away. */
const RANKS = [
  /\.(?:create|addItem)$/,
  /\.(?:accept|signUp)$/,
  /\.(?:update|updateItem|toggle\w+|move|invite|add|setRole|duplicate)$/,
  /^import\./,
  /^card\..*archive$/,
  /^board\.archive$/,
  /^board\.unarchive$/,
  /^card\.\w+\.\w+$/,
  /./,
];
const rankOf = (name: string) => RANKS.findIndex((pattern) => pattern.test(name));

/** Every step, so that each has something to act on; what makes no board twice. */
const tour: Sequence = {
  steps: Object.keys(STEPS)
    .sort((a, b) => rankOf(a) - rankOf(b))
    .flatMap((name) =>
      (/^(?:import|board\.(?:create|duplicate))/.test(name) ? [0] : [0, 1]).map((n) => [name, n] as const),
    )
    .map(([name, n]) => [name, { turns: [n, n + 1, n, n], index: n, flag: n === 1, word: `tour ${n}` }]),
  stride: 8,
  atOnce: 1,
  isStreamed: true,
  deliveries: [
    { count: 3, end: "cut" },
    { count: 2, end: "again" },
    { count: 1, end: "reset" },
  ],
};

interface Snapshot {
  whole: BoardState;
  /** The same as `GET /boards/{boardPublicId}` alone has it. */
  alone: BoardState;
  after: number;
}

/** A workspace with a member, and a board with a guest and some of everything. */
async function newScene(): Promise<Scene> {
  const { workspace } = await make.workspace({ owner: accounts.owner });
  const [, member] = accounts.others;
  if (member !== undefined) await make.member(workspace, "member", member);
  const { board } = await make.board({ workspace, labels: [{ name: "Label 1", colourCode: "#aabbcc" }] });
  const scene = new Scene(app, workspace, accounts, await make.member(board, "guest", guestAccount));
  const { list } = await make.list({ board });
  await make.list({ board });
  await make.card({ list });
  const { card } = await make.card({ list });
  const { checklist } = await make.checklist({ card });
  await make.item({ checklist });
  await make.comment({ card });
  await make.tag({ workspace });
  await scene.catchUp();
  scene.followed.boards.set(board.publicId, await readWholeBoard(scene.admin, board.publicId));
  return scene;
}

/** Compares what events made of a snapshot with the board as it is now. */
function expectReplayed(
  { whole, alone }: Snapshot,
  events: readonly Event[],
  now: BoardState,
  { how, comments }: { how: string; comments: ReadonlyMap<string, readonly Comment[]> },
): void {
  const logged = `${how}: ${JSON.stringify(events)}`;
  const wholeAfter = events.reduce(
    (state, event) => replayedWhole(state, event, comments.get(event.cardPublicId ?? "")),
    whole,
  );
  expect(compared(wholeAfter), logged).toEqual(compared(now));
  expect(comparedAlone(events.reduce(replayed, alone)), logged).toEqual(comparedAlone(now));
}

function withoutOtherBoards(event: Event): object {
  const names: Partial<Record<string, readonly string[]>> = {
    "card.moved": ["from", "to"],
    "board.created": ["copiedFrom"],
  };
  const hidden = names[event.type] ?? [];
  return { ...event, data: Object.fromEntries(Object.entries(event.data).filter(([name]) => !hidden.includes(name))) };
}

/** Roles are left out: both get changes of their own, which the other does not get. */
const isNoRole = ({ type }: { type: string }) => type !== "member.role.changed";

/** Compares every board with what each way of reading events made of it; gives the boards as they are now. */
async function expectBoards(scene: Scene, last: ReadonlyMap<string, Snapshot>): Promise<Map<string, Snapshot>> {
  const snapshots = new Map<string, Snapshot>();
  const { comments } = scene.followed;
  for (const board of scene.boards) {
    const now = await readWholeBoard(scene.admin, board.publicId);
    expect(compared(board), "from the workspace's list").toEqual(compared(now));
    const snapshot = last.get(board.publicId);
    if (snapshot !== undefined) {
      const page = { after: snapshot.after, boardPublicId: board.publicId };
      const events = await readEvents(scene.admin, scene.workspace, page);
      expectReplayed(snapshot, events, now, { how: "from the board's list", comments });
      const isSeen = (await as(scene.guest).get(`/boards/${board.publicId}`)).status === 200;
      const ofGuest = isSeen ? await readEvents(as(scene.guest), scene.workspace, page) : events;
      expect(ofGuest.filter(isNoRole).map(withoutOtherBoards)).toEqual(events.filter(isNoRole).map(withoutOtherBoards));
    }
    snapshots.set(board.publicId, { whole: now, alone: aloneOf(now), after: scene.lastEvent });
  }
  return snapshots;
}

const succeeded = new Map<string, number>();
const refused = new Map<string, number>();

async function take(scene: Scene, steps: readonly [string, Choice][]): Promise<void> {
  const prepared: (() => Promise<void>)[] = [];
  for (const [name, chosen] of steps) {
    const call = (await STEPS[name]?.(scene, chosen)) ?? null;
    if (call === null) continue;
    const { method, path, body, by = scene.admin, keep } = call;
    prepared.push(async () => {
      const answer = await by.call(method)<{ inviteLink?: string | null }>(path, body);
      const what = `${name}: ${method} ${path} ${JSON.stringify(body)} → ${answer.status} ${answer.text}`;
      expect(answer.status, what).toBeLessThan(500);
      const counts = answer.status === 200 ? succeeded : refused;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (answer.status === 200) keep?.(answer.body);
    });
  }
  await Promise.all(prepared.map((send) => send()));
  await scene.catchUp();
}

/** The stream of a board, to be compared with the board when the sequence has ended. */
async function openStream(scene: Scene, boardPublicId: string) {
  const url = `${await app.listening()}/api/v1/boards/${boardPublicId}/stream`;
  const stream = await read(url, accounts.owner.token);
  await stream.until(() => stream.lastId() !== undefined);
  const whole = await readWholeBoard(scene.admin, boardPublicId);
  return {
    expectReplayed: async () => {
      if (!scene.followed.boards.has(boardPublicId)) return;
      const events = await readEvents(scene.admin, scene.workspace, { after: 0, boardPublicId });
      const end = events.at(-1)?.id ?? 0;
      await stream.until(() => Number(stream.lastId()) >= end);
      const now = await readWholeBoard(scene.admin, boardPublicId);
      const snapshot = { whole, alone: aloneOf(whole), after: 0 };
      const { comments } = scene.followed;
      expectReplayed(snapshot, stream.items<Event>(), now, { how: "from the stream", comments });
    },
    leave: () => stream.leave(),
  };
}

/** Somebody who follows a board over a bad connection. */
async function followerOf(scene: Scene, boardPublicId: string, person: Person, deliveries: readonly Delivery[]) {
  const client = as(person);
  const url = await app.listening();
  const replica = new Replica(createClient({ url, token: person.token }), boardPublicId, undefined, () => {});
  await replica.read();
  const next = () => readEvents(client, scene.workspace, { after: replica.position, boardPublicId });
  const apply = (events: readonly Event[]) => {
    for (const event of events) replica.event(event);
  };

  /** Delivers the events since the last time, in pieces. */
  async function deliver(): Promise<void> {
    for (const { count, end } of deliveries) {
      const events = await next();
      apply(events.slice(0, count));
      if (end === "again") apply(events.slice(Math.max(0, count - 3), count));
      if (end !== "reset") continue;
      const reading = replica.read();
      apply(events.slice(count, count + 3));
      await reading;
    }
    apply(await next());
  }

  return {
    async expectEqual(): Promise<void> {
      // Somebody who was removed from the board, or from the workspace, may come back.
      if ((await client.get(`/boards/${boardPublicId}`)).status !== 200) return;
      if (replica.state().status === "ended") return;
      await deliver();
      const [shown, now] = [replica.state().board, await readBoard(client, boardPublicId)];
      if (shown === null) throw new Error("The board was not read");
      expect(compared(shown), `followed by ${person.name}`).toEqual(compared(now));
    },
    close: () => replica.close(),
  };
}

async function followersOf(scene: Scene, boardPublicId: string, deliveries: readonly Delivery[]) {
  const people = [scene.guest, accounts.others[1] ?? scene.guest];
  return Promise.all(people.map((person) => followerOf(scene, boardPublicId, person, deliveries)));
}

async function play({ steps, stride, atOnce, isStreamed, deliveries }: Sequence): Promise<void> {
  const scene = await newScene();
  const [first] = scene.boards;
  const followers = first === undefined ? [] : await followersOf(scene, first.publicId, deliveries);
  const stream = isStreamed && first !== undefined ? await openStream(scene, first.publicId) : null;
  try {
    let snapshots = await expectBoards(scene, new Map());
    const chosen = steps.filter((one) => one !== null);
    for (let taken = 0; taken < chosen.length; taken += atOnce) {
      await take(scene, chosen.slice(taken, taken + atOnce));
      if ((taken + atOnce) % stride !== 0) continue;
      snapshots = await expectBoards(scene, snapshots);
      for (const one of followers) await one.expectEqual();
    }
    await expectBoards(scene, snapshots);
    for (const one of followers) await one.expectEqual();
    await stream?.expectReplayed();
    expect(await missearched(app.db, scene.workspace)).toEqual([]);
  } finally {
    stream?.leave();
    for (const one of followers) one.close();
  }
}

const mutations = Object.entries(appRouter._def.procedures).flatMap(([path, procedure]) =>
  Reflect.get(Object(Reflect.get(Object(procedure), "_def")), "type") === "mutation" ? [path] : [],
);

test("every mutation of the router has a step, or a reason to have none", () => {
  expect([...Object.keys(STEPS), ...Object.keys(WITHOUT_STEP)].sort()).toEqual(mutations.sort());
});

test("every step does something at least once, and its events keep the boards", {
  tags: ["slow"],
  timeout: 60_000,
}, async () => {
  await play(tour);
  expect(Object.keys(STEPS).filter((name) => !succeeded.has(name))).toEqual([]);
});

test(`sequences of ${STEPS_A_SEQUENCE} changes: a snapshot and the events after it are the next snapshot, seed ${SEED}`, {
  tags: ["slow"],
  timeout: 2 * BUDGET_MS,
}, async () => {
  const isInTime = timeFor(BUDGET_MS);
  const property = fc.asyncProperty(sequence, async (steps) => {
    if (isInTime()) await play(steps);
  });
  await fc.assert(property, { numRuns: SEQUENCES });
});

afterAll(() => {
  const total = (counts: Map<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0);
  console.log(`replay, seed ${SEED}: ${total(succeeded)} changes, ${total(refused)} refusals`);
});
