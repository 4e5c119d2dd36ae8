// Every change writes its events (contract section 5): each mutation of the router is called as the access matrix calls it, and
// the log grows by exactly the types that this table names. A new mutation without a row fails.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { describe as describeEvent, type Event } from "../../packages/client/src/client.js";
import { EVENT_TYPES } from "../../src/events/eventShapes.js";
import { appRouter } from "../../src/router.js";
import { FACES, requestOf } from "../access/requests.js";
import { allRows } from "../access/rows/index.js";
import { listed, type Row, type Scene } from "../access/rows.js";
import { worldMakers } from "../access/world.js";
import { type Answer, ok, testApp } from "../helpers/app.js";
import { providerEnvironment } from "../helpers/issuer.js";
import { RECOVERY_ENVIRONMENT } from "../helpers/recovery.js";

/** What one call writes, by procedure, and by case where the matrix has several. */
const WRITTEN: Record<string, string[]> = {
  "user.signUp": [],
  "user.signIn": [],
  "user.signOut": [],
  "user.update": ["member.updated"],
  "user.changePassword": [],
  "user.delete": ["member.removed"],
  "user.requestPasswordReset": [],
  "user.resetPassword": [],
  "user.requestEmailVerification": [],
  "user.confirmEmail": [],
  "user.changeEmail": [],
  "user.twoFactor.begin": [],
  "user.twoFactor.confirm": [],
  "user.twoFactor.disable": [],
  "user.twoFactor.recoveryCodes": [],
  "user.sessions.revoke": [],
  "user.oidc.start": [],
  "user.oidc.finish": [],
  "user.oidc.unlink": [],
  "admin.users.create": [],
  "admin.users.resetLink": [],
  "admin.users.update": [],
  "user.tokens.create": [],
  "user.tokens.create, bound to the workspace": [],
  "user.tokens.revoke": [],
  "workspace.create": [],
  "workspace.update": ["workspace.updated"],
  "workspace.delete": [],
  "workspace.members.invite": ["member.invited"],
  "workspace.members.setRole": ["member.role.changed"],
  "workspace.members.remove": ["member.removed"],
  "workspace.members.remove, oneself": ["member.removed"],
  "workspace.invites.create": ["invite.created"],
  "workspace.invites.revoke": ["invite.revoked"],
  "workspace.invites.accept": ["member.added"],
  "workspace.webhooks.create": ["webhook.created"],
  "workspace.webhooks.update": ["webhook.updated"],
  "workspace.webhooks.rotateSecret": ["webhook.updated"],
  "workspace.webhooks.delete": ["webhook.deleted"],
  "workspace.webhooks.test": [],
  "workspace.webhooks.redeliver": [],
  "workspace.tags.create": ["tag.created"],
  "workspace.tags.update": ["tag.updated"],
  "workspace.tags.delete": ["tag.deleted"],
  "workspace.meetings.save": ["meeting.saved"],
  "workspace.meetings.save, one that is there": ["meeting.saved"],
  "workspace.meetings.delete": ["meeting.deleted"],
  "board.create": ["board.created"],
  "board.create, public": ["board.created"],
  "board.update": ["board.updated"],
  "board.update, isFavourite": [],
  "board.opened": [],
  "board.update, isFavourite and name": ["board.updated"],
  "board.update, made public": ["board.updated"],
  "board.delete": ["board.deleted"],
  "board.duplicate": ["board.created"],
  "board.members.add": ["board.member.added"],
  "board.members.invite, a present member": ["board.member.added"],
  "board.members.invite, an address to invite": ["member.invited", "board.member.added"],
  "board.members.invite, an address that has an account elsewhere": ["member.invited", "board.member.added"],
  "board.members.remove": ["board.member.removed"],
  "board.members.remove, oneself": ["board.member.removed"],
  "board.archive": ["board.archived"],
  "board.unarchive": ["board.unarchived"],
  "board.toggleTag": ["board.tag.added"],
  "board.lists.create": ["list.created"],
  "board.lists.update": ["list.updated"],
  "board.lists.delete": ["list.deleted"],
  "board.labels.create": ["label.created"],
  "board.labels.update": ["label.updated"],
  "board.labels.delete": ["label.deleted"],
  "card.create": ["card.created"],
  "card.update": ["card.updated"],
  "card.update, moved": ["card.moved"],
  "card.update, placed": ["card.moved"],
  "card.delete": ["card.deleted"],
  "card.archive": ["card.archived"],
  "card.unarchive": ["card.unarchived"],
  "card.duplicate": ["card.created"],
  "card.toggleLabel": ["card.label.added"],
  "card.toggleMember": ["card.member.added"],
  "card.bulk.move": ["card.moved"],
  "card.bulk.update": ["card.updated"],
  "card.bulk.archive": ["card.archived"],
  "card.bulk.delete": ["card.deleted"],
  "card.checklists.create": ["checklist.created"],
  "card.checklists.update": ["checklist.updated"],
  "card.checklists.delete": ["checklist.deleted"],
  "card.checklists.addItem": ["checklist.item.created"],
  "card.checklists.updateItem": ["checklist.item.updated"],
  "card.checklists.deleteItem": ["checklist.item.deleted"],
  "card.comments.create": ["comment.created"],
  "card.comments.update, somebody else's": ["comment.updated"],
  "card.comments.update, one's own": ["comment.updated"],
  "card.comments.delete, somebody else's": ["comment.deleted"],
  "card.comments.delete, one's own": ["comment.deleted"],
  "user.notificationSettings.update": [],
  "user.unsubscribe": [],
  "notification.read": [],
  "notification.readAll": [],
  "import.csv": ["board.imported", "card.created"],
  "import.csv, onto a board": ["list.created", "card.created"],
  "import.csv, dry run": [],
  "import.csvPreview": [],
  "import.trello": ["board.imported"],
  "import.board": [
    "board.imported",
    "card.created",
    "comment.created",
    "comment.created",
    "card.created",
    "comment.created",
  ],
};

