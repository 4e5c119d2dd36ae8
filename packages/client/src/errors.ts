// The error that every failed call throws.

import { TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "../../../src/router.js";
import { reported } from "./network.js";

type Problem = NonNullable<TRPCClientError<AppRouter>["data"]>;

/** Every failed call throws this error. `code` and `status` are null if no response of the service arrived. */
export class WorkBoardError extends TRPCClientError<AppRouter> {
  readonly code: Problem["code"] | null;
  readonly status: number | null;
  /** The problems of the input, each with its place. */
  readonly issues: Problem["issues"];

  constructor(error: TRPCClientError<AppRouter>, message = error.message) {
    super(message, { result: error.shape && { error: error.shape }, cause: error, meta: error.meta ?? {} });
    // TRPCClientError removes the prototype of its subclasses.
    Object.setPrototypeOf(this, WorkBoardError.prototype);
    this.name = "WorkBoardError";
    this.code = error.data?.code ?? null;
    this.status = error.data?.httpStatus ?? null;
    this.issues = error.data?.issues ?? [];
  }
}

/** The HTTP response behind an error; undefined if none arrived. */
export const responseOf = ({ meta }: TRPCClientError<AppRouter>): Response | undefined => asResponse(meta?.response);

/** A response, also of a `fetch` that has a class of its own for them; undefined for anything else. */
export const asResponse = (value: unknown): Response | undefined =>
  typeof value === "object" && value !== null && "headers" in value && "status" in value
    ? (value as Response)
    : undefined;

const TEMPORARY = [408, 425, 429];

/** Whether a status may be another one soon. */
export const isTemporary = (status: number): boolean => status >= 500 || TEMPORARY.includes(status);

/** The header of every answer of the service. */
export const SERVICE_VERSION = "service-version";

/** Whether a response that is none of tRPC came from elsewhere, and will again: the address, or its path, is wrong. */
export const isElsewhere = ({ status, headers }: Response): boolean =>
  status === 404 || (!isTemporary(status) && !headers.has(SERVICE_VERSION));

/** No service answers at an address. */
export class WrongUrl extends Error {
  constructor(url: string) {
    super(
      `No work-board service answers at ${url}: \`url\` must be the address of the service, such as http://localhost:3000`,
    );
  }
}

/** Turns the errors of the following links into WorkBoardErrors. What `onData` of a subscription throws does not end it. */
export const workBoardErrors =
  (url: string): TRPCLink<AppRouter> =>
  () =>
  ({ op, next }) =>
    observable((observer) =>
      next(op).subscribe({
        next: (value) => reported(() => observer.next(value)),
        complete: () => observer.complete(),
        error: (error) => {
          const response = responseOf(error);
          const isWrongUrl = error.data == null && response !== undefined && isElsewhere(response);
          observer.error(new WorkBoardError(error, isWrongUrl ? new WrongUrl(url).message : undefined));
        },
      }),
    );
