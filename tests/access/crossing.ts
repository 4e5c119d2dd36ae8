// Crosses rows with callers: every procedure is called by everyone, over REST and over tRPC, and answers what the contract says.
// Whoever is refused changes nothing, and whoever may does what the call is for.

import { describe, expect, test } from "vitest";
import type { Database } from "../../src/db/client.js";
import { appRouter } from "../../src/router.js";
import { type Answer, contentsOf, testApp } from "../helpers/app.js";
import { providerEnvironment } from "../helpers/issuer.js";
import { RECOVERY_ENVIRONMENT } from "../helpers/recovery.js";
import type { RawRequest } from "../helpers/requests.js";
import { type CallerName, callerNames, methodOf, outcomeOf, type PlaceName, unknownOutcomeOf } from "./contract.js";
import { FACES, type Face, faultOf, requestOf } from "./requests.js";
import { type Call, listed, placesOf, type Row, type Rows, type Scene, targetOf } from "./rows.js";
import { leakOf } from "./secrets.js";
import { stateOf } from "./state.js";
import { worldMakers } from "./world.js";

export const isBuilt = (path: string) => path in appRouter._def.procedures;

const ENVIRONMENT = { ...RECOVERY_ENVIRONMENT, WEBHOOK_ALLOW_PRIVATE: "true", TRELLO_APP_KEY: "key" };
const UNKNOWN_ID = "unknownunkno";
/** Who may as much as anyone, and who may nothing: both learn the same of what does not exist. */
const ASKING_FOR_UNKNOWN: readonly CallerName[] = ["an admin", "a stranger"];

/** Both faces call the same procedures: over tRPC they are crossed where the slow tests run. */
export const CROSSED: readonly Face[] = process.env.SLOW_TESTS ? FACES : ["REST"];

const isMutation = (row: Row) => methodOf(row) !== "GET";

function changesBy(row: Row, kind: CallerName): boolean {
  const { changes = isMutation(row) } = row;
  return typeof changes === "function" ? changes(kind) : changes;
}

type Stage = Pick<Scene, "app" | "makers" | "world">;
type Faults = Record<string, string>;

function sceneOf(stage: Stage, kind: CallerName, placeName: PlaceName): Scene {
  const { places, callers } = stage.world;
  return { ...stage, place: places[placeName], placeName, kind, caller: callers[kind] };
}

const clientOf = ({ app }: Stage, { token }: { token: string | null }) =>
  token === null ? app.anonymous : app.as({ token });

/** Opens a stream and leaves it: its status is all that is asked. */
async function opened({ app }: Stage, { url, headers }: RawRequest, token: string | null): Promise<Answer<unknown>> {
  const leaving = new AbortController();
  const response = await fetch((await app.listening()) + url, {
    headers: { ...headers, ...(token !== null && { authorization: `Bearer ${token}` }) },
    signal: leaving.signal,
  });
  leaving.abort();
  return { status: response.status, body: null, headers: Object.fromEntries(response.headers), text: "" };
}

async function faultOfCall(face: Face, path: string, row: Row, scene: Scene, call: Call): Promise<string | null> {
  const outcome = outcomeOf(row, scene.kind, scene.placeName);
  const by = call.by ?? scene.caller;
  const request = requestOf(face, path, row.at, call.input);
  const isOpened = row.stream && outcome === "OK";
  const res = isOpened ? await opened(scene, request, by.token) : await clientOf(scene, by).send<unknown>(request);
  return faultOf(face, res, outcome) ?? (outcome === "OK" ? leakOf(res, scene.kind, scene.world, call) : null);
}

async function idleFaults(path: string, row: Row, scenes: readonly Scene[]): Promise<Faults> {
  const faults: Faults = {};
  for (const scene of scenes) {
    for (const face of facesOf(row)) {
      const fault = await faultOfCall(face, path, row, scene, { input: row.input(scene) });
      if (fault !== null) faults[`${scene.kind} over ${face}`] = fault;
    }
  }
  return faults;
}