/** Types that calls of the table write in another state of things. */
const WRITTEN_ELSE = [
  "board.tag.removed",
  "list.moved",
  "card.completed",
  "card.reopened",
  "card.label.removed",
  "card.member.removed",
  "checklist.item.completed",
  "checklist.item.reopened",
];

/** Calls that change nothing when they are repeated, and so write nothing then. */
const REPEATABLE = [
  "user.update",
  "workspace.update",
  "workspace.members.invite",
  "workspace.members.setRole",
  "workspace.invites.revoke",
  "workspace.webhooks.update",
  "workspace.tags.update",
  "workspace.meetings.save, one that is there",
  "board.update",
  "board.archive",
  "board.unarchive",
  "board.members.add",
  "board.members.invite, a present member",
  "board.members.invite, an address to invite",
  "board.lists.update",
  "board.labels.update",
  "card.update",
  "card.update, moved",
  "card.update, placed",
  "card.archive",
  "card.unarchive",
  "card.bulk.move",
  "card.bulk.update",
  "card.bulk.archive",
  "card.checklists.update",
  "card.checklists.updateItem",
  "card.comments.update, one's own",
];

/** Types that tell of an edit or a move: with what it was and what it became. */
const isEdit = (type: string) => /\.(?:updated|moved|role\.changed)$/.test(type);

const app = await testApp({
  ...RECOVERY_ENVIRONMENT,
  WEBHOOK_ALLOW_PRIVATE: "true",
  ...(await providerEnvironment()),
});
const { db, as, make } = app;
const makers = worldMakers(app);
const world = await makers.world();

function isMutation(path: string): boolean {
  const procedure: unknown = Reflect.get(appRouter._def.procedures, path);
  return Reflect.get(Object(Reflect.get(Object(procedure), "_def")), "type") === "mutation";
}

const mutations = Object.keys(appRouter._def.procedures).filter(isMutation);
const calls = mutations.flatMap((path) =>
  listed(allRows[path])
    .filter((row) => row.case !== "somebody else's" || path !== "notification.read")
    .map((row) => ({ name: row.case === undefined ? path : `${path}, ${row.case}`, path, row })),
);

