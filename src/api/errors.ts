// Every failure the service answers with: the one table of codes, the functions that make them, and the one that turns
// whatever was thrown into them (contract section 1, Errors).

import { TRPCError } from "@trpc/server";
import { z } from "zod";
import {
  isConnectionError,
  isDirectoryGone,
  isLockTimeout,
  isOutage,
  isOverload,
  isReadOnly,
  isRetryable,
} from "../db/failures.js";
import { messageOf, unknownKey } from "./inputMessages.js";

/** The codes of the contract with their HTTP status and fixed text. */
export const ERRORS = {
  BAD_REQUEST: { status: 400, message: "Invalid input data" },
  UNAUTHORIZED: { status: 401, message: "Authorization not provided" },
  FORBIDDEN: { status: 403, message: "Insufficient access" },
  NOT_FOUND: { status: 404, message: "Not found" },
  CONFLICT: { status: 409, message: "Conflict" },
  PRECONDITION_FAILED: { status: 412, message: "Precondition failed" },
  PAYLOAD_TOO_LARGE: { status: 413, message: "Payload too large" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "Unsupported media type" },
  TOO_MANY_REQUESTS: { status: 429, message: "Too many requests" },
  INTERNAL_SERVER_ERROR: { status: 500, message: "Internal server error" },
  SERVICE_UNAVAILABLE: { status: 503, message: "Service unavailable" },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** The place of a problem in the input, and a message for the caller. */
export interface Issue {
  path: (string | number)[];
  message: string;
}

/** A failure with everything its answer needs. `cause` is for the log alone. */
export class Failure extends TRPCError {
  override readonly code: ErrorCode;
  readonly issues: Issue[];
  /** Seconds the caller should wait, sent as `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, options: { issues?: Issue[]; retryAfter?: number; cause?: unknown } = {}) {
    super({ code, message: ERRORS[code].message, cause: options.cause });
    this.code = code;
    this.issues = options.issues ?? [];
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** Whether it is logged as an error: a defect, or a failure outside of the service; not a deliberate refusal, as while draining. */
  get isFault(): boolean {
    if (this.code === "INTERNAL_SERVER_ERROR") return true;
    return ["SERVICE_UNAVAILABLE", "PRECONDITION_FAILED"].includes(this.code) && this.cause !== undefined;
  }

  /** The body of a REST answer, exactly as the contract has it. */
  get body() {
    return { code: this.code, message: this.message, issues: this.issues };
  }
}

/** Input breaks a constraint, or the state forbids it; `path` names the field. */
export const badRequest = (message: string, ...path: (string | number)[]) =>
  new Failure("BAD_REQUEST", { issues: [{ path, message }] });
export const tooLarge = () => new Failure("PAYLOAD_TOO_LARGE");
/** The body is not JSON. */
export const unsupportedMediaType = () =>
  new Failure("UNSUPPORTED_MEDIA_TYPE", {
    issues: [{ path: ["Content-Type"], message: "Send the body as JSON, with Content-Type: application/json" }],
  });
/** The body is compressed. */
export const encodedBody = () =>
  new Failure("UNSUPPORTED_MEDIA_TYPE", {
    issues: [{ path: ["Content-Encoding"], message: "Send the body without compression" }],
  });
/** A refusal with issues that are known already. */
export const refusedWith = (code: ErrorCode, issues: Issue[]) => new Failure(code, { issues });
const refusal =
  (code: ErrorCode) =>
  (message?: string, ...path: (string | number)[]) =>
    new Failure(code, { issues: message === undefined ? [] : [{ path, message }] });
/** Nobody is signed in, or somebody fails to; a message, with the field it is about, where one more field would let them in. */
export const unauthorized = refusal("UNAUTHORIZED");
/** The caller may not; a message, with the field it is about, where the caller can do something about it. */
export const forbidden = refusal("FORBIDDEN");
/** Becomes FORBIDDEN where the operation is a POST (contract section 1, order of checks). */
export const notFound = () => new Failure("NOT_FOUND");
/** The path exists, but only with these methods. */
export const methodNotFound = (methods: readonly string[]) =>
  new Failure("NOT_FOUND", { issues: [{ path: [], message: `This path has only the methods ${methods.join(", ")}` }] });
/** The thing is held by, or belongs to, somebody else; or a key was used before with another request. */
export const conflict = refusal("CONFLICT");
/** The thing has changed meanwhile, or the server lacks a setting; a cause tells the operator that a setting is wrong. */
export const preconditionFailed = (message?: string, cause?: unknown) =>
  new Failure("PRECONDITION_FAILED", { issues: message === undefined ? [] : [{ path: [], message }], cause });
/** Events after a number are asked for, and some of them are not kept any more; the issue names the first one that is. */
export const eventsForgotten = (oldest: number, ...path: (string | number)[]) =>
  new Failure("PRECONDITION_FAILED", { issues: [{ path, message: `The oldest event that is kept is ${oldest}` }] });
export const tooManyRequests = (retryAfter: number) => new Failure("TOO_MANY_REQUESTS", { retryAfter });
export const unavailable = (retryAfter: number, cause?: unknown) =>
  new Failure("SERVICE_UNAVAILABLE", { retryAfter, cause });

/** An estimate: how long an operator takes is unknown. */
const OPERATOR_SECONDS = 60;
const untilRepaired = (message: string) => () =>
  new Failure("SERVICE_UNAVAILABLE", { issues: [{ path: [], message }], retryAfter: OPERATOR_SECONDS });
const readOnly = untilRepaired(
  "The service only answers reads at present: its database takes no writes, for example because its disk is nearly full, or while it is being moved to another server",
);
const directoryGone = untilRepaired("The directory of the database is gone");
/** The disk has room for small changes alone. */
export const lowOnSpace = untilRepaired(
  "The disk of the service has too little space for imports and copies of boards at present",
);
/** A large body cannot be received. */
export const noTemporarySpace = untilRepaired(
  "The directory for temporary files of the service has no space for a body of this size at present",
);

z.config({ localeError: messageOf });

const fieldPath = (path: PropertyKey[]) => path.map((key) => (typeof key === "number" ? key : String(key)));

/** The most issues in one response: nobody reads more, and a large body can have a million. */
export const ISSUES_MAX = 1000;

/** The issues within the one form of several whose discriminator fits. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const fitting = issue.errors.filter((issues) => issues.every(({ path }) => path.length > 0));
  const [inner, another] = fitting;
  if (inner === undefined || another !== undefined || inner.length === 0) return [issue];
  return inner.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
}

/** The issues of zod, one per field: an unknown key is an issue of its own path. The first ones if there are many. */
export function issuesOf(error: z.core.$ZodError): Issue[] {
  return error.issues
    .slice(0, ISSUES_MAX)
    .flatMap(innermost)
    .flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys
            .slice(0, ISSUES_MAX)
            .map((key) => ({ path: [...fieldPath(issue.path), key], message: unknownKey(issue.keys, key) }))
        : [{ path: fieldPath(issue.path), message: issue.message }],
    )
    .slice(0, ISSUES_MAX);
}

