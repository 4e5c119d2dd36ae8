// The package `work-board-client`: a typed client over tRPC. At run time it needs @trpc/client and eventsource alone.

import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
  TRPCClientError,
  type TRPCLink,
} from "@trpc/client";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { EventSource, type FetchLike } from "eventsource";
import type { AppRouter } from "../../../src/router.js";

/** The router of the service, for libraries that build on tRPC. */
export type { AppRouter };

/** The input of each operation: `RouterInputs["card"]["create"]`. */
export type RouterInputs = inferRouterInputs<AppRouter>;

/** The result of each operation: `RouterOutputs["board"]["get"]`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;

type Problem = NonNullable<TRPCClientError<AppRouter>["data"]>;

/** The maximum number of calls that the service accepts in one request (contract section 1). */
const MAX_BATCH = 10;
/** The queries of a batch are in its URL, and servers and proxies refuse long URLs. */
const MAX_URL_LENGTH = 8000;
/** Three heartbeats of a stream: without data for this long, the connection counts as dead. */
const SILENCE_MS = 45_000;

/** Every failed call throws this error. `code` and `status` are null if no response of the service arrived. */
export class WorkBoardError extends TRPCClientError<AppRouter> {
  readonly code: Problem["code"] | null;
  readonly status: number | null;
  /** The problems of the input, each with its place. */
  readonly issues: Problem["issues"];

  constructor(error: TRPCClientError<AppRouter>) {
    super(error.message, { result: error.shape && { error: error.shape }, cause: error, meta: error.meta ?? {} });
    // TRPCClientError removes the prototype of its subclasses.
    Object.setPrototypeOf(this, WorkBoardError.prototype);
    this.name = "WorkBoardError";
    this.code = error.data?.code ?? null;
    this.status = error.data?.httpStatus ?? null;
    this.issues = error.data?.issues ?? [];
  }
}

/** Turns the errors of the following links into WorkBoardErrors. */
const workBoardErrors: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) => {
    const answers = next(op);
    const subscribe: typeof answers.subscribe = (observer) =>
      answers.subscribe({ ...observer, error: (error) => observer.error?.(new WorkBoardError(error)) });
    return { ...answers, subscribe };
  };

/** A body that fails if nothing arrives for a while, because a connection can die without an error. */
function watched(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error("The stream received nothing for too long")), SILENCE_MS);
      });
      try {
        const { done, value } = await Promise.race([reader.read(), silence]);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        reader.cancel().catch(() => {});
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** The address of the service, the token of the caller, and how requests are sent. */
export interface ClientOptions {
  /** Such as `http://localhost:3000`. */
  url: string;
  /**
   * A session token or a personal token; only public operations work without one. A function is called before each request and
   * each time a stream connects; null or undefined send the request without a token.
   */
  token?: Token | (() => Token | Promise<Token>);
  /** Headers for each request and stream. */
  headers?: Record<string, string>;
  /** Used in place of the global `fetch`, for streams too. */
  fetch?: typeof fetch;
}

type Token = string | null | undefined;

type HeadersOf = () => Promise<Record<string, string>>;

/** The headers of one request: those of the options, and the token of this moment. */
const headersOf =
  ({ token, headers }: ClientOptions): HeadersOf =>
  async () => {
    const current = typeof token === "function" ? await token() : token;
    return { ...headers, ...(current && { authorization: `Bearer ${current}` }) };
  };

/**
 * Opens a stream. A refusal reaches the subscription as the error that it is. A response that may differ soon, as while the service
 * starts, counts as a failed connection, which is tried again.
 */
function streamFetch(options: ClientOptions): FetchLike {
  const send = options.fetch ?? fetch;
  const currentHeaders = headersOf(options);
  return async (resource, init) => {
    const response = await send(resource, { ...init, headers: { ...init.headers, ...(await currentHeaders()) } });
    if (response.ok && response.body !== null) return new Response(watched(response.body), response);
    const isTemporary = response.status >= 500 || response.status === 429;
    if (isTemporary) throw new Error(`The service responded with the status ${response.status}`);
    const answer: unknown = await response.json().catch(() => null);
    const error = typeof answer === "object" && answer !== null && "error" in answer ? answer.error : undefined;
    if (error === undefined) return response;
    const refusal = `event: serialized-error\ndata: ${JSON.stringify(error)}\n\n`;
    return new Response(refusal, { headers: { "content-type": "text/event-stream" } });
  };
}

/**
 * Makes a client. Calls of one tick share a request, up to ten of them; imports, whose bodies may be large, are sent one per
 * request. A stream reconnects by itself and continues where it was; it ends with an error once the caller has lost access.
 */
export function createClient(options: ClientOptions): TRPCClient<AppRouter> {
  const url = `${options.url.replace(/\/+$/, "")}/trpc`;
  const request = { url, headers: headersOf(options), ...(options.fetch && { fetch: options.fetch }) };
  return createTRPCClient({
    links: [
      workBoardErrors,
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: httpSubscriptionLink({ url, EventSource, eventSourceOptions: { fetch: streamFetch(options) } }),
        false: splitLink({
          condition: ({ path }) => path.startsWith("import."),
          true: httpLink(request),
          false: httpBatchLink({ ...request, maxItems: MAX_BATCH, maxURLLength: MAX_URL_LENGTH }),
        }),
      }),
    ],
  });
}
