// The headers of a request and of its response describe the result.

import type { TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "../../../src/router.js";
import { asResponse } from "./errors.js";

/** The description of a result in headers. A field is null if there is no such header. */
export interface ResultMeta {
  /** The `operationPublicId` of the events that a change wrote. */
  operationPublicId: string | null;
  /** The number of the last event that a change wrote. */
  eventId: number | null;
  /** The `Request-Key` that a change was sent with, which is the `requestKey` of its events. */
  requestKey: string | null;
  /** The entity tag of a board or card, for `ifMatch`. */
  etag: string | null;
}

const NOTHING: ResultMeta = { operationPublicId: null, eventId: null, requestKey: null, etag: null };

const known = new WeakMap<object, ResultMeta>();

/** The description of the result of a call, by the object that the call returned. */
export const metaOf = (result: object): ResultMeta => known.get(result) ?? NOTHING;

/** Stores the description of each result that has a response of its own. */
export const remembered: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) =>
      next(op).subscribe({
        error: (error) => observer.error(error),
        complete: () => observer.complete(),
        next: (value) => {
          const data = "data" in value.result ? value.result.data : undefined;
          const response = asResponse(value.context?.response);
          const requestKey = value.context?.requestKey;
          if (typeof data === "object" && data !== null && response !== undefined) {
            const { headers } = response;
            const eventId = headers.get("event-id");
            known.set(data, {
              operationPublicId: headers.get("operation-id"),
              eventId: eventId === null ? null : Number(eventId),
              requestKey: typeof requestKey === "string" ? requestKey : null,
              etag: headers.get("etag"),
            });
          }
          observer.next(value);
        },
      }),
    );
