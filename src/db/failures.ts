// Names what can go wrong between this service and its database, for both drivers.

const CONNECTION_CODES = new Set([
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
  "57P01",
  "57P02",
  "57P03",
  "25P03",
]);

/**
 * Whether the database could not be reached, or the session was lost on the way (CONNECTION_*, socket errors, class 08,
 * 57P01–57P03, 25P03), looking through `cause`. A write that fails so may still have been committed.
 */
export function isConnectionError(error: unknown): boolean {
  return codes(error).some(
    (code) => code.startsWith("CONNECTION_") || /^08[0-9A-Z]{3}$/.test(code) || CONNECTION_CODES.has(code),
  );
}

/** A lost race, a deadlock, and a row that another one refers to (23503), which went meanwhile. */
const RETRYABLE_CODES = ["40001", "40P01", "23503"];

/** Whether running the whole transaction again may succeed, or fail for a reason to be told, looking through `cause`. */
export function isRetryable(error: unknown): boolean {
  return codes(error).some((code) => RETRYABLE_CODES.includes(code));
}

const OVERLOAD_CODES = new Set(["57014", "55P03", "58030"]);

/**
 * Whether the database refused for want of resources or time: class 53 (connections, memory, disk), 58030 (its disk failed), 57014
 * (statement_timeout) and 55P03 (lock_timeout), looking through `cause`. Nothing was committed, and the same may succeed later.
 */
export function isOverload(error: unknown): boolean {
  return codes(error).some((code) => /^53[0-9A-Z]{3}$/.test(code) || OVERLOAD_CODES.has(code));
}

/** An error for which `isConnectionError` holds. */
export function connectionError(code: `CONNECTION_${string}`, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code });
}

/** The codes of an error and of its causes, outermost first. */
export function codes(error: unknown): string[] {
  const found: string[] = [];
  const seen = new Set<unknown>();
  for (let link = error; link instanceof Error && !seen.has(link); link = link.cause) {
    seen.add(link);
    if ("code" in link && typeof link.code === "string") found.push(link.code);
  }
  return found;
}

/** A row moved to another parent while this transaction waited for a lock; running it again will find the row there. */
export class RacedError extends Error {
  readonly code = "40001";
}

/** Whether a unique index refused a row, looking through `cause`. */
export function violates(error: unknown, constraint: string): boolean {
  for (let link = error; link instanceof Error; link = link.cause) {
    if ("code" in link && link.code === "23505") return namesConstraint(link, constraint);
  }
  return false;
}

/** postgres.js calls the field `constraint_name`, PGlite `constraint`. */
function namesConstraint(error: object, constraint: string): boolean {
  const name =
    "constraint_name" in error ? error.constraint_name : "constraint" in error ? error.constraint : undefined;
  return name === constraint;
}
