// The harness. One application and one database for a test file, both gone when it ends:
//
//   const { as, anonymous, make, db } = await testApp();            // at the top of the file
//
//   test("a guest cannot rename a list", async () => {
//     const { board, list } = await make.list({ name: "Draft" });   // through HTTP; also its board, workspace and admin
//     const guest = await make.member(board, "guest");
//     const res = await as(guest).put(`/lists/${list.publicId}`, { name: "Mine" });
//     expectError(res, "FORBIDDEN");                                // or ok(res) for the body of a 200
//   });
//
// `as(person).get<Shape>(path)` names the shape of the body; `as(person).send({ method, url, body, headers })` sends anything.
// `trpcClient(person)` is a typed tRPC client, `listening()` gives a real base URL, `logs` holds every line logged.
// Limits are off unless asked for: `testApp({ RATE_LIMIT_PER_MINUTE: "5" })` takes variables of the environment, and
// `another(env)` builds a second application on the same database. Runs embedded, or on TEST_DATABASE_URL.

import type { FastifyInstance } from "fastify";
import { afterAll } from "vitest";
import { createLogger } from "../../src/api/logs.js";
import { buildApp, type Parts } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import type { Database } from "../../src/db/client.js";
import { openTestDatabase } from "./databases.js";
import { makersFor } from "./make.js";
import { type Bearer, type Client, clientOf } from "./requests.js";
import { expectNoSecrets } from "./secrets.js";
import { trpcClientOf } from "./trpc.js";

export { contentsOf } from "./databases.js";
export {
  anAddress,
  type Board,
  type Card,
  type Comment,
  freshSlug,
  type List,
  type MemberPerson,
  type Person,
  unique,
  type Workspace,
} from "./make.js";
export { type Answer, type Client, expectError, type Fields, ok } from "./requests.js";
export { expectTrpcError } from "./trpc.js";

type Environment = Record<string, string>;
type OwnParts = Pick<Parts, "replica" | "heartbeatMs" | "limits">;

/** An application with everything a test needs of it. */
export interface TestApp {
  app: FastifyInstance;
  db: Database;
  /** Calls as a person, or as whoever has a token. */
  as(person: Bearer): Client;
  anonymous: Client;
  make: ReturnType<typeof makersFor>;
  /** A tRPC client of a person, or of nobody. */
  trpcClient(person: Bearer | null): ReturnType<typeof trpcClientOf>;
  /** Listens on a free port and gives the base URL, without a slash at the end. */
  listening(): Promise<string>;
  logs: string[];
  /** A second application on the same database, with other settings. */
  another(env: Environment): Promise<TestApp>;
}

/** Starts an application on a database of its own, to be closed when the file ends. */
export async function testApp(env: Environment = {}, parts: OwnParts = {}): Promise<TestApp> {
  const database = await openTestDatabase();
  afterAll(() => database.close());
  return appOn(database.db, env, parts);
}

/** Starts an application on a database, to be closed when the file ends. */
export async function appOn(db: Database, env: Environment, parts: OwnParts = {}): Promise<TestApp> {
  const logs: string[] = [];
  const log = createLogger("trace", { write: (line) => void logs.push(line) });
  const config = readConfig({ RATE_LIMIT_PER_MINUTE: "0", AUTH_RATE_LIMIT_PER_MINUTE: "0", ...env });
  // Tests share their machine: an event loop that is late says nothing of the service.
  const app = await buildApp({ config, db, log, ...parts, limits: { loopDelayMs: 0, ...parts.limits } });
  app.phase = "ready";
  afterAll(async () => {
    await app.close();
    expectNoSecrets(logs);
  });

  const as = (person: Bearer) => clientOf(app, person.token);
  const anonymous = clientOf(app, null);
  let address: Promise<string> | undefined;
  return {
    app,
    db,
    as,
    anonymous,
    make: makersFor(as, anonymous, db),
    trpcClient: (person) => trpcClientOf(app, person?.token ?? null),
    listening: () => {
      address ??= app.listen({ host: "127.0.0.1", port: 0 });
      return address;
    },
    logs,
    another: (other) => appOn(db, { ...env, ...other }, parts),
  };
}
