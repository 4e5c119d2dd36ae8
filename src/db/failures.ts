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

/**
 * Whether the session to the database, or all of it, is lost, looking through `cause`. A server of a distributed database that another one
 * does not reach (class 08 from that one) is no such case.
 */
export const isDatabaseLost = (error: unknown): boolean =>
  codes(error).some((code) => code.startsWith("CONNECTION_") || CONNECTION_CODES.has(code));

/** The error of Citus where a plan looked for a shard at the server from which it was moved meanwhile. */
const MOVED_SHARD = /relation "[\w.]+_\d{5,}" does not exist|could not find valid entry for shard/;

/** Whether the statement lost a race, a deadlock, or against a move of its shard, looking through `cause`. Nothing of it was done. */
export function isLostRace(error: unknown): boolean {
  if (codes(error).some((code) => code === "40001" || code === "40P01")) return true;
  for (let link = error; link instanceof Error; link = link.cause) {
    if ("code" in link && (link.code === "42P01" || link.code === "XX000") && MOVED_SHARD.test(link.message))
      return true;
  }
  return false;
}

/** A row that another one refers to went meanwhile. */
const MISSING_ROW = "23503";

/**
 * Whether running the whole transaction again may succeed, or fail with an error that the client should see. Looks through `cause`.
 * A collision of two random identifiers counts, because it does not repeat.
 */
export function isRetryable(error: unknown): boolean {
  return isLostRace(error) || codes(error).includes(MISSING_ROW) || violatesAny(error, /_public_id$/);
}

const OVERLOAD_CODES = new Set(["57014", "55P03", "58030"]);

/** Whether a lock was not available within lock_timeout, looking through `cause`. */
export const isLockTimeout = (error: unknown): boolean => codes(error).includes("55P03");

/** Whether a write was refused because the database only reads at present, looking through `cause`. */
export const isReadOnly = (error: unknown): boolean => codes(error).includes("25006");

/** Waits for a write that is left out while the database takes none: reads that would write something beside go on. */
export async function writtenIfPossible(write: PromiseLike<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
}

/** More waits than this process can do in time. */
export class OverloadError extends Error {
  readonly code = "53400";
}

/**
 * Whether the database refused for want of resources or time: class 53 (connections, memory, disk), 58030 (its disk failed), 57014
 * (statement_timeout) and 55P03 (lock_timeout), looking through `cause`. Nothing was committed, and the same may succeed later.
 */
export function isOverload(error: unknown): boolean {
  return codes(error).some((code) => /^53[0-9A-Z]{3}$/.test(code) || OVERLOAD_CODES.has(code));
}

/** The code of a connection that TLS cannot be used on as the settings ask for it. */
export const TLS_REFUSED = "TLS_REFUSED";

/**
 * Whether the server lets nobody in as the settings have it: no such database (3D000), a wrong user or password (class 28), no TLS or
 * a certificate that is not trusted.
 */
export const isRejection = (error: unknown): boolean =>
  codes(error).some((code) => /^(?:28...|3D000)$/.test(code) || code === TLS_REFUSED);

/** The code of the refusals while a server is known to be out of reach. */
export const OUTAGE = "CONNECTION_OUTAGE";

/** The code of the refusals while the directory of an embedded database is not there. */
export const DIRECTORY_GONE = "CONNECTION_DIRECTORY_GONE";

export const isDirectoryGone = (error: unknown): boolean => codes(error).includes(DIRECTORY_GONE);

/** The code of the refusals while one server of a distributed database is known to be out of reach; of class 08, as that of Citus is. */
const SERVER_AWAY = "08W01";

/** An error of work that needs a server of a distributed database which is out of reach. */
export const serverAway = (): Error =>
  Object.assign(new Error("A server of the database is out of reach"), { code: SERVER_AWAY });

/** Whether the driver refused because a server is known to be unreachable, which is no news for the log. */
export function isOutage(error: unknown): boolean {
  return codes(error).some((code) => code === OUTAGE || code === SERVER_AWAY);
}

/** An error for which `isConnectionError` holds. */
export function connectionError(code: `CONNECTION_${string}`, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code });
}

/** A promise that nobody needs to await, whatever becomes of it. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** The codes of an error and of its causes, outermost first. */
export function codes(error: unknown): string[] {
  const all: string[] = [];
  const seen = new Set<unknown>();
  for (let link = error; link instanceof Error && !seen.has(link); link = link.cause) {
    seen.add(link);
    if ("code" in link && typeof link.code === "string") all.push(link.code);
  }
  return all;
}

/** The message of the innermost cause: a pool's or a driver's own error says less than the one that it met. */
export function reasonOf(error: Error): string {
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || codes(error).join(", ");
}

/** Whether a unique index refused a row, looking through `cause`. */
export const violates = (error: unknown, constraint: string): boolean =>
  violatesAny(error, new RegExp(`^${constraint}$`));

function violatesAny(error: unknown, constraint: RegExp): boolean {
  for (let link = error; link instanceof Error; link = link.cause) {
    if ("code" in link && link.code === "23505") return constraint.test(constraintOf(link));
  }
  return false;
}

/** postgres.js names the field `constraint_name`, PGlite `constraint`; Citus has it in the message, with a shard's number. */
function constraintOf(error: Error): string {
  const name = "constraint_name" in error ? error.constraint_name : "constraint" in error ? error.constraint : null;
  return typeof name === "string" ? name : (/constraint "(\w+)_\d+"/.exec(error.message)?.[1] ?? "");
}
