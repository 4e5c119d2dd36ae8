// tRPC over HTTP: the same procedures, errors and limits as REST, in batches of up to ten calls.

import type { AnyRouter } from "@trpc/server";
import { type ResponseMetaFn, resolveResponse } from "@trpc/server/http";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context, RequestOptions } from "./context.js";
import { badRequest, type Failure, failureOf } from "./errors.js";
import { isRecord, parseJson } from "./json.js";
import { BODY_LIMIT, type LargeBodies } from "./largeBodies.js";
import { isBelow } from "./paths.js";
import { Prepared } from "./preparedInputs.js";
import { Rendered } from "./rendered.js";
import { headerOf, requestOptionsOf } from "./requestOptions.js";
import {
  type Invoke,
  JSON_UTF8,
  type Operation,
  readJsonBodies,
  resumption,
  sendAnswer,
  sendChunks,
  sendHeaders,
  sendTagged,
  vary,
  whileHeld,
} from "./rest.js";
import { type Dialect, idLine, type Message, STREAM_HEADERS, type Streams } from "./streams.js";
import { trpcErrorShape } from "./trpc.js";

export const TRPC_BASE = "/trpc";
const MAX_BATCH = 10;

interface Options {
  router: AnyRouter;
  operations: readonly Operation[];
  createContext: (request: FastifyRequest, reply: FastifyReply, requestOptions: RequestOptions) => Context;
  invoke: Invoke;
  log: FastifyBaseLogger;
  /** The reader of bodies over 1 MiB; without it, every body is read here. */
  bodies?: LargeBodies;
}

/** The operations that a tRPC request calls, undefined for unknown ones; null for any other request. */
export function callsOf(request: FastifyRequest, operations: readonly Operation[]): (Operation | undefined)[] | null {
  if (!isBelow(request, TRPC_BASE)) return null;
  const { path } = request.params as { path?: string };
  const names = (path ?? request.routeOptions.url?.slice(TRPC_BASE.length + 1) ?? "").split(",");
  return names.slice(0, MAX_BATCH + 1).map((name) => operations.find((operation) => operation.path === name));
}

/** Whether an input is in the form of superjson, the usual data transformer; no operation has such an input. */
const isTransformed = (input: unknown) => {
  const names = isRecord(input) ? Object.keys(input) : [];
  return names.length > 0 && names.every((name) => name === "json" || name === "meta");
};

/** Parses the input of a call, or those of a batch. @throws BAD_REQUEST also for inputs that a data transformer has changed. */
function parseInput(text: string, bytesMax: number): unknown {
  const input = parseJson(text, bytesMax);
  if ([input, Object(input)[0]].some(isTransformed))
    throw badRequest("The service uses no data transformer: remove `transformer` from the link of your tRPC client");
  return input;
}

/** The item of a message: if the stream has several kinds, the item has a `type`. */
function typed({ type, json, field }: Message): Message["json"][] {
  if (type === null) return [json];
  if (field !== undefined) return [`{"type":"${type}","${field}":`, json, "}"];
  if (typeof json !== "string") throw new TypeError("A rendered item of a stream has no field");
  return [`{"type":"${type}",`, json.slice(1)];
}

/** The format that tRPC's httpSubscriptionLink reads; the first message has an id too, from which its reader resumes. */
const trpcDialect: Dialect = {
  opening: (position) => `event: connected\ndata: {}\n${idLine(position)}\n`,
  message: (message) => [`${idLine(message.id)}data: `, ...typed(message), "\n\n"],
  reset: null,
  heartbeat: "event: ping\ndata:\n\n",
  end: (failure) => `event: serialized-error\ndata: ${JSON.stringify(trpcErrorShape(failure))}\n\n`,
};

/** The input of a subscription: in the query, and the position to resume from in a header, which is newer. */
function subscriptionInput(request: FastifyRequest): unknown {
  const { input } = request.query as { input?: unknown };
  const parsed = typeof input === "string" ? parseInput(input, BODY_LIMIT) : {};
  return typeof parsed === "object" ? { ...parsed, ...resumption(request) } : parsed;
}

/**
 * Registers the subscriptions, which this service sends itself: tRPC's own streams have neither limits nor an orderly end. Errors
 * before the start are sent in tRPC's format, as the only message of a stream.
 */
export function serveTrpcStreams(
  app: FastifyInstance,
  operations: readonly Operation[],
  invoke: Invoke,
  streams: Streams,
): void {
  for (const operation of operations.filter(({ type }) => type === "subscription")) {
    app.get(`${TRPC_BASE}/${operation.path}`, async (request, reply) => {
      const input = subscriptionInput(request);
      const requestOptions = requestOptionsOf(request, reply, operation);
      const subscribe = (signal: AbortSignal) => invoke(request, reply, operation, { input, requestOptions, signal });
      return streams.answer(request, reply, trpcDialect, subscribe).catch((error: unknown) => {
        const failure = failureOf(error);
        if (failure.isFault) request.log.error({ err: failure }, "request failed");
        if (failure.retryAfter !== undefined) reply.header("retry-after", failure.retryAfter);
        return reply.headers(STREAM_HEADERS).send(trpcDialect.end(failure));
      });
    });
  }
}

