// The tRPC client of tests, over the application without a socket.

import { createTRPCClient, httpBatchLink, TRPCClientError } from "@trpc/client";
import type { FastifyInstance } from "fastify";
import { expect } from "vitest";
import { ERRORS, type ErrorCode } from "../../src/api/errors.js";
import type { AppRouter } from "../../src/router.js";
import { expectIssues } from "./requests.js";

function fetchFrom(app: FastifyInstance): typeof fetch {
  return async (resource, init) => {
    const request = new Request(resource, init);
    const url = new URL(request.url);
    const response = await app.inject({
      method: request.method === "POST" ? "POST" : "GET",
      url: url.pathname + url.search,
      headers: Object.fromEntries(request.headers),
      payload: Buffer.from(await request.arrayBuffer()),
    });
    return new Response(response.body, {
      status: response.statusCode,
      headers: { "content-type": String(response.headers["content-type"]) },
    });
  };
}

/** A typed client for whoever has the token. Calls made in the same tick travel as one batch. */
export function trpcClientOf(app: FastifyInstance, token: string | null) {
  return createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: "http://localhost/trpc",
        headers: token === null ? {} : { authorization: `Bearer ${token}` },
        fetch: fetchFrom(app),
      }),
    ],
  });
}

/** Asserts that a tRPC call fails with this error, in exactly the shape of the contract. */
export async function expectTrpcError(
  call: Promise<unknown>,
  code: ErrorCode,
  at?: string | (string | number)[],
): Promise<void> {
  const error: unknown = await call.then(
    () => expect.fail(`expected ${code}, but the call succeeded`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof TRPCClientError)) throw error;
  expect(error.message).toBe(ERRORS[code].message);
  expect(error.data).toEqual({ code, httpStatus: ERRORS[code].status, issues: expect.any(Array) });
  expectIssues(error.data.issues, at);
}
