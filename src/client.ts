// What a TypeScript user of the service imports: a typed client over tRPC. At run time it needs @trpc/client and eventsource alone.

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
import { EventSource, type FetchLike } from "eventsource";
import type { AppRouter } from "./router.js";

type Problem = NonNullable<TRPCClientError<AppRouter>["data"]>;

/** The most calls that the service takes in one request (contract section 1). */
const MAX_BATCH = 10;
/** A batch of queries travels in its URL; servers and proxies in between refuse long ones. */
const MAX_URL_LENGTH = 8000;
/** Three heartbeats of a stream: after that nobody is there. */
const SILENCE_MS = 45_000;

/** Every failed call throws this. `code` and `status` are null where no answer of the service arrived. */
export class WorkBoardError extends TRPCClientError<AppRouter> {
  readonly code: Problem["code"] | null;
  readonly status: number | null;
  /** What is wrong with the input, and where. */
  readonly issues: Problem["issues"];

  constructor(error: TRPCClientError<AppRouter>) {
    super(error.message, { result: error.shape && { error: error.shape }, cause: error, meta: error.meta ?? {} });
    // TRPCClientError takes the prototype of its subclasses away.
    Object.setPrototypeOf(this, WorkBoardError.prototype);
    this.name = "WorkBoardError";
    this.code = error.data?.code ?? null;
    this.status = error.data?.httpStatus ?? null;
    this.issues = error.data?.issues ?? [];
  }
}

/** Turns the errors of the links after it into WorkBoardErrors. */
const workBoardErrors: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) => {
    const answers = next(op);
    const subscribe: typeof answers.subscribe = (observer) =>
      answers.subscribe({ ...observer, error: (error) => observer.error?.(new WorkBoardError(error)) });
    return { ...answers, subscribe };
  };

/** A body that fails when nothing arrives for a while: a connection can die without a word. */
function watched(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error("The stream fell silent")), SILENCE_MS);
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

/**
 * Opens streams: with the token in the header, and so that a refusal reaches the subscription as the error that it is. What may
 * be otherwise soon, as while a service starts, is a failed connection, which is tried again.
 */
function streamFetch(headers: Record<string, string>): FetchLike {
  return async (resource, init) => {
    const response = await fetch(resource, { ...init, headers: { ...init.headers, ...headers } });
    if (response.ok && response.body !== null) return new Response(watched(response.body), response);
    const isPassing = response.status >= 500 || response.status === 429;
    if (isPassing) throw new Error(`The service answered ${response.status}`);
    const answer: unknown = await response.json().catch(() => null);
    const error = typeof answer === "object" && answer !== null && "error" in answer ? answer.error : undefined;
    if (error === undefined) return response;
    const refusal = `event: serialized-error\ndata: ${JSON.stringify(error)}\n\n`;
    return new Response(refusal, { headers: { "content-type": "text/event-stream" } });
  };
}

/** Where the service is, such as `http://localhost:3000`, and who calls; without a token only public operations work. */
export interface ClientOptions {
  url: string;
  token?: string;
}

/**
 * Makes a client. Calls of one tick travel together, ten at most; imports, whose bodies may be large, travel alone.
 * Subscriptions resume by themselves where the connection broke, and end with an error when the caller may not any longer.
 */
export function createClient({ url, token }: ClientOptions): TRPCClient<AppRouter> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const options = { url: `${url.replace(/\/+$/, "")}/trpc`, headers };
  return createTRPCClient({
    links: [
      workBoardErrors,
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: httpSubscriptionLink({
          url: options.url,
          EventSource,
          eventSourceOptions: { fetch: streamFetch(headers) },
        }),
        false: splitLink({
          condition: ({ path }) => path.startsWith("import."),
          true: httpLink(options),
          false: httpBatchLink({ ...options, maxItems: MAX_BATCH, maxURLLength: MAX_URL_LENGTH }),
        }),
      }),
    ],
  });
}
