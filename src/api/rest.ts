// REST: one native Fastify route for each procedure that has OpenAPI metadata. The binder reads path, query and body into the
// procedure's input exactly as contract section 1 says; everything else is the procedure's.

import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { z } from "zod";
import { CONNECTION_LIMITS } from "./connections.js";
import type { Caller, Context, RequestOptions } from "./context.js";
import { sendFile } from "./downloads.js";
import { badRequest, ISSUES_MAX, refusedWith, unsupportedMediaType } from "./errors.js";
import { etagOfGzipped, namesTag } from "./etags.js";
import { unknownName } from "./inputMessages.js";
import { decode, isRecord, parseJson } from "./json.js";
import { BODY_LIMIT, LARGE_BODY_LIMIT } from "./largeBodies.js";
import { Prepared } from "./preparedInputs.js";
import { Rendered } from "./rendered.js";
import { headerOf, requestOptionsOf } from "./requestOptions.js";
import { plain, type Streams, sentHeaders } from "./streams.js";
import type { Meta, Traits } from "./trpc.js";

export const REST_BASE = "/api/v1";

declare module "fastify" {
  interface FastifyRequest {
    /** The caller, once the request's token was looked up. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** The operation that the route calls. A route of tRPC names it only if it takes large bodies. */
    operation?: Operation;
  }
}

/** A procedure as the router describes it. */
export interface Operation extends Traits {
  /** Its place in the router, such as `board.lists.create`. */
  path: string;
  procedure: DescribedProcedure;
  method: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
  /** The path under the REST base, parameters in braces. */
  restPath: string;
  isPublic: boolean;
  bodyLimit: number;
  /** Whether it answers with a file, whose address a person may open from anywhere. */
  isDownload: boolean;
  input: z.ZodObject;
  type: "query" | "mutation" | "subscription";
}

/** The part of a router that the binder reads; the shape is tRPC's own. */
export interface DescribedRouter {
  _def: { procedures: Record<string, unknown> };
}

/** The part of a procedure that the binder reads, and the call of it. */
interface DescribedProcedure {
  _def: { type: string; meta?: Meta; inputs: unknown[] };
  (call: ProcedureCall): Promise<unknown>;
}

/** The part of a call that our procedures use: tRPC copies each field of it several times on the way. */
interface ProcedureCall {
  getRawInput: () => Promise<unknown>;
  ctx: Context;
  /** The signal that ends a stream. */
  signal?: AbortSignal;
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
        ...meta,
        path,
        procedure,
        type,
        method: meta.openapi.method,
        restPath: meta.openapi.path,
        isPublic: meta.openapi.protect === false,
        bodyLimit: meta.largeBody ? LARGE_BODY_LIMIT : BODY_LIMIT,
        isDownload: meta.csv === true || meta.file !== undefined,
        input: inputOf(procedure),
      },
    ];
  });
}

const INTEGER = /^-?(?:0|[1-9]\d{0,15})$/;

type ReadText = (text: string) => unknown;

/** Parses the text of a query parameter; text that does not parse cleanly stays text, and the schema refuses it. */
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

/** The input of a subscription that a header has, too: `Last-Event-ID`, which counts first. */
const RESUMES = "lastEventId";

/** The position at which a stream resumes, as input. An empty header is none: browsers send it before the first event. */
export function resumption(request: FastifyRequest): { lastEventId?: string } {
  const lastEventId = headerOf(request, "last-event-id");
  return lastEventId === undefined || lastEventId === "" ? {} : { [RESUMES]: lastEventId };
}

/** Refuses names that an operation has not. Those that begin with `_` are for caches, and ignored. */
function mustBeKnown(names: readonly string[], known: readonly string[], inPath: readonly string[]): void {
  const issues = names
    .filter((name) => !known.includes(name) && !name.startsWith("_"))
    .slice(0, ISSUES_MAX)
    .map((name) => ({
      path: [name],
      message: inPath.includes(name) ? "Belongs in the path, not in the query" : unknownName("parameter", name, known),
    }));
  if (issues.length > 0) throw refusedWith("BAD_REQUEST", issues);
}

