// REST: one native Fastify route for each procedure that has OpenAPI metadata. The binder reads path, query and body into the
// procedure's input exactly as contract section 1 says; everything else is the procedure's.

import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import secureJson from "secure-json-parse";
import { z } from "zod";
import type { Caller, Terms } from "./context.js";
import { badRequest, Failure } from "./errors.js";
import { etagOfGzipped, namesWeakly } from "./etags.js";
import { type Idempotency, readKey, requestHashOf } from "./idempotency.js";
import { Rendered } from "./rendered.js";
import { plain, type Streams } from "./streams.js";
import type { Meta } from "./trpc.js";

export const REST_BASE = "/api/v1";
/** The largest body in bytes, and the largest of an import. */
export const BODY_LIMIT = 1024 * 1024;
export const LARGE_BODY_LIMIT = 64 * 1024 * 1024;

declare module "fastify" {
  interface FastifyRequest {
    /** Who calls, once the request's token was looked up. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Whether the route answers without a token. */
    open?: boolean;
    /** Counts under the limit of sign-in and sign-up. */
    authLimit?: boolean;
  }
}

/** A procedure as the router describes it. */
export interface Operation {
  /** Its place in the router, such as `board.lists.create`. */
  path: string;
  method: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
  /** The path under the REST base, parameters in braces. */
  restPath: string;
  isPublic: boolean;
  authLimit: boolean;
  bodyLimit: number;
  secretAnswer: boolean;
  etag: boolean;
  csv: boolean;
  input: z.ZodObject;
  type: "query" | "mutation" | "subscription";
}

/** What the binder reads of a router; the shape is tRPC's own. */
export interface DescribedRouter {
  _def: { procedures: Record<string, unknown> };
}

interface DescribedProcedure {
  _def: { type: string; meta?: Meta; inputs: unknown[] };
}

const isServed = (type: string): type is Operation["type"] =>
  type === "query" || type === "mutation" || type === "subscription";

function isProcedure(value: unknown): value is DescribedProcedure {
  return typeof value === "function" && "_def" in value;
}

const NO_INPUT = z.strictObject({});

function inputOf(procedure: DescribedProcedure): z.ZodObject {
  let [schema] = procedure._def.inputs;
  while (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) schema = schema.unwrap();
  return schema instanceof z.ZodObject ? schema : NO_INPUT;
}

/** Every operation of a router that is served over REST, in the order in which the router names them. */
export function operationsOf(router: DescribedRouter): Operation[] {
  return Object.entries(router._def.procedures).flatMap(([path, procedure]) => {
    if (!isProcedure(procedure)) return [];
    const { meta, type } = procedure._def;
    if (meta?.openapi === undefined || !isServed(type)) return [];
    return [
      {
        path,
        type,
        method: meta.openapi.method,
        restPath: meta.openapi.path,
        isPublic: meta.openapi.protect === false,
        authLimit: meta.authLimit ?? false,
        bodyLimit: meta.largeBody ? LARGE_BODY_LIMIT : BODY_LIMIT,
        secretAnswer: meta.secretAnswer ?? false,
        etag: meta.etag ?? false,
        csv: meta.csv ?? false,
        input: inputOf(procedure),
      },
    ];
  });
}

const INTEGER = /^-?(?:0|[1-9]\d{0,15})$/;

type ReadText = (text: string) => unknown;

/** How the text of a query parameter reads; what does not read cleanly stays text, and the schema refuses it. */
function readerOf(schema: unknown): ReadText {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable) {
    inner = inner.unwrap();
  }
  if (inner instanceof z.ZodNumber) return (text) => (INTEGER.test(text) ? Number(text) : text);
  if (inner instanceof z.ZodBoolean) return (text) => (text === "true" ? true : text === "false" ? false : text);
  return (text) => text;
}

const pathNames = (restPath: string) => [...restPath.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);

/** The input of a subscription that comes in a header: `Last-Event-ID`. */
const RESUMES = "lastEventId";

/** Where a stream is to be resumed, as input. */
export function resumption(request: FastifyRequest): { lastEventId?: string } {
  const lastEventId = headerOf(request, "last-event-id");
  return lastEventId === undefined ? {} : { [RESUMES]: lastEventId };
}

function queryReader(operation: Operation, inPath: readonly string[]) {
  const readers = Object.entries(operation.input.shape)
    .filter(([name]) => !inPath.includes(name) && !(operation.type === "subscription" && name === RESUMES))
    .map(([name, schema]) => [name, readerOf(schema)] as const);

  return (query: unknown): Record<string, unknown> => {
    const given = isRecord(query) ? query : {};
    const input: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const value = given[name];
      if (value === undefined) continue;
      if (Array.isArray(value)) throw badRequest("Must be given once", name);
      if (value === "") throw badRequest("Must not be empty", name);
      input[name] = read(String(value));
    }
    return input;
  };
}