interface Logged {
  id: number;
  seq: number;
  type: string;
  data: Record<string, unknown>;
  operation: string;
  requestKey: string | null;
}

async function loggedDuring(run: () => Promise<unknown>): Promise<Logged[]> {
  const counters = await db.rows<{ id: number; seq: number }>(
    sql`select workspace_id as id, event_seq as seq from workspace_counter`,
  );
  const ends = new Map(counters.map(({ id, seq }) => [id, seq]));
  await run();
  const events = await db.rows<Logged>(
    sql`
      select workspace_id as id, seq, type, data, operation_public_id as operation, request_key as "requestKey" from event order by workspace_id, seq`,
  );
  return events.filter(({ id, seq }) => seq > (ends.get(id) ?? 0));
}

/** Who makes a call: an admin may nearly everything; who joins or signs up must be somebody new. */
function callerOf(path: string) {
  if (path === "user.signUp" || path === "user.oidc.finish") return "no token";
  if (path.startsWith("admin.")) return "an instance admin";
  return path === "workspace.invites.accept" ? "a stranger" : "an admin";
}

const REQUEST_KEY = "recorded-1";

async function requestFor(path: string, row: Row) {
  const kind = callerOf(path);
  const place = world.places.open;
  const scene: Scene = { app, makers, world, kind, caller: world.callers[kind], placeName: "open", place };
  const { input, by = scene.caller } = (await row.fresh?.(scene)) ?? { input: row.input(scene) };
  const client = by.token === null ? app.anonymous : as({ token: by.token });
  const request = requestOf("REST", path, row.at, input);
  return () => client.send({ ...request, headers: { ...request.headers, "request-key": REQUEST_KEY } });
}

/** The headers by which a client knows its own events: of a change that wrote some in one workspace. */
function expectHeaders({ headers }: Answer, logged: readonly Logged[]): void {
  const own = { operation: headers["operation-id"], event: headers["event-id"] };
  const [first] = logged;
  const isOne =
    first !== undefined && logged.every(({ id, operation }) => id === first.id && operation === first.operation);
  const last = String(logged.at(-1)?.seq);
  expect(own).toEqual(isOne ? { operation: first.operation, event: last } : { operation: undefined, event: undefined });
}

test("every mutation of the router is in the table, and writes types that exist; every type is written", () => {
  expect(Object.keys(WRITTEN).sort()).toEqual(calls.map(({ name }) => name).sort());
  expect(mutations.filter((path) => !calls.some((call) => call.path === path))).toEqual([]);
  expect(new Set([...Object.values(WRITTEN).flat(), ...WRITTEN_ELSE])).toEqual(new Set(EVENT_TYPES));
});

/** The places of all values in an object. */
function placesIn(value: unknown, place = ""): string[] {
  if (typeof value !== "object" || value === null) return [place];
  const inner = Object.entries(value).flatMap(([key, one]) => placesIn(one, `${place}.${key}`));
  return inner.length === 0 ? [place] : inner;
}

async function shownOf(logged: readonly Logged[]): Promise<Event[]> {
  const { workspacePublicId } = world.places.open.ids;
  const [own] = await db.rows<{ id: number }>(
    sql`select id from workspace where public_id = ${workspacePublicId}::text`,
  );
  const first = logged.find(({ id }) => id === own?.id);
  if (first === undefined) return [];
  const url = `/workspaces/${workspacePublicId}/events?after=${first.seq - 1}&limit=${logged.length}`;
  const { items } = ok(await as(world.owner).get<{ items: Event[] }>(url));
  return items;
}