function queryReader(operation: Operation, inPath: readonly string[]) {
  const takesQuery = operation.method === "GET" || operation.takesForm;
  const readers = Object.entries(takesQuery ? operation.input.shape : {})
    .filter(([name]) => !inPath.includes(name))
    .map(([name, schema]) => [name, readerOf(schema)] as const);
  const known = readers.map(([name]) => name);

  return (query: unknown): Record<string, unknown> => {
    const fields = isRecord(query) ? query : {};
    mustBeKnown(Object.keys(fields), known, inPath);
    const input: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const value = fields[name];
      if (value === undefined) continue;
      if (Array.isArray(value)) throw badRequest("Must be given once", name);
      if (value === "" && name === RESUMES) continue;
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
    throw badRequest("The query has invalid percent-encoding");
  }
}

function bodyReader(inPath: readonly string[]) {
  return (body: unknown): Record<string, unknown> => {
    if (body === undefined) return {};
    if (!isRecord(body)) throw badRequest("The body must be a JSON object");
    const issues = inPath
      .filter((name) => Object.hasOwn(body, name))
      .map((name) => ({ path: [name], message: "Belongs in the path, not in the body" }));
    if (issues.length > 0) throw refusedWith("BAD_REQUEST", issues);
    return body;
  };
}

/** A call of an operation: an input that it checks itself, under the options of the request, until a stream's signal. */
interface Call {
  input: unknown;
  requestOptions: RequestOptions;
  signal?: AbortSignal;
}

/** Calls an operation. */
export type Invoke = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  call: Call,
) => Promise<unknown>;

/** Shorter answers are sent as they are: compressing them takes longer than sending them. */
const GZIPPED_FROM_BYTES = 4096;

/** Whether a request accepts gzip; one with quality values gets uncompressed bytes. */
const takesGzip = (request: FastifyRequest): boolean =>
  (headerOf(request, "accept-encoding") ?? "").split(",").some((encoding) => encoding.trim() === "gzip");

/** The content type of answers as JSON. */
export const JSON_UTF8 = "application/json; charset=utf-8";

/** Adds to the request headers that an answer depends on. */
export function vary(reply: FastifyReply, ...names: string[]): void {
  const all = [reply.getHeader("vary"), ...names].filter((name) => name !== undefined);
  reply.header("vary", all.join(", "));
}

const gzips = (request: FastifyRequest, { size }: Rendered) => size >= GZIPPED_FROM_BYTES && takesGzip(request);

/** Sends headers alone, without the length that Fastify would give to an empty body. */
export function sendHeaders(reply: FastifyReply): FastifyReply {
  const { raw } = reply.hijack();
  raw.writeHead(reply.statusCode, sentHeaders(reply));
  raw.end();
  return reply;
}

/** Sends chunks as they are, without a copy for each client that has not taken them yet. */
export function sendChunks(reply: FastifyReply, chunks: readonly Buffer[]): FastifyReply {
  const [only] = chunks;
  if (chunks.length === 1) return reply.send(only);
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  const { raw } = reply.header("content-length", size).hijack();
  // Of a client that has hung up.
  raw.on("error", () => {});
  raw.writeHead(reply.statusCode, sentHeaders(reply));
  raw.cork();
  for (const chunk of chunks) raw.write(chunk);
  raw.end();
  return reply;
}

async function sendBytes(request: FastifyRequest, reply: FastifyReply, rendered: Rendered): Promise<FastifyReply> {
  if (!gzips(request, rendered)) return sendChunks(reply, rendered.chunks());
  return sendChunks(reply.header("content-encoding", "gzip"), await rendered.gzipped());
}

/** Lets no cache store an answer that may be for its caller alone, nor give an answer with an ETag to whoever has another cookie. */
export function keepPrivate(reply: FastifyReply): void {
  vary(reply, "Cookie");
  reply.header("cache-control", "private, no-store");
}

/** Sends an answer with its entity tag, or 304 if the client has it. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, answer: unknown): Promise<FastifyReply> {
  const rendered = answer instanceof Rendered ? answer : Rendered.of(answer);
  vary(reply, "Authorization");
  reply.type(JSON_UTF8);
  return sendRendered(request, reply, rendered, "private, no-cache");
}

/** Sends bytes with their entity tag, as gzip if the client accepts it, or 304 if it has this version. The reply has its type. */
export async function sendRendered(
  request: FastifyRequest,
  reply: FastifyReply,
  rendered: Rendered,
  cacheControl: string,
): Promise<FastifyReply> {
  vary(reply, "Accept-Encoding");
  reply
    .header("etag", gzips(request, rendered) ? etagOfGzipped(rendered.etag) : rendered.etag)
    .header("cache-control", cacheControl);
  const known = headerOf(request, "if-none-match");
  if (known !== undefined && namesTag(known, rendered.etag)) {
    return sendHeaders(reply.status(304).removeHeader("content-type"));
  }
  return sendBytes(request, reply, rendered);
}

