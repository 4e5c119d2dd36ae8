// Mutations: each is sent alone under keys of its own, and again under the same keys while it may not have happened.

import { type HTTPHeaders, TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "../../../src/router.js";
import { isElsewhere, isTemporary, responseOf, WrongUrl } from "./errors.js";
import { newKey } from "./keys.js";
import { isOnline, LONGEST_MS, pause, waitMs } from "./network.js";
import { KEYLESS } from "./operations.js";

/** The fields of a mutation's `context`. */
export interface MutationContext {
  /** Its `Idempotency-Key`, in place of one that the client makes: for calls that are repeated after a restart. */
  idempotencyKey?: string;
  /**
   * Its `Request-Key`, in place of one that the client makes: 8 to 32 of `A` to `Z`, `a` to `z`, `0` to `9`, `_` and `-`. The events of
   * the change carry it as `requestKey`.
   */
  requestKey?: string;
  /** Its `If-Match`: the `etag` of `metaOf` of what was read. */
  ifMatch?: string;
  /** Whether it is sent again when no answer arrives, or when the service is busy. True by default. */
  retry?: boolean;
}

interface Operation {
  path: string;
  context: MutationContext & Record<string, unknown>;
}

const FURTHER_TRIES = 5;
const FIRST_WAIT_MS = 250;

/** The headers of a mutation. */
export function headersOf({ path, context: { idempotencyKey, requestKey, ifMatch } }: Operation): HTTPHeaders {
  return {
    ...(idempotencyKey !== undefined && !KEYLESS.has(path) && { "idempotency-key": idempotencyKey }),
    ...(requestKey !== undefined && { "request-key": requestKey }),
    ...(ifMatch !== undefined && { "if-match": ifMatch }),
  };
}

/** Whether a failed mutation may be sent again: no answer of the service arrived, or it was TOO_MANY_REQUESTS or SERVICE_UNAVAILABLE. */
function mayPass(error: TRPCClientError<AppRouter>): boolean {
  if (error.data != null) return error.data.httpStatus === 429 || error.data.httpStatus === 503;
  if (error.cause instanceof WrongUrl) return false;
  const response = responseOf(error);
  // The beginning of a response has arrived, and not the rest.
  return response === undefined || isTemporary(response.status) || !isElsewhere(response);
}

/** Gives mutations their keys, and sends them up to five more times under the same ones. Operations without a key are sent once. */
export const repeated: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) => {
    const hasKey = !KEYLESS.has(op.path);
    const context: Operation["context"] = { ...op.context };
    context.idempotencyKey ??= newKey();
    const requestKey = context.requestKey ?? newKey();
    context.requestKey = requestKey;
    const tries = hasKey && context.retry !== false ? FURTHER_TRIES : 0;
    return observable((observer) => {
      const ended = new AbortController();
      const { signal } = ended;
      op.signal?.addEventListener("abort", () => ended.abort(), { signal });
      const attempt = (tried: number) =>
        next({ ...op, context }).subscribe({
          next: (value) => observer.next({ ...value, context: { ...value.context, requestKey } }),
          complete: () => observer.complete(),
          error: async (error) => {
            if (tried === tries || op.signal?.aborted || !mayPass(error)) return observer.error(error);
            const response = responseOf(error);
            // Without a network, a try would be wasted: none is used up.
            const isOut = response === undefined && !isOnline();
            await pause(isOut ? LONGEST_MS : waitMs(tried, FIRST_WAIT_MS, response), signal, response);
            if (op.signal?.aborted) return observer.error(TRPCClientError.from(op.signal.reason));
            if (!ended.signal.aborted) running = attempt(isOut ? tried : tried + 1);
          },
        });
      let running = attempt(0);
      return () => {
        ended.abort();
        running.unsubscribe();
      };
    });
  };
