// Options that a request sets in its headers, over REST and tRPC: to happen only once, or only if nothing changed.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Idempotency, RequestOptions } from "./context.js";
import { badRequest } from "./errors.js";
import { keyHashesOf, NO_WORKSPACE } from "./idempotency.js";

/** A header that must occur once. */
export const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === "string" ? value : undefined;
};

/** The properties of an operation that decide which options it takes. */
interface Options {
  method: string;
  type: string;
  isPublic: boolean;
  secretAnswer: boolean;
}

/** The options in the headers of a request for one call; a key applies to a change with a token. */
export function requestOptionsOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { method, type, isPublic, secretAnswer }: Options,
): RequestOptions {
  const answering = {
    ifMatch: headerOf(request, "if-match") ?? null,
    setHeader: (name: string, value: string) => void reply.header(name, value),
  };
  const key = headerOf(request, "idempotency-key");
  const { caller } = request;
  if (key === undefined || isPublic || type !== "mutation" || caller === null) {
    return { idempotency: null, ...answering };
  }
  if (secretAnswer)
    throw badRequest("Not supported here: the response contains a secret and is never stored", "Idempotency-Key");
  const idempotency: Idempotency = {
    ...keyHashesOf({ header: key, method, path: request.url, body: request.body }),
    accountId: caller.accountId,
    boundWorkspaceId: caller.token.boundWorkspaceId,
    workspaceId: NO_WORKSPACE,
    isStored: false,
    etag: null,
  };
  return { idempotency, ...answering };
}