async function activeFaults(path: string, row: Row, scenes: readonly Scene[]): Promise<Faults> {
  const faults: Faults = {};
  // Whatever is done on a board stands in the log of its workspace; the digest of all that is stored is dearer.
  const read = async (db: Database) => JSON.stringify(await (row.on === "board" ? contentsOf : stateOf)(db));
  let before: string | null = null;
  for (const scene of scenes) {
    for (const face of CROSSED) {
      const call = (await row.fresh?.(scene)) ?? { input: row.input(scene) };
      // What one call left is what the next one finds, unless something was made for it.
      if (before === null || row.fresh !== undefined) before = await read(scene.app.db);
      const fault = await faultOfCall(face, path, row, scene, call);
      const after = await read(scene.app.db);
      const changed = after !== before;
      before = after;
      const isRight = changed === changesBy(row, scene.kind);
      if (fault !== null) faults[`${scene.kind} over ${face}`] = fault;
      else if (!isRight) faults[`${scene.kind} over ${face}`] = changed ? "changed something" : "changed nothing";
    }
  }
  return faults;
}

async function unknownFaults(path: string, row: Row, target: string, scenes: readonly Scene[]): Promise<Faults> {
  const faults: Faults = {};
  for (const scene of scenes) {
    const input = row.input(scene);
    const unknown = Array.isArray(input[target]) ? [UNKNOWN_ID] : UNKNOWN_ID;
    for (const face of facesOf(row)) {
      const request = requestOf(face, path, row.at, { ...input, [target]: unknown });
      const res = await clientOf(scene, scene.caller).send<unknown>(request);
      const fault = faultOf(face, res, unknownOutcomeOf(row));
      if (fault !== null) faults[`${scene.kind} over ${face}`] = fault;
    }
  }
  return faults;
}

async function expectIdle({ app }: Stage, faults: () => Promise<Faults>): Promise<void> {
  const before = await stateOf(app.db);
  expect(await faults()).toEqual({});
  expect(await stateOf(app.db)).toEqual(before);
}

function crossRow(stage: Stage, path: string, row: Row): void {
  const name = row.case === undefined ? row.at : `${row.at}, ${row.case}`;
  const scenesOf = (kinds: readonly CallerName[], placeName: PlaceName) =>
    kinds.map((kind) => sceneOf(stage, kind, placeName));

  for (const placeName of placesOf(row)) {
    const isActive = (kind: CallerName) => isMutation(row) && outcomeOf(row, kind, placeName) === "OK";
    test(row.on === "board" ? `${name}: on the ${placeName} board` : name, async () => {
      const idle = callerNames.filter((kind) => !isActive(kind));
      await expectIdle(stage, () => idleFaults(path, row, scenesOf(idle, placeName)));
      expect(await activeFaults(path, row, scenesOf(callerNames.filter(isActive), placeName))).toEqual({});
    });
  }

  if (row.on === "board" && isMutation(row)) {
    test(`${name}: on an archived board whoever may not is told so, not that it is archived`, async () => {
      const scenes = scenesOf(refusedBy(row), "open").map((scene) => ({ ...scene, place: stage.world.archived }));
      await expectIdle(stage, () => idleFaults(path, row, scenes));
    });
  }

  const target = targetOf(row);
  if (target === undefined) return;
  test(`${name}: of something unknown`, () =>
    expectIdle(stage, () => unknownFaults(path, row, target, scenesOf(ASKING_FOR_UNKNOWN, "open"))));
}

export async function cross(rows: Rows): Promise<void> {
  const app = await testApp({ ...ENVIRONMENT, ...(await providerEnvironment()) });
  const makers = worldMakers(app);
  const stage: Stage = { app, makers, world: await makers.world() };
  for (const [path, entry] of Object.entries(rows).filter(([name]) => isBuilt(name))) {
    describe(path, () => {
      for (const row of listed(entry)) crossRow(stage, path, row);
    });
  }
}

const refusedBy = (row: Row) => callerNames.filter((kind) => outcomeOf(row, kind, "open") !== "OK");

/** A stream is asked for over REST alone as well. */
const facesOf = (row: Row): readonly Face[] => (row.stream || row.restOnly ? ["REST"] : CROSSED);

/** How many calls a set of rows makes: the matrix, and beside it the archived board and the unknown targets. */
export function sizeOf(rows: Rows) {
  const built = Object.entries(rows).filter(([path]) => isBuilt(path));
  const all = built.flatMap(([, entry]) => listed(entry));
  const cells = all.map((row) => placesOf(row).length * facesOf(row).length * callerNames.length);
  const unknown = all.map((row) => (targetOf(row) ? ASKING_FOR_UNKNOWN.length * facesOf(row).length : 0));
  const archived = all.map((row) =>
    row.on === "board" && isMutation(row) ? refusedBy(row).length * CROSSED.length : 0,
  );
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    procedures: built.length,
    rows: all.length,
    calls: sum(cells),
    archived: sum(archived),
    unknown: sum(unknown),
  };
}
