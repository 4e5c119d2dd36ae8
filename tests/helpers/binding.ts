// A throwaway application around the binder and the tRPC endpoint, for procedures that only a test needs.

import { type AnyRouter, callTRPCProcedure } from "@trpc/server";
import Fastify from "fastify";
import { afterAll } from "vitest";
import type { Context } from "../../src/api/context.js";
import { failureOf } from "../../src/api/errors.js";
import { ResponseCache } from "../../src/api/rendered.js";
import { bindRest, type DescribedRouter, type Invoke, operationsOf, readJsonBodies } from "../../src/api/rest.js";
import { serveTrpc } from "../../src/api/trpcOverHttp.js";
import { readConfig } from "../../src/config.js";
import type { Database } from "../../src/db/client.js";
import { clientOf } from "./requests.js";

/** Serves a router without groups over REST and tRPC, to nobody in particular. */
export async function serve(router: AnyRouter & DescribedRouter, db: Database) {
  const app = Fastify({ exposeHeadRoutes: false });
  afterAll(() => app.close());
  const operations = operationsOf(router);
  const context: Context = {
    db,
    replica: db,
    config: readConfig({}),
    caller: null,
    verify: () => Promise.reject(new Error("Nobody calls")),
    hasCredentials: false,
    cookie: { mustBeAllowed: () => {}, tokenHashes: () => [], set: () => {}, clear: () => {} },
    client: { address: "127.0.0.1", userAgent: null },
    requestOptions: { idempotency: null, requestKey: null, ifMatch: null, headersOnly: false, setHeader: () => {} },
    resolve: async () => [],
    ending: new AbortController().signal,
    boards: new ResponseCache(0),
    inTurn: (_weight, work) => work(),
    inputOf: (meta) => operations.find(({ procedure }) => procedure._def.meta === meta)?.input,
  };
  app.setErrorHandler((error, _request, reply) => {
    const failure = failureOf(error);
    reply.status(failure.status).send(failure.body);
  });
  readJsonBodies(app);
  const invoke: Invoke = (_request, _reply, { path, type }, { input }) => {
    const signal = new AbortController().signal;
    const getRawInput = async () => input;
    return callTRPCProcedure({ router, path, type, ctx: context, getRawInput, signal, batchIndex: 0 });
  };
  bindRest(app, operations, invoke);
  serveTrpc(app, { router, operations, createContext: () => context, invoke, log: app.log });
  return { app, client: clientOf(app, null, () => {}) };
}