const UNREADABLE: Issue = { path: [], message: "The request cannot be read. Check its path, query, headers and body." };

/** The request is not HTTP, or not in a form that can be read. */
export const unreadable = () => new Failure("BAD_REQUEST", { issues: [UNREADABLE] });

const FRAMEWORK_CODES: Record<string, ErrorCode> = {
  PARSE_ERROR: "BAD_REQUEST",
  METHOD_NOT_SUPPORTED: "NOT_FOUND",
};

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

function codeOfStatus(status: number): ErrorCode {
  const known = Object.entries(ERRORS).find(([, error]) => error.status === status)?.[0];
  if (known !== undefined && isErrorCode(known)) return known;
  return status >= 400 && status < 500 ? "BAD_REQUEST" : "INTERNAL_SERVER_ERROR";
}

/** Fastify and its plugins mark what the client did wrong with a status and a text that is safe to show. */
function isHttpError(error: unknown): error is Error & { statusCode: number } {
  return error instanceof Error && "statusCode" in error && typeof error.statusCode === "number";
}

/** Turns whatever was thrown, by us, zod, tRPC, Fastify or the database, into the failure it is answered with. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof z.core.$ZodError) return new Failure("BAD_REQUEST", { issues: issuesOf(error), cause: error });
  if (error instanceof TRPCError) {
    if (error.cause instanceof Failure) return error.cause;
    if (error.code === "BAD_REQUEST" && error.cause instanceof z.core.$ZodError) return failureOf(error.cause);
    if (error.code === "INTERNAL_SERVER_ERROR" && error.cause !== undefined) return ofUnexpected(error.cause);
    const code = FRAMEWORK_CODES[error.code] ?? error.code;
    if (!isErrorCode(code)) return ofUnexpected(error);
    return new Failure(code, { issues: code === "BAD_REQUEST" ? [UNREADABLE] : [], cause: error });
  }
  if (isHttpError(error) && error.statusCode < 500) {
    const code = codeOfStatus(error.statusCode);
    return new Failure(code, { issues: code === "BAD_REQUEST" ? [UNREADABLE] : [], cause: error });
  }
  return ofUnexpected(error);
}

/** Whether a failure gives way to that of a token which has ended. No token is looked up to say that it is too much or too busy. */
export const yieldsToToken = (error: unknown): boolean =>
  !["TOO_MANY_REQUESTS", "SERVICE_UNAVAILABLE"].includes(failureOf(error).code);

function ofUnexpected(error: unknown): Failure {
  // Other calls held the lock that was waited for in vain: that is no fault of the service.
  if (isOutage(error) || isLockTimeout(error)) return unavailable(1);
  if (isDirectoryGone(error)) return directoryGone();
  if (isReadOnly(error)) return readOnly();
  if (isConnectionError(error) || isOverload(error) || isRetryable(error)) return unavailable(1, error);
  return new Failure("INTERNAL_SERVER_ERROR", { cause: error });
}
