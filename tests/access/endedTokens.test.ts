// A token that has just ended: a process that saw it a moment ago must not let it in again, whatever it is used for.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { operationsOf } from "../../src/api/rest.js";
import { appRouter } from "../../src/router.js";
import { expectError, ok, type Person, testApp, unique } from "../helpers/app.js";
import { RECOVERY_ENVIRONMENT } from "../helpers/recovery.js";
import { FACES, type Face, faultOf, requestOf } from "./requests.js";
import { allRows } from "./rows/index.js";
import { listed, type Row, type Scene } from "./rows.js";
import { stateOf } from "./state.js";
import { worldMakers } from "./world.js";

const app = await testApp({ ...RECOVERY_ENVIRONMENT, WEBHOOK_ALLOW_PRIVATE: "true", TRELLO_APP_KEY: "key" });
const makers = worldMakers(app);
const world = await makers.world();
const KIND = "an admin";
const scene: Scene = {
  app,
  makers,
  world,
  place: world.places.open,
  placeName: "open",
  kind: KIND,
  caller: world.callers[KIND],
};
const admin = { token: scene.caller.token ?? "" };

async function endedToken(): Promise<string> {
  const name = unique("token");
  const { publicId, accessToken } = ok(
    await app.as(admin).post<{ publicId: string; accessToken: string }>("/tokens", { name, scope: "write" }),
  );
  ok(await app.as({ token: accessToken }).get("/users/me"));
  ok(await app.as(admin).delete(`/tokens/${publicId}`));
  return accessToken;
}

const isPublic = new Set(operationsOf(appRouter).flatMap((operation) => (operation.isPublic ? operation.path : [])));

const rowsOf = (face: Face): [string, Row][] =>
  Object.entries(allRows)
    .filter(([path]) => !isPublic.has(path))
    .flatMap(([path, entry]) => listed(entry).map((row): [string, Row] => [path, row]))
    .filter(([, row]) => face === "REST" || !row.stream);

describe("a token that has just ended", () => {
  test.each(FACES)("opens no operation over %s, and changes nothing", async (face) => {
    const calls: { path: string; row: Row; token: string }[] = [];
    for (const [path, row] of rowsOf(face)) calls.push({ path, row, token: await endedToken() });
    const before = await stateOf(app.db);
    const faults: Record<string, string> = {};
    for (const { path, row, token } of calls) {
      const res = await app.as({ token }).send<unknown>(requestOf(face, path, row.at, row.input(scene)));
      const fault = faultOf(face, res, "UNAUTHORIZED");
      if (fault !== null) faults[`${path} ${row.case ?? ""}`] = fault;
    }
    expect(faults).toEqual({});
    expect(await stateOf(app.db)).toEqual(before);
    expect(calls.length).toBeGreaterThan(90);
  });

  test("is UNAUTHORIZED before its input is wrong, or its target unknown", async () => {
    const client = async () => app.as({ token: await endedToken() });
    const headers = { "content-type": "application/json" };
    const url = "/api/v1/lists";
    expectError(await (await client()).send({ method: "POST", url, headers, body: "{" }), "UNAUTHORIZED");
    expectError(await (await client()).post("/lists", { name: 7 }), "UNAUTHORIZED");
    expectError(await (await client()).get("/boards/unknownunkno"), "UNAUTHORIZED");
  });

  test.each<[string, (person: Person) => Promise<unknown>]>([
    ["by a sign-out", (person) => app.as(person).post("/auth/sign-out")],
    ["with its account", (person) => app.as(person).post("/users/me/delete", { password: person.password })],
    [
      "by its time",
      ({ publicId }) =>
        app.db.rows(sql`
          update access_token set expires_at = now()
          where account_id = (select id from account where public_id = ${publicId}::text)`),
    ],
  ])("is refused %s where it was let in a moment ago", async (_, end) => {
    const { workspace } = await app.make.workspace();
    const member = await app.make.member(workspace, "member");
    const ask = () => app.as(member).get(`/workspaces/${workspace.publicId}/permissions/me`);
    ok(await ask());
    ok(await ask());
    await end(member);
    expectError(await ask(), "UNAUTHORIZED");
  });

  test("is told from one whose owner has lost the workspace alone", async () => {
    const { owner, workspace } = await app.make.workspace();
    const member = await app.make.member(workspace, "member");
    const ask = () => app.as(member).get(`/workspaces/${workspace.publicId}/permissions/me`);
    ok(await ask());
    ok(await app.as(owner).delete(`/workspaces/${workspace.publicId}/members/${member.memberPublicId}`));
    expectError(await ask(), "FORBIDDEN");
    ok(await app.as(member).get("/users/me"));
  });
});
