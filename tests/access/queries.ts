// One valid call of every query of the router, as an admin makes it on the world of the access matrix.

import { sql } from "drizzle-orm";
import { operationsOf } from "../../src/api/rest.js";
import { appRouter } from "../../src/router.js";
import { ok, type TestApp } from "../helpers/app.js";
import type { RawRequest } from "../helpers/requests.js";
import { type Face, requestOf } from "./requests.js";
import { allRows } from "./rows/index.js";
import { listed } from "./rows.js";
import { type World, worldMakers } from "./world.js";

/** Variables that every query succeeds with. */
export const QUERIES_ENV = { TRELLO_APP_KEY: "key" };

export interface Query {
  path: string;
  /** Calls it over REST, and gives the text of its answer. Throws when that is no success. */
  call(): Promise<string>;
}

const KIND = "an admin";

/** May be called once an hour. */
const HOURLY = "user.export";
const forgetExports = ({ db }: TestApp) =>
  db.rows(sql`update audit_entry set created_at = created_at - interval '1 hour' where type = 'account.exported'`);

/** A valid GET of an operation over REST and over tRPC, by a caller who may. */
export interface QueryRequest {
  path: string;
  token: string;
  isStream: boolean;
  requests: Record<Face, RawRequest>;
}

/** Makes a world, and gives a request of each operation that is a GET; one without a row in the matrix throws. */
export async function everyQueryRequest(app: TestApp): Promise<{ world: World; queries: QueryRequest[] }> {
  const makers = worldMakers(app);
  const world = await makers.world();
  const caller = world.callers[KIND];
  const scene = { app, world, makers, place: world.places.open, placeName: "open", kind: KIND, caller } as const;
  const queries = operationsOf(appRouter)
    .filter(({ method }) => method === "GET")
    .map(({ path }) => {
      const [row] = listed(allRows[path]);
      if (row === undefined) throw new Error(`${path} has no row in the access matrix`);
      const { token } = row.needs === "an instance admin" ? world.callers["an instance admin"] : caller;
      const input = row.input(scene);
      const requests = { REST: requestOf("REST", path, row.at, input), tRPC: requestOf("tRPC", path, row.at, input) };
      return { path, token: token ?? "", isStream: row.stream === true, requests };
    });
  return { world, queries };
}

/** Makes a world, and gives a call of each query that ends. */
export async function everyQuery(app: TestApp): Promise<{ world: World; queries: Query[] }> {
  const { world, queries } = await everyQueryRequest(app);
  const ending = queries.filter(({ isStream }) => !isStream);
  return {
    world,
    queries: ending.map(({ path, token, requests }) => ({
      path,
      call: async () => {
        if (path === HOURLY) await forgetExports(app);
        const answer = await app.as({ token }).send(requests.REST);
        ok(answer);
        return answer.text;
      },
    })),
  };
}
