// The access matrix's twin for secondary identifiers: whoever may do everything names something that is unknown or belongs
// elsewhere, in every field that takes an identifier. It is refused and changes nothing.

import { describe, expect, test } from "vitest";
import { operationsOf } from "../../src/api/rest.js";
import { appRouter } from "../../src/router.js";
import { type Answer, testApp } from "../helpers/app.js";
import { RECOVERY_ENVIRONMENT } from "../helpers/recovery.js";
import { type Outcome, unknownOutcomeOf } from "./contract.js";
import { CROSSED, isBuilt } from "./crossing.js";
import { type Face, faultOf, requestOf } from "./requests.js";
import { allRows } from "./rows/index.js";
import { type Input, listed, type Row, type Scene, targetOf } from "./rows.js";
import { SECONDARY, type Secondary } from "./secondary.js";
import { stateOf } from "./state.js";
import { worldMakers } from "./world.js";

const app = await testApp({ ...RECOVERY_ENVIRONMENT, WEBHOOK_ALLOW_PRIVATE: "true", TRELLO_APP_KEY: "key" });
const makers = worldMakers(app);
const world = await makers.world();
// Admin operations are not there for anybody else.
await app.make.instanceAdmin(world.owner);
const UNKNOWN_ID = "unknownunkno";

/** The owner of the workspace, who is an admin of the other one too. */
const scene: Scene = {
  app,
  world,
  makers,
  place: world.places.open,
  placeName: "open",
  kind: "an admin",
  caller: { token: world.owner.token, person: world.owner, memberPublicId: null, notificationPublicId: null },
};

const IDENTIFIER = /PublicIds?$/;

/** The fields of an operation that take an identifier beside what it acts on. */
const secondaryFields = operationsOf(appRouter).flatMap(({ path, input }) => {
  const targets = listed(allRows[path]).map(targetOf);
  return Object.keys(input.shape)
    .filter((field) => IDENTIFIER.test(field) && !targets.includes(field))
    .map((field) => ({ path, field }));
});

interface Attempt {
  what: string;
  id: string;
  outcome: Outcome;
}

function attemptsOf(row: Row, { of, foreign, also = {}, filters }: Secondary): Attempt[] {
  const outcome = filters ? "OK" : unknownOutcomeOf(row);
  return [
    { what: "of another workspace of the caller's", id: world.other.ids[of], outcome: foreign ?? outcome },
    { what: "of a workspace of strangers", id: world.strange.ids[of], outcome: foreign ?? outcome },
    { what: "unknown", id: UNKNOWN_ID, outcome },
    ...Object.entries(also).map(([what, idIn]) => ({ what, id: idIn(world), outcome })),
  ];
}

const inputWith = (input: Input, field: string, { as }: Secondary, id: string): Input => ({
  ...input,
  [field]: as ? as(id, scene.place.ids) : id,
});

function shownBy(face: Face, { filters }: Secondary, { body }: Answer<unknown>): unknown[] {
  return filters?.(face === "REST" ? Object(body) : Object(body).result.data) ?? [];
}

async function faultsOf(path: string, row: Row, field: string, secondary: Secondary) {
  const faults: Record<string, string> = {};
  for (const { what, id, outcome } of attemptsOf(row, secondary)) {
    for (const face of CROSSED) {
      const request = requestOf(face, path, row.at, inputWith(row.input(scene), field, secondary, id));
      const res = await app.as(world.owner).send<unknown>(request);
      const fault = faultOf(face, res, outcome);
      if (fault !== null) faults[`${what} over ${face}`] = fault;
      else if (shownBy(face, secondary, res).length > 0) faults[`${what} over ${face}`] = `shows ${res.text}`;
    }
  }
  return faults;
}

const cases = Object.entries(SECONDARY)
  .filter(([path]) => isBuilt(path))
  .flatMap(([path, fields]) => Object.entries(fields).map(([field, secondary]) => ({ path, field, secondary })));

describe("something that is unknown or belongs elsewhere is refused and changes nothing", () => {
  test.each(cases)("$path: $field", async ({ path, field, secondary }) => {
    const [row] = listed(allRows[path]);
    if (row === undefined) throw new Error(`No row for ${path}`);
    const before = await stateOf(app.db);
    expect(await faultsOf(path, row, field, secondary)).toEqual({});
    expect(await stateOf(app.db)).toEqual(before);
  });
});

describe("what belongs here is taken, so that it is the identifier which is refused", () => {
  test.each(cases)("$path: $field", async ({ path, field, secondary }) => {
    const [row] = listed(allRows[path]);
    if (row === undefined) throw new Error(`No row for ${path}`);
    const { input } = (await row.fresh?.(scene)) ?? { input: row.input(scene) };
    // What a fresh call names itself is right already.
    const own = field in input ? input : inputWith(input, field, secondary, scene.place.ids[secondary.of]);
    const res = await app.as(world.owner).send<unknown>(requestOf("REST", path, row.at, own));
    expect(faultOf("REST", res, "OK")).toBe(null);
  });
});

test("`before` takes notifications of the caller's own alone", async () => {
  const own = await makers.notification(world.owner, scene.place);
  const row = { at: "GET /notifications" };
  const somebodys = world.callers["a member"].notificationPublicId ?? "";
  for (const face of CROSSED) {
    const asked = (before: string) =>
      app.as(world.owner).send<unknown>(requestOf(face, "notification.list", row.at, { before }));
    for (const before of [somebodys, UNKNOWN_ID]) expect(faultOf(face, await asked(before), "BAD_REQUEST")).toBe(null);
    expect(faultOf(face, await asked(own), "OK")).toBe(null);
  }
});

describe("the table of secondary identifiers", () => {
  test.each(secondaryFields)("has $field of $path", ({ path, field }) => {
    expect(SECONDARY[path]?.[field], `Add ${field} of ${path} to tests/access/secondary.ts`).toBeDefined();
  });

  test("names only fields that are there", () => {
    const inputs = new Map(operationsOf(appRouter).map(({ path, input }) => [path, Object.keys(input.shape)]));
    expect(cases.filter(({ path, field }) => !inputs.get(path)?.includes(field))).toEqual([]);
  });
});