/** Refuses a query whose percent encoding is broken, which would otherwise be read as it stands. */
function mustBeEncoded(url: string): void {
  const query = url.slice(url.indexOf("?") + 1);
  if (!url.includes("?") || !query.includes("%")) return;
  try {
    decodeURIComponent(query);
  } catch {
    throw badRequest("The query has broken percent encoding");
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function bodyReader(inPath: readonly string[]) {
  return (body: unknown): Record<string, unknown> => {
    if (body === undefined) return {};
    if (!isRecord(body)) throw badRequest("The body must be a JSON object");
    const issues = inPath
      .filter((name) => Object.hasOwn(body, name))
      .map((name) => ({ path: [name], message: "Belongs in the path, not in the body" }));
    if (issues.length > 0) throw new Failure("BAD_REQUEST", { issues });
    return body;
  };
}

/** A call of an operation: an input that it checks itself, under the terms of the request, until a stream's signal. */
export interface Call {
  input: unknown;
  terms: Terms;
  signal?: AbortSignal;
}

/** Calls an operation. */
export type Invoke = (request: FastifyRequest, operation: Operation, call: Call) => Promise<unknown>;

const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === "string" ? value : undefined;
};

/** What a request asks for in its headers; a key counts on a POST or PUT with a token. */
function termsOf(request: FastifyRequest, reply: FastifyReply, { method, isPublic, secretAnswer }: Operation): Terms {
  const answering = {
    ifMatch: headerOf(request, "if-match") ?? null,
    setHeader: (name: string, value: string) => void reply.header(name, value),
    sendAs: ({ name, type }: { name: string; type: string }) =>
      void reply.header("content-disposition", `attachment; filename="${name}"`).type(type),
  };
  const key = headerOf(request, "idempotency-key");
  const takesKey = !isPublic && (method === "POST" || method === "PUT");
  const { caller } = request;
  if (key === undefined || !takesKey || caller === null) {
    return { idempotency: null, ...answering };
  }
  if (secretAnswer) throw badRequest("The answer holds a secret and is never kept", "Idempotency-Key");
  const idempotency: Idempotency = {
    key: readKey(key),
    requestHash: requestHashOf(method, request.url, request.body),
    accountId: caller.accountId,
    boundWorkspaceId: caller.token.boundWorkspaceId,
    isReplayed: false,
    isTaken: false,
  };
  return { idempotency, ...answering };
}

/** Shorter answers are sent as they are: compressing them takes longer than sending them. */
const GZIPPED_FROM_BYTES = 4096;

/** Whether a request takes gzip; one that weighs its encodings is answered plainly. */
const takesGzip = (request: FastifyRequest): boolean =>
  (headerOf(request, "accept-encoding") ?? "").split(",").some((encoding) => encoding.trim() === "gzip");

/** Sends an answer with its entity tag, or 304 to whoever has it. */
async function sendTagged(request: FastifyRequest, reply: FastifyReply, answer: unknown): Promise<FastifyReply> {
  const rendered = answer instanceof Rendered ? answer : Rendered.of(answer);
  const gzips = rendered.body.length >= GZIPPED_FROM_BYTES && takesGzip(request);
  const vary = [reply.getHeader("vary"), "Authorization", "Accept-Encoding"].filter((name) => name !== undefined);
  reply
    .header("etag", gzips ? etagOfGzipped(rendered.etag) : rendered.etag)
    .header("cache-control", "private, no-cache")
    .header("vary", vary.join(", "));
  const known = headerOf(request, "if-none-match");
  if (known !== undefined && namesWeakly(known, rendered.etag)) return reply.status(304).send();
  reply.type("application/json; charset=utf-8");
  return gzips ? reply.header("content-encoding", "gzip").send(await rendered.gzipped()) : reply.send(rendered.body);
}

/** Registers a route for every operation; subscriptions are answered with `streams`. */
export function bindRest(
  app: FastifyInstance,
  operations: readonly Operation[],
  invoke: Invoke,
  streams?: Streams,
): void {
  for (const operation of operations) {
    const inPath = pathNames(operation.restPath);
    const hasBody = operation.method !== "GET";
    const readQuery = queryReader(operation, inPath);
    const readBody = bodyReader(inPath);
    app.route({
      method: operation.method satisfies HTTPMethods,
      url: REST_BASE + operation.restPath.replace(/\{(\w+)\}/g, ":$1"),
      bodyLimit: operation.bodyLimit,
      config: { open: operation.isPublic, authLimit: operation.authLimit },
      handler: async (request, reply) => {
        const params = isRecord(request.params) ? request.params : {};
        mustBeEncoded(request.url);
        const rest = hasBody ? readBody(request.body) : readQuery(request.query);
        const terms = termsOf(request, reply, operation);
        const input = { ...rest, ...params };
        if (operation.type === "subscription") {
          const resumed = { ...input, ...resumption(request) };
          return streams?.answer(request, reply, plain, (signal) =>
            invoke(request, operation, { input: resumed, terms, signal }),
          );
        }
        const answer = await invoke(request, operation, { input, terms });
        if (terms.idempotency?.isReplayed) reply.header("idempotent-replayed", "true");
        return operation.etag ? sendTagged(request, reply, answer) : answer;
      },
    });
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw badRequest("The body is not UTF-8");
  }
}

/**
 * Reads bodies as the contract says: JSON also without a content type, nothing at all as no body, anything else refused. Keys
 * such as `__proto__` are refused here, because they would vanish on the way.
 */
export function readJsonBodies(app: FastifyInstance, parse: (text: string) => unknown = parseJson): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return undefined;
    const contentType = request.headers["content-type"];
    if (contentType !== undefined && !JSON_TYPE.test(contentType)) throw new Failure("UNSUPPORTED_MEDIA_TYPE");
    return parse(decode(body));
  });
}

/** JSON text as a value; BAD_REQUEST where it is none or holds a key that would reach a prototype. */
export function parseJson(text: string): unknown {
  try {
    return secureJson.parse(text, null, { protoAction: "error", constructorAction: "error" });
  } catch {
    throw badRequest("The body is not valid JSON, or holds a key such as __proto__");
  }
}
