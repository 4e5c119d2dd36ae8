// A board that is answered from memory is the board as it stands: whatever any operation changes of it, the next answer is the one
// that a process gives which keeps nothing, and a filter shows the cards of that answer that match. Generated from the rows of the access matrix, and every operation must have one.

import { describe, expect, test } from "vitest";
import { counted, etagOfBody } from "../../src/api/etags.js";
import { operationsOf } from "../../src/api/rest.js";
import { appRouter } from "../../src/router.js";
import { type CallerName, methodOf, outcomeOf, type PlaceName } from "../access/contract.js";
import { isBuilt } from "../access/crossing.js";
import { requestOf } from "../access/requests.js";
import { allRows } from "../access/rows/index.js";
import { listed, placesOf, type Row, type Scene } from "../access/rows.js";
import { worldMakers } from "../access/world.js";
import { anAddress, appOn, type Board, type Fields, ok, testApp, unique } from "../helpers/app.js";
import { mailedToken, RECOVERY_ENVIRONMENT } from "../helpers/recovery.js";
import type { Bearer } from "../helpers/requests.js";

const app = await testApp({ ...RECOVERY_ENVIRONMENT, WEBHOOK_ALLOW_PRIVATE: "true" });
/** Another process on the same database, which keeps nothing. */
const cold = await appOn(app.db, { WEBHOOK_ALLOW_PRIVATE: "true" }, { limits: { cachedBoardsBytes: 0 } });
const makers = worldMakers(app);
const world = await makers.world();
const { places } = world;
ok(await app.as(world.owner).put(`/boards/${places.open.ids.boardPublicId}`, { visibility: "public" }));
const pathOf = (place: PlaceName) => `/boards/${places[place].ids.boardPublicId}`;
const path = pathOf("private");

/** Everyone of them reads the board, and each sees it differently. */
const KINDS = ["an admin", "a member on the private board", "a guest of the board"] as const satisfies CallerName[];

const tokenOf = (kind: CallerName) => world.callers[kind].token ?? "";

const peopleOn = async (board: Board, by: Bearer = board.owner) =>
  ok(await app.as(by).get<{ members: Fields[] }>(`/boards/${board.publicId}`)).members;

const SEARCHED = "a";

/** A whole board as the filter by `SEARCHED` shows it. */
function searchedIn(text: string): string {
  const isFound = ({ title, description }: Fields) =>
    [title, description].some((value) =>
      String(value ?? "")
        .toLowerCase()
        .includes(SEARCHED),
    );
  const whole = JSON.parse(text);
  const lists = whole.lists.map((list: { cards: Fields[] }) => ({ ...list, cards: list.cards.filter(isFound) }));
  return JSON.stringify({ ...whole, lists });
}

/** Who is answered something else than where nothing is kept; `anyone` reads the public board. */
async function staleFor(kinds: readonly CallerName[]): Promise<string[]> {
  const readers = kinds.flatMap((kind) =>
    (["open", "private"] as const).map((place) => ({ kind, place, token: tokenOf(kind), at: pathOf(place) })),
  );
  const stale: string[] = [];
  for (const { kind, place, token, at } of readers) {
    const { get } = app.as({ token });
    // Both find the board as it was kept before the change.
    const [kept, filtered] = await Promise.all([get(at), get(`${at}?search=${SEARCHED}`)]);
    const fresh = await cold.as({ token }).get(at);
    const isSame = kept.status === fresh.status && kept.text === fresh.text && kept.headers.etag === fresh.headers.etag;
    if (!isSame) stale.push(`${kind} ${place}`);
    const expected = fresh.status === 200 ? searchedIn(fresh.text) : fresh.text;
    const etag = fresh.status === 200 ? etagOfBody(JSON.stringify(counted(JSON.parse(expected)))) : undefined;
    if (filtered.text !== expected || filtered.headers.etag !== etag) stale.push(`${kind} ${place}, filtered`);
  }
  const [kept, fresh] = [
    await app.anonymous.get(`/public${pathOf("open")}`),
    await cold.anonymous.get(`/public${pathOf("open")}`),
  ];
  return kept.status === fresh.status && kept.text === fresh.text ? stale : [...stale, "anyone"];
}

const sceneOf = (kind: CallerName, placeName: PlaceName): Scene => ({
  app,
  makers,
  world,
  place: places[placeName],
  placeName,
  kind,
  caller: world.callers[kind],
});

async function prepared(name: string, row: Row, scene: Scene): Promise<() => Promise<unknown>> {
  const call = (await row.fresh?.(scene)) ?? { input: row.input(scene) };
  const by = call.by ?? scene.caller;
  const client = by.token === null ? app.anonymous : app.as({ token: by.token });
  // What the makers store past the service, no event tells of: this one makes the board be read again.
  const description = unique("Description");
  ok(await app.as(world.owner).put(`/workspaces/${places.open.ids.workspacePublicId}`, { description }));
  return () => client.send(requestOf("REST", name, row.at, call.input));
}

const mutations = Object.entries(allRows)
  .filter(([name]) => isBuilt(name))
  .flatMap(([name, rows]) => listed(rows).map((row) => ({ name, row, title: `${name} ${row.case ?? ""}` })))
  .filter(({ row }) => methodOf(row) !== "GET");

test("every mutation has a row", () => {
  const names = operationsOf(appRouter).flatMap(({ type, path }) => (type === "mutation" ? path : []));
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !mutations.some((row) => row.name === name))).toEqual([]);
});