describe("a call of", () => {
  test.each(calls)(
    "$name writes its events under its Request-Key, edits with from and to, names them in its headers, and writes nothing when nothing changes",
    async (call) => {
      const send = await requestFor(call.path, call.row);
      const answers: Answer[] = [];
      const sent = async () => {
        const answer = await send();
        ok(answer);
        answers.push(answer);
      };
      const logged = await loggedDuring(sent);
      for (const answer of answers) expectHeaders(answer, logged);
      expect(logged.map(({ type }) => type)).toEqual(WRITTEN[call.name]);
      expect(new Set(logged.map(({ requestKey }) => requestKey))).toEqual(new Set(logged.map(() => REQUEST_KEY)));
      for (const { data } of logged.filter(
        ({ type }) => isEdit(type) && call.path !== "workspace.webhooks.rotateSecret",
      )) {
        expect(JSON.stringify(data)).toMatch(/"from":.*"to":|"to":.*"from":/);
      }
      for (const event of await shownOf(logged)) {
        const { id, type, data } = event;
        const stored = logged.find((one) => one.seq === id && one.type === type);
        const { boardPublicIds: _, ...kept } = stored?.data ?? {};
        expect(placesIn(data), `${type} is shown as it is stored`).toEqual(expect.arrayContaining(placesIn(kept)));
        const sentence = describeEvent(event, { nameOf: () => null }).map(({ text }) => text);
        expect(sentence.join(""), `${type} as a sentence`).toMatch(/^[A-Z][^{}]+ [^{}]+[^ {}]$/);
        expect(sentence).not.toContain("");
      }
      if (!REPEATABLE.includes(call.name)) return;
      expect(await loggedDuring(sent)).toEqual([]);
      for (const answer of answers.slice(1)) expectHeaders(answer, []);
    },
  );
});

describe("of many cards", () => {
  const CARDS = 30;

  async function manyCards() {
    const { list, board, workspace } = await make.list();
    const other = (await make.list({ board })).list;
    const cards: string[] = [];
    for (let n = 0; n < CARDS; n += 1) cards.push((await make.card({ list })).card.publicId);
    return { board, workspace, cardPublicIds: cards, listPublicId: other.publicId };
  }

  test.each([
    ["move", "card.moved", {}],
    ["update", "card.updated", { priority: "high" }],
    ["archive", "card.archived", {}],
    ["delete", "card.deleted", {}],
  ])("bulk %s writes one event a card, all in one statement", async (name, type, fields) => {
    const { board, cardPublicIds, listPublicId } = await manyCards();
    const body = { cardPublicIds, ...fields, ...(name === "move" && { listPublicId }) };
    const logged = await loggedDuring(async () => ok(await as(board.owner).post(`/cards/bulk/${name}`, body)));
    expect(logged.map((event) => event.type)).toEqual(Array(CARDS).fill(type));
    const statements = await db.rows(sql`
      select distinct xmin::text, cmin::text from event
      where workspace_id = ${logged[0]?.id ?? 0}::bigint and seq >= ${logged[0]?.seq ?? 0}::bigint`);
    expect(statements).toHaveLength(1);
  });
});

test("a call that writes in several workspaces names no operation, also when it is replayed", async () => {
  const { owner } = await make.workspace();
  await make.workspace({ owner });
  const rename = () => as(owner).put("/users/me", { name: "Elsewhere" }, { "idempotency-key": "several" });
  const answers: Answer[] = [];
  const logged = await loggedDuring(async () => {
    answers.push(await rename(), await rename());
  });
  expect(new Set(logged.map(({ id }) => id)).size).toBe(2);
  expect(answers.map(({ headers }) => headers["idempotent-replayed"])).toEqual([undefined, "true"]);
  for (const { status, headers } of answers) {
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty("operation-id");
    expect(headers).not.toHaveProperty("event-id");
  }
});

test("a replayed answer names the operation and the event of the first, over REST and tRPC", async () => {
  const { list, owner } = await make.list();
  const input = { title: "Once", listPublicId: list.publicId };
  for (const face of FACES) {
    const request = requestOf(face, "card.create", "POST /cards", input);
    const headers = { ...request.headers, "idempotency-key": `named-${face}` };
    const answers: Answer[] = [];
    const logged = await loggedDuring(async () => {
      for (let n = 0; n < 2; n += 1) answers.push(await as(owner).send({ ...request, headers }));
    });
    expect(logged).toHaveLength(1);
    for (const answer of answers) expectHeaders(answer, logged);
    expect(answers.map((answer) => answer.headers["idempotent-replayed"])).toEqual([undefined, "true"]);
  }
});