const isHead = ({ method }: FastifyRequest): boolean => method === "HEAD";

/** The method that decides what a request calls: HEAD calls what GET does. */
const callingMethod = (request: FastifyRequest): string => (isHead(request) ? "GET" : request.method);

/** Headers that apply to a single change. A batch has several changes, and its response cannot have the headers of one of them. */
const OF_ONE_CHANGE = ["Idempotency-Key", "If-Match", "Request-Key"];
const optionsOfBatch = (request: FastifyRequest): RequestOptions => ({
  idempotency: null,
  requestKey: null,
  ifMatch: null,
  headersOnly: isHead(request),
  setHeader: () => {},
});

/** Whether a request is in the form of a batch. tRPC's client also sends single calls in it. */
const isBatch = ({ query }: FastifyRequest): boolean => Object(query).batch === "1";

/** Whether a path names several calls. */
const hasSeveral = (path: string): boolean => path.includes(",");

/** @throws BAD_REQUEST if a path names more calls than a batch may have. */
function mustBeFew(path: string): void {
  if (path.split(",").length > MAX_BATCH)
    throw badRequest(
      `A batch has at most ${MAX_BATCH} calls: set \`maxItems: ${MAX_BATCH}\` in the batch link of your tRPC client`,
    );
}

/** @throws BAD_REQUEST naming a header that a batch of several calls does not support. */
function mustBeHeeded(request: FastifyRequest, path: string): void {
  if (!hasSeveral(path) || request.method !== "POST") return;
  const unheeded = OF_ONE_CHANGE.find((name) => headerOf(request, name.toLowerCase()) !== undefined);
  if (unheeded !== undefined) throw badRequest("Can only be sent with a single call, not with a batch", unheeded);
}

/** A part of a response: text, or a rendered answer. */
type Part = string | Rendered;

const BEFORE = '{"result":{"data":';
const AFTER = "}}";
const partsOf = (answer: Rendered): Part[] => [BEFORE, answer, AFTER];

/** The input of a single call, as its handler takes it. @throws BAD_REQUEST */
function singleInput(request: FastifyRequest): unknown {
  const { body } = request;
  if (body instanceof Prepared) return body;
  const text = callingMethod(request) === "GET" ? Object(request.query).input : body;
  if (text === undefined || text === "") return undefined;
  if (typeof text !== "string") throw badRequest("Must be given once", "input");
  const input = parseInput(text, request.routeOptions.bodyLimit);
  if (!isBatch(request)) return input;
  if (!isRecord(input)) throw badRequest("Must be an object with the input of each call of a batch", "input");
  return input[0];
}

/** The response of a single call in tRPC's format. */
function resultOf(request: FastifyRequest, data: unknown): Rendered {
  const answer = data instanceof Rendered ? data : Rendered.of(data);
  return isBatch(request) ? answer.within(`[${BEFORE}`, `${AFTER}]`) : answer.within(BEFORE, AFTER);
}

type Answered = Parameters<ResponseMetaFn<AnyRouter>>[0];

/** Whether a client takes the answers of a batch one by one, as tRPC's streamed batches send them. */
const takesLines = (request: FastifyRequest): boolean =>
  isBatch(request) &&
  [request.headers["trpc-accept"], request.headers.accept].some((value) => value?.includes("jsonl"));

const METHODS = { query: "GET", mutation: "POST", subscription: undefined };

/** The parts of the response of a batch with rendered answers, which are taken out of the results; none of any other. */
function takeRendered({ data: results }: Answered): Part[] {
  const renderedOf = (result: (typeof results)[number]) =>
    "result" in result && result.result.data instanceof Rendered ? result.result.data : null;
  if (!results.some(renderedOf)) return [];
  const parts = results.flatMap((result, index) => {
    const rendered = renderedOf(result);
    const comma = index === 0 ? [] : [","];
    if (!("result" in result) || rendered === null) return [...comma, JSON.stringify(result)];
    result.result.data = null;
    return [...comma, ...partsOf(rendered)];
  });
  return ["[", ...parts, "]"];
}

/** The part of a request that tRPC reads; its own adapters copy all headers for each call. */
function requestOf(request: FastifyRequest): Request {
  const { headers, url, body } = request;
  const method = callingMethod(request);
  const read = ["content-type", "trpc-accept", "accept"].flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value] as [string, string]] : [];
  });
  return new Request(`http://localhost${url}`, {
    method,
    headers: read,
    ...(method === "POST" && typeof body === "string" && { body }),
  });
}

/** `Retry-After` with the longest time that a failure of a batch asks for. */
function retryHeaders(errors: readonly unknown[]) {
  const retryAfter = Math.max(0, ...errors.map((error) => failureOf(error).retryAfter ?? 0));
  return retryAfter === 0 ? {} : { headers: { "retry-after": String(retryAfter) } };
}

