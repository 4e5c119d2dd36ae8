// Options that a request sets in its headers, over REST and tRPC: to happen only once, only if nothing changed, or
// to be recognised in its events.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { RequestOptions } from "./context.js";
import { badRequest } from "./errors.js";
import { keyHashesOf, NO_WORKSPACE } from "./idempotency.js";

/** A header that must occur once. */
export const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === "string" ? value : undefined;
};

const REQUEST_KEY = /^[A-Za-z0-9_-]{8,32}$/;

/** The header `Request-Key` of a change (clients section 1, Own echo). @throws BAD_REQUEST for one of another form; the issue names it. */
function requestKeyOf(request: FastifyRequest, type: string): string | null {
  const key = type === "mutation" ? request.headers["request-key"] : undefined;
  if (key === undefined) return null;
  if (typeof key !== "string" || !REQUEST_KEY.test(key))
    throw badRequest("Must be 8 to 32 characters: letters, digits, underscores and hyphens", "Request-Key");
  return key;
}

/** The properties of an operation that decide which options it takes. */
interface Options {
  method: string;
  type: string;
  isPublic: boolean;
  secretAnswer?: true;
}

/** The options in the headers of a request for one call; a key applies to a change with a token. */
export function requestOptionsOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { method, type, isPublic, secretAnswer }: Options,
): RequestOptions {
  const options: RequestOptions = {
    idempotency: null,
    requestKey: requestKeyOf(request, type),
    ifMatch: headerOf(request, "if-match") ?? null,
    headersOnly: request.method === "HEAD",
    setHeader: (name, value) => void reply.header(name, value),
  };
  const key = headerOf(request, "idempotency-key");
  const { caller } = request;
  if (key === undefined || isPublic || type !== "mutation" || caller === null) return options;
  if (secretAnswer)
    throw badRequest("Not supported here: the response contains a secret and is never stored", "Idempotency-Key");
  options.idempotency = {
    ...keyHashesOf({ header: key, method, path: request.url, body: request.body }),
    accountId: caller.accountId,
    boundWorkspaceId: caller.token.boundWorkspaceId,
    workspaceId: NO_WORKSPACE,
    isStored: false,
    etag: null,
  };
  return options;
}
