// A typed client over tRPC, and what the other entries of the package take from it. `index.ts` exports what its users take.

import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
} from "@trpc/client";
import type { AppRouter } from "../../../src/router.js";
import { workBoardErrors } from "./errors.js";
import { headersOf, repeated } from "./mutations.js";
import { globals } from "./network.js";
import { LARGE_QUERIES, PUBLIC_QUERIES } from "./operations.js";
import { type ClientOptions, jsonSender, sender } from "./requests.js";
import { remembered } from "./results.js";
import { ResumedStream } from "./streams.js";

export { type Permission, permissionsOf, type Role } from "../../../src/access/permissions.js";
export { type DescribeOptions, describe, type SentencePart } from "./describe.js";
export { responseOf, WorkBoardError } from "./errors.js";
export { type EventTexts, englishTexts, type NamedKind } from "./eventTexts.js";
export { newKey } from "./keys.js";
export type { MutationContext } from "./mutations.js";
export { globals, hasRetryAfter, onNetworkChange, pause, reported, waitMs } from "./network.js";
export { pages } from "./pages.js";
export type { ClientOptions } from "./requests.js";
export { metaOf, type ResultMeta } from "./results.js";
export type { Board, Card, Event, EventKind, EventOf, EventType, RouterInputs, RouterOutputs } from "./types.js";
/** The router of the service, for libraries that build on tRPC. */
export type { AppRouter };

/** The maximum number of calls that the service accepts in one request (contract section 1). */
const MAX_BATCH = 10;
/** The queries of a batch are in its URL, and servers and proxies refuse long URLs. */
const MAX_URL_LENGTH = 8000;

/** The address of the service without a slash at the end. @throws TypeError for one that is no HTTP address. */
function baseOf(url: string): string {
  const parsed = URL.canParse(url, globals.location?.href) ? new URL(url, globals.location?.href) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(`\`url\` must be the address of the service, such as http://localhost:3000, and not "${url}"`);
  }
  return url.replace(/\/+$/, "");
}

const urls = new WeakMap<object, string>();

/** The address of the service of a client. */
export const urlOf = (client: TRPCClient<AppRouter>): string => urls.get(client) ?? "";

const doubts = new WeakMap<object, Set<() => void>>();

/** The functions to call for doubts about the streams of a client. */
export const doubtsOf = (client: TRPCClient<AppRouter>): Set<() => void> => doubts.get(client) ?? new Set();

/** Asks whether the streams of a client are alive. Those that do not answer soon are told as lost, and opened anew. */
export function doubtStreams(client: TRPCClient<AppRouter>): void {
  for (const doubt of doubtsOf(client)) doubt();
}

/**
 * Makes a client. Queries of one tick share a request, up to ten of them; a whole board and the first load have their own. Each
 * mutation is sent alone, under an `Idempotency-Key`, and up to five more times while it may not have happened. A stream reconnects by
 * itself and continues where it was; it ends with an error once the caller has lost access.
 * @throws TypeError for a `url` that is no HTTP address.
 */
export function createClient(options: ClientOptions): TRPCClient<AppRouter> {
  const url = baseOf(options.url);
  const { send, hasAnswered } = sender(options);
  const request = { url: `${url}/trpc`, fetch: jsonSender(send, url) };
  const ownDoubts = new Set<() => void>();
  const client = createTRPCClient<AppRouter>({
    links: [
      workBoardErrors(url),
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: httpSubscriptionLink({
          url: request.url,
          EventSource: ResumedStream,
          eventSourceOptions: {
            send,
            url,
            canRenew: typeof options.token === "function",
            hasAnswered,
            doubts: ownDoubts,
          },
        }),
        false: [
          remembered,
          splitLink({
            condition: ({ type }) => type === "mutation",
            true: [repeated, httpLink({ ...request, headers: ({ op }) => headersOf(op) })],
            false: splitLink({
              // The entity tag of an answer comes with a request of its own alone.
              condition: ({ path, context }) =>
                PUBLIC_QUERIES.has(path) || LARGE_QUERIES.has(path) || context.isAlone === true,
              true: httpLink(request),
              false: httpBatchLink({ ...request, maxItems: MAX_BATCH, maxURLLength: MAX_URL_LENGTH }),
            }),
          }),
        ],
      }),
    ],
  });
  doubts.set(client, ownDoubts);
  urls.set(client, new URL(url, globals.location?.href).href);
  return client;
}