describe("a kept board is the board as it stands after", () => {
  test.each(mutations)("$title", { tags: ["slow"] }, async ({ name, row }) => {
    for (const placeName of placesOf(row)) {
      const allowed = KINDS.filter((kind) => outcomeOf(row, kind, placeName) === "OK");
      // Whoever may does the same to the board: one is enough where it is read by all.
      for (const kind of placeName === "private" ? allowed : allowed.slice(0, 1)) {
        const act = await prepared(name, row, sceneOf(kind, placeName));
        expect(await staleFor(KINDS)).toEqual([]);
        await act();
        expect([kind, placeName, await staleFor(KINDS)]).toEqual([kind, placeName, []]);
      }
    }
  });

  test("a favourite, which is the caller's own", async () => {
    const token = tokenOf("an admin");
    const before = await app.as({ token }).get<{ isFavourite: boolean }>(path);
    ok(await app.as({ token }).put(path, { isFavourite: !before.body.isFavourite }));
    expect((await app.as({ token }).get(path)).text).not.toBe(before.text);
    expect(await staleFor(KINDS)).toEqual([]);
  });

  test("the address of a member, changed and restored", async () => {
    const { board } = await app.make.board();
    const { owner } = board;
    const email = anAddress();
    ok(await app.as(owner).put("/users/me/email", { email, currentPassword: owner.password }));
    expect(await peopleOn(board)).toMatchObject([{ email: owner.email }]);
    ok(await app.anonymous.post("/auth/email/confirm", { token: await mailedToken(app.db, email, "emailChange") }));
    expect(await peopleOn(board)).toMatchObject([{ email }]);

    const token = await mailedToken(app.db, owner.email, "emailChanged");
    ok(await app.anonymous.post("/auth/email/confirm", { token }));
    const signIn = { email: owner.email, password: owner.password };
    const session = await app.anonymous.post<{ accessToken: string }>("/auth/sign-in", signIn);
    expect(await peopleOn(board, { token: ok(session).accessToken })).toMatchObject([{ email: owner.email }]);
  });

  test("an accountless guest who signs up under the same name", async () => {
    const { board } = await app.make.board();
    const { owner, workspace } = board;
    const at = `/workspaces/${workspace.publicId}`;
    const { inviteCode } = ok(await app.as(owner).post<{ inviteCode: string }>(`${at}/invites`));
    const accepted = await app.anonymous.post("/invites/accept", { inviteCode });
    const guest = { token: accepted.headers["x-access-token"] ?? "" };
    const { name } = ok(await app.as(guest).get<{ name: string }>("/users/me"));
    const members = ok(await app.as(owner).get<{ publicId: string }[]>(`${at}/members`));
    const { publicId: memberPublicId = "" } = members.at(-1) ?? {};
    ok(await app.as(owner).post(`/boards/${board.publicId}/members`, { memberPublicId }));
    expect(await peopleOn(board)).toMatchObject([{}, { name, email: null }]);

    const email = anAddress();
    ok(await app.as(guest).post("/auth/sign-up", { name, email, password: "correct horse battery" }));
    expect(await peopleOn(board)).toMatchObject([{}, { name, email }]);
  });

  test("a person's name and the workspace's setting, whoever reads", async () => {
    const [admin, member] = ["an admin", "a member on the private board"] as const;
    ok(await app.as({ token: tokenOf(member) }).put("/users/me", { name: "Somebody else" }));
    expect(await staleFor(KINDS)).toEqual([]);
    for (const showEmailsToMembers of [false, true]) {
      const before = (await app.as({ token: tokenOf(member) }).get(path)).text;
      ok(
        await app
          .as({ token: tokenOf(admin) })
          .put(`/workspaces/${places.open.ids.workspacePublicId}`, { showEmailsToMembers }),
      );
      expect((await app.as({ token: tokenOf(member) }).get(path)).text).not.toBe(before);
      expect(await staleFor(KINDS)).toEqual([]);
    }
  });

  test("nothing, when a person reads it with a token of the other scope", async () => {
    const { owner } = world;
    const reading = { token: (await app.make.token(owner, { scope: "read" })).token };
    for (const reader of [owner, reading, owner]) {
      expect((await app.as(reader).get(path)).text).toBe((await cold.as(reader).get(path)).text);
    }
  });
});

describe("a board as gzip", () => {
  test("has a tag of its own, and either tag is known again", async () => {
    const token = tokenOf("an admin");
    const get = (headers: Record<string, string>) =>
      app.as({ token }).send({ method: "GET", url: `/api/v1${path}`, headers });
    const plain = await get({});
    const zipped = await fetch(`${await app.listening()}/api/v1${path}`, {
      headers: { authorization: `Bearer ${token}`, "accept-encoding": "gzip" },
    });
    expect(await zipped.text()).toBe(plain.text);
    expect(zipped.headers.get("vary")).toContain("Accept-Encoding");
    const isLong = plain.text.length >= 4096;
    expect(zipped.headers.get("content-encoding")).toBe(isLong ? "gzip" : null);
    const etag = String(plain.headers.etag);
    expect(zipped.headers.get("etag")).toBe(isLong ? `${etag.slice(0, -1)}-gzip"` : etag);
    for (const known of [etag, `${etag.slice(0, -1)}-gzip"`]) {
      expect((await get({ "if-none-match": known })).status).toBe(304);
    }
  });
});
