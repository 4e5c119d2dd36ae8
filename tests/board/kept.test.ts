// A board that is answered from memory is the board as it stands: whatever any operation changes of it, the next answer has it.
// Generated from the rows of the access matrix, so that an operation is covered the day it is added.

import { describe, expect, test } from "vitest";
import { Tokens } from "../../src/access/tokens.js";
import { RenderedAnswers } from "../../src/api/rendered.js";
import { readBoard } from "../../src/board/reading.js";
import { readConfig } from "../../src/config.js";
import { type CallerName, methodOf, outcomeOf } from "../access/contract.js";
import { isBuilt } from "../access/crossing.js";
import { requestOf } from "../access/requests.js";
import { allRows } from "../access/rows/index.js";
import { listed, type Row, type Scene } from "../access/rows.js";
import { worldMakers } from "../access/world.js";
import { ok, testApp, unique } from "../helpers/app.js";

const app = await testApp({ WEBHOOK_ALLOW_PRIVATE: "true" });
const makers = worldMakers(app);
const world = await makers.world();
const place = world.places.private;
const path = `/boards/${place.ids.boardPublicId}`;

/** Everyone of them reads the board, and each sees it differently. */
const KINDS = ["an admin", "a member on the private board", "a guest of the board"] as const satisfies CallerName[];

const tokenOf = (kind: CallerName) => world.callers[kind].token ?? "";

/** The board as it is read where nothing is kept. */
async function freshly(token: string): Promise<string> {
  const user = await new Tokens(app.db).callerOf(`Bearer ${token}`);
  if (user === null) throw new Error("The reader has no token any longer");
  const terms = { idempotency: null, ifMatch: null, setHeader: () => {} };
  const ctx = { db: app.db, config: readConfig({}), user, terms, boards: new RenderedAnswers(0) };
  return JSON.stringify(await readBoard(ctx, place.ids.boardPublicId, {}));
}

async function staleFor(kinds: readonly CallerName[]): Promise<CallerName[]> {
  const stale: CallerName[] = [];
  for (const kind of kinds) {
    const token = tokenOf(kind);
    const kept = await app.as({ token }).get(path);
    if (kept.status === 200 && kept.text !== (await freshly(token))) stale.push(kind);
  }
  return stale;
}

const sceneOf = (kind: CallerName): Scene => ({
  app,
  makers,
  world,
  place,
  placeName: "private",
  kind,
  caller: world.callers[kind],
});

/** What a row is for, ready to be done. */
async function prepared(name: string, row: Row, kind: CallerName): Promise<() => Promise<unknown>> {
  const scene = sceneOf(kind);
  const call = (await row.fresh?.(scene)) ?? { input: row.input(scene) };
  const by = call.by ?? scene.caller;
  const client = by.token === null ? app.anonymous : app.as({ token: by.token });
  // What the makers store past the service, no event tells of: this one makes the board be read again.
  const description = unique("Description");
  ok(await app.as(world.owner).put(`/workspaces/${place.ids.workspacePublicId}`, { description }));
  return () => client.send(requestOf("REST", name, row.at, call.input));
}

const mutations = Object.entries(allRows)
  .filter(([name]) => isBuilt(name))
  .flatMap(([name, rows]) => listed(rows).map((row) => ({ name, row, title: `${name} ${row.case ?? ""}` })))
  .filter(({ row }) => methodOf(row) !== "GET");

describe("a kept board is the board as it stands after", () => {
  test.each(mutations)("$title", async ({ name, row }) => {
    const allowed = KINDS.filter((kind) => outcomeOf(row, kind, "private") === "OK");
    for (const kind of allowed) {
      const act = await prepared(name, row, kind);
      expect(await staleFor(KINDS)).toEqual([]);
      await act();
      expect([kind, await staleFor(KINDS)]).toEqual([kind, []]);
    }
  });

  test("a favourite, which is the caller's own", async () => {
    const token = tokenOf("an admin");
    const before = await app.as({ token }).get<{ isFavourite: boolean }>(path);
    ok(await app.as({ token }).put(path, { isFavourite: !before.body.isFavourite }));
    expect((await app.as({ token }).get(path)).text).not.toBe(before.text);
    expect(await staleFor(KINDS)).toEqual([]);
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
          .put(`/workspaces/${place.ids.workspacePublicId}`, { showEmailsToMembers }),
      );
      expect((await app.as({ token: tokenOf(member) }).get(path)).text).not.toBe(before);
      expect(await staleFor(KINDS)).toEqual([]);
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