/** Sends the answer of a single call; HEAD of a download gets the headers alone, since there is no answer. */
async function sendSingle(request: FastifyRequest, reply: FastifyReply, operation: Operation, data: unknown) {
  if (operation.isDownload && isHead(request)) {
    vary(reply, "Accept-Encoding");
    return sendHeaders(reply.type(JSON_UTF8));
  }
  const send = operation.etag ? sendTagged : sendAnswer;
  return send(request, reply, resultOf(request, data));
}

/** Sends the response that tRPC has made, or its parts where some are rendered; HEAD gets the headers alone. */
async function sendResponse(request: FastifyRequest, reply: FastifyReply, response: Response, parts: Part[]) {
  // Each way to send the response replaces the headers of the reply.
  response.headers.append("vary", String(reply.getHeader("vary")));
  if (parts.length === 0 && !isHead(request)) return reply.send(response);
  reply.status(response.status).headers(Object.fromEntries(response.headers));
  if (isHead(request)) {
    await response.body?.cancel();
    return sendHeaders(reply);
  }
  const chunks = parts.flatMap((part) => (typeof part === "string" ? Buffer.from(part) : part.chunks()));
  return sendChunks(reply, chunks);
}

/** Answers the calls that come to the tRPC endpoint. */
class TrpcCalls {
  readonly #options: Options;
  readonly #called: ReadonlyMap<string, Operation>;

  constructor(options: Options) {
    this.#options = options;
    this.#called = new Map(options.operations.map((operation) => [operation.path, operation]));
  }

  #failed(request: FastifyRequest, error: unknown): Failure {
    const failure = failureOf(error);
    if (failure.isFault) this.#options.log.error({ err: failure, reqId: request.id }, "request failed");
    return failure;
  }

  async answer(request: FastifyRequest, reply: FastifyReply, path: string) {
    const operation = this.#called.get(path);
    if (operation !== undefined && callingMethod(request) === METHODS[operation.type] && !takesLines(request)) {
      return this.#answerSingle(request, reply, operation);
    }
    const { input } = request.query as { input?: unknown };
    if (typeof input === "string") parseInput(input, BODY_LIMIT);
    mustBeFew(path);
    mustBeHeeded(request, path);
    const requestOptions =
      operation === undefined ? optionsOfBatch(request) : requestOptionsOf(request, reply, operation);
    // A call without a content type is JSON here; tRPC itself would refuse it.
    request.raw.headers["content-type"] ??= "application/json";
    let parts: Part[] = [];
    const { router, createContext } = this.#options;
    const response = await resolveResponse({
      router,
      req: requestOf(request),
      path,
      error: null,
      maxBatchSize: MAX_BATCH,
      createContext: async () => createContext(request, reply, requestOptions),
      responseMeta: (meta) => {
        parts = takeRendered(meta);
        return retryHeaders(meta.errors);
      },
      onError: ({ error }) => void this.#failed(request, error),
    });
    return sendResponse(request, reply, response, parts);
  }

  /** Answers a single call, in a fraction of the time that tRPC's own response takes. */
  async #answerSingle(request: FastifyRequest, reply: FastifyReply, operation: Operation) {
    try {
      const requestOptions = requestOptionsOf(request, reply, operation);
      const input = singleInput(request);
      const call = this.#options.invoke(request, reply, operation, { input, requestOptions });
      return await sendSingle(request, reply, operation, await whileHeld(request, call));
    } catch (error) {
      const failure = this.#failed(request, error);
      if (failure.retryAfter !== undefined) reply.header("retry-after", failure.retryAfter);
      const body = { error: trpcErrorShape(failure) };
      return reply.status(failure.status).send(isBatch(request) ? [body] : body);
    }
  }
}

/** Registers the tRPC endpoint. An import has a route of its own, because a single call may have a larger body than a batch. */
export function serveTrpc(app: FastifyInstance, options: Options): void {
  const { operations, bodies } = options;
  const calls = new TrpcCalls(options);
  app.register(async (scope) => {
    const parse = (text: string, bytesMax: number) => {
      parseInput(text, bytesMax);
      return text;
    };
    readJsonBodies(scope, { parse, readLarge: bodies && ((request) => bodies.prepare(request, isBatch(request))) });
    for (const operation of operations.filter(({ largeBody }) => largeBody)) {
      scope.route({
        method: ["GET", "POST"],
        url: `${TRPC_BASE}/${operation.path}`,
        bodyLimit: operation.bodyLimit,
        config: { operation },
        handler: (request, reply) => calls.answer(request, reply, operation.path),
      });
    }
    scope.route<{ Params: { path: string } }>({
      method: ["GET", "POST"],
      url: `${TRPC_BASE}/:path`,
      bodyLimit: BODY_LIMIT,
      handler: (request, reply) => calls.answer(request, reply, request.params.path),
    });
  });
}