/** Sends an answer without an entity tag. */
export async function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: unknown): Promise<unknown> {
  if (!(answer instanceof Rendered)) return answer;
  vary(reply, "Accept-Encoding");
  reply.type(JSON_UTF8);
  return sendBytes(request, reply, answer);
}

/** Keeps the place of a large body until the work on it is done. */
export const whileHeld = <T>({ held }: FastifyRequest, work: Promise<T>): Promise<T> =>
  held === null || held === undefined ? work : held.during(work);

/** Names the file as which an answer is sent. */
const fileSender =
  (reply: FastifyReply): NonNullable<RequestOptions["sendAs"]> =>
  ({ name, type }) =>
    void reply.header("content-disposition", `attachment; filename="${name}"`).type(type);

/** The dependencies of responses beside an operation. */
interface Answering {
  /** Answers subscriptions. */
  streams?: Streams;
  /** For how long the client of a file may take nothing, in milliseconds. */
  stalledMs?: number;
}

/** Registers a route for every operation. */
export function bindRest(
  app: FastifyInstance,
  operations: readonly Operation[],
  invoke: Invoke,
  { streams, stalledMs = CONNECTION_LIMITS.stalledMs }: Answering = {},
): void {
  for (const operation of operations) {
    const inPath = pathNames(operation.restPath);
    const hasBody = operation.method !== "GET";
    const readQuery = queryReader(operation, inPath);
    const readBody = bodyReader(inPath);
    const readInput = ({ params, query, body }: FastifyRequest): object => {
      const fromQuery = readQuery(query);
      if (body instanceof Prepared) return body;
      return Object.assign({}, params, hasBody ? readBody(body) : null, fromQuery);
    };
    app.route({
      method: operation.method satisfies HTTPMethods,
      url: REST_BASE + operation.restPath.replace(/\{(\w+)\}/g, ":$1"),
      bodyLimit: operation.bodyLimit,
      config: { operation },
      handler: async (request, reply) => {
        mustBeEncoded(request.url);
        const input = readInput(request);
        const requestOptions = requestOptionsOf(request, reply, operation);
        if (operation.isDownload) requestOptions.sendAs = fileSender(reply);
        if (operation.type === "subscription") {
          const resumed = { ...input, ...resumption(request) };
          return streams?.answer(request, reply, plain, (signal) =>
            invoke(request, reply, operation, { input: resumed, requestOptions, signal }),
          );
        }
        const answer = await whileHeld(request, invoke(request, reply, operation, { input, requestOptions }));
        if (operation.isDownload && requestOptions.headersOnly) return sendHeaders(reply);
        if (answer instanceof Readable) return sendFile(request, reply, answer, stalledMs);
        return operation.etag ? sendTagged(request, reply, answer) : sendAnswer(request, reply, answer);
      },
    });
  }
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;

/** Reads bodies: `parse` turns a text that may have `bytesMax` into the handler's input, and `readLarge`, if given, reads bodies over 1 MiB. */
interface Reading {
  parse?: (text: string, bytesMax: number) => unknown;
  readLarge?: ((request: FastifyRequest) => Promise<Prepared>) | undefined;
}

/**
 * Reads bodies as the contract says: JSON also without a content type, nothing at all as no body, anything else refused. Keys
 * such as `__proto__` are refused here, because they would vanish on the way.
 */
export function readJsonBodies(app: FastifyInstance, { parse = parseJson, readLarge }: Reading = {}): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    const { config, bodyLimit } = request.routeOptions;
    const isLarge = (request.held?.size ?? 0) > BODY_LIMIT;
    if (body.length === 0 && !isLarge) return undefined;
    const contentType = request.headers["content-type"];
    if (config.operation?.takesForm && FORM_TYPE.test(contentType ?? "")) return undefined;
    if (contentType !== undefined && !JSON_TYPE.test(contentType)) throw unsupportedMediaType();
    return readLarge === undefined || !isLarge ? parse(decode(body), bodyLimit) : readLarge(request);
  });
}
