// Repeated requests: the first response to an Idempotency-Key is stored in the transaction of its change, and returned again for 24
// hours with the headers of the first (contract section 1, Idempotency-Key). A key counts per user and workspace.

import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import type { Database, Queries } from "../db/client.js";
import { workspaceOf } from "../db/ids.js";
import { records } from "../db/records.js";
import { idempotencyKey } from "../db/schema/index.js";
import { type RowOf, selection } from "../db/selections.js";
import { writtenOnce } from "../db/statements.js";
import { SWEPT_AT_ONCE, type Sweep } from "../db/sweeps.js";
import { sweptByWorkspace } from "../db/sweptWorkspaces.js";
import type { UnitOfWork } from "../db/unitOfWork.js";
import type { Idempotency, RequestOptions, Signed } from "./context.js";
import { hashOf } from "./digests.js";
import { badRequest, conflict, Failure } from "./errors.js";
import { Prepared } from "./preparedInputs.js";
import { Rendered } from "./rendered.js";

/** The workspace in which a key counts if the operation has none. */
export const NO_WORKSPACE = 0;

const KEY = /^[!-~]{1,255}$/;

/** A request with an Idempotency-Key. */
interface KeyedRequest {
  /** The header `Idempotency-Key`. */
  header: string;
  method: string;
  path: string;
  body: unknown;
}

/** Hashes the header and its request. @throws BAD_REQUEST for a header of another form; the issue names it. */
export function keyHashesOf({ header, method, path, body }: KeyedRequest): Pick<Idempotency, "key" | "requestHash"> {
  if (!KEY.test(header)) throw badRequest("Must be 1 to 255 visible ASCII characters", "Idempotency-Key");
  const request = createHmac("sha256", header)
    .update(`${method} ${path}\n`)
    .update(body instanceof Prepared ? body.bodyHash : JSON.stringify(body ?? {}));
  return { key: hashOf(header), requestHash: request.digest("hex") };
}

const STORED_FOR = sql.raw("interval '24 hours'");

/** A stored response, with the headers of the first. */
export interface StoredResponse {
  answer: string;
  operationPublicId: string | null;
  eventSeq: number | null;
  etag: string | null;
}

const isExpired = sql<boolean>`${idempotencyKey.createdAt} < now() - ${STORED_FOR}`;

const storedFields = {
  requestHash: idempotencyKey.requestHash,
  answer: idempotencyKey.answer,
  operationPublicId: idempotencyKey.operationPublicId,
  eventSeq: idempotencyKey.eventSeq,
  etag: idempotencyKey.etag,
  isExpired,
};

const storedRow = selection(storedFields);
const storedUnderKey = writtenOnce(sql`
  select ${storedRow} from ${idempotencyKey}
  where ${idempotencyKey.workspaceId} = ${sql.placeholder("workspaceId")}::bigint
    and ${idempotencyKey.accountId} = ${sql.placeholder("accountId")}::bigint
    and ${idempotencyKey.key} = ${sql.placeholder("key")}::text`);

/** The response stored under a key, expired or not. A token bound to another workspace finds nothing, and its guard refuses it. */
async function rowUnderKey(
  db: Queries,
  { workspaceId, accountId, key, boundWorkspaceId }: Idempotency,
): Promise<RowOf<typeof storedFields> | undefined> {
  if (boundWorkspaceId !== null && workspaceId !== NO_WORKSPACE && workspaceId !== boundWorkspaceId) return undefined;
  const [row] = await db.read(storedRow, storedUnderKey({ workspaceId, accountId, key }));
  return row;
}

/** The row if it has not expired. @throws CONFLICT if the key was used with another request. */
function validRow({ requestHash }: Idempotency, row: RowOf<typeof storedFields> | undefined): StoredResponse | null {
  if (row === undefined || row.isExpired) return null;
  if (row.requestHash !== requestHash) throw conflict();
  return row;
}

/** The response that is stored under a key. @throws CONFLICT if the key was used with another request. */
const findResponse = async (db: Queries, idempotency: Idempotency): Promise<StoredResponse | null> =>
  validRow(idempotency, await rowUnderKey(db, idempotency));

/**
 * The response that is stored under a key, within a change. The workspace is locked, so only one of several concurrent requests finds
 * none. An expired response is deleted.
 * @throws CONFLICT if the key was used with another request.
 */
export async function findResponseInChange(unit: UnitOfWork, idempotency: Idempotency): Promise<StoredResponse | null> {
  const { key, accountId } = idempotency;
  const row = await rowUnderKey(unit.db, idempotency);
  if (row?.isExpired === true) unit.remove(idempotencyKey, { accountId, key });
  return validRow(idempotency, row);
}

/** A successful response, and the headers that are stored with it. */
interface Response {
  answer: unknown;
  operationPublicId: string | null;
  lastEvent: number | null;
}

/** The columns of a response. */
const columnsOf = ({ answer, operationPublicId, lastEvent }: Response) => ({
  answer: answer instanceof Rendered ? answer.plain().toString() : JSON.stringify(answer ?? null),
  operationPublicId: lastEvent === null ? null : operationPublicId,
  eventSeq: lastEvent,
});

/** Stores the response of a change within it. */
export function saveResponseInChange(unit: UnitOfWork, idempotency: Idempotency, response: Response): void {
  const { key, accountId, requestHash, etag } = idempotency;
  unit.add(idempotencyKey, { accountId, key, requestHash, ...columnsOf(response), etag });
}

/** Stores a response without a lock. If the key exists and is valid, the NOT NULL constraint of the hash rolls it back. */
export async function saveResponseWithoutLock(
  db: Queries,
  { workspaceId, key, accountId, requestHash }: Idempotency,
  response: Response,
): Promise<void> {
  const columns = columnsOf(response);
  // Citus allows no now() here; the time that the new row has is the same.
  const createdAt = sql`excluded.created_at`;
  const isReplaced = sql`${createdAt} - ${idempotencyKey.createdAt} > ${STORED_FOR}`;
  await db
    .insert(idempotencyKey)
    .values({ workspaceId, accountId, key, requestHash, ...columns })
    .onConflictDoUpdate({
      target: [idempotencyKey.workspaceId, idempotencyKey.accountId, idempotencyKey.key],
      set: { ...columns, requestHash: sql`case when ${isReplaced} then ${requestHash}::text end`, createdAt },
    });
}

/** Sets the headers that name the operation and its last event in the log. */
export function setOperationHeaders(
  { requestOptions }: { requestOptions: Pick<RequestOptions, "setHeader"> },
  operationPublicId: string | null,
  lastEvent: number | null,
): void {
  if (operationPublicId === null || lastEvent === null) return;
  requestOptions.setHeader("operation-id", operationPublicId);
  requestOptions.setHeader("event-id", String(lastEvent));
}

/** Returns a stored response, with the headers of the first. */
export function replay<T>(ctx: Pick<Signed, "requestOptions">, stored: StoredResponse): T {
  ctx.requestOptions.setHeader("idempotent-replayed", "true");
  setOperationHeaders(ctx, stored.operationPublicId, stored.eventSeq);
  if (stored.etag !== null) ctx.requestOptions.setHeader("etag", stored.etag);
  return JSON.parse(stored.answer);
}

type Requested = Pick<Signed<Database>, "db" | "requestOptions">;

/** The response under the request's key although the change failed. Throws CONFLICT if another request used it, or `error`. */
export async function responseAfterError({ db, requestOptions }: Requested, error: unknown): Promise<StoredResponse> {
  const { idempotency } = requestOptions;
  if (idempotency === null) throw error;
  const stored = await findResponse(db, idempotency).catch((failure: unknown) => {
    throw failure instanceof Failure && failure.code === "CONFLICT" ? failure : error;
  });
  if (stored === null) throw error;
  return stored;
}

/**
 * Runs an operation unless the response to its request is stored, which is returned instead. `publicId` is any identifier of the
 * workspace that the operation belongs to; null if it belongs to none. Of two requests at once under one key both may run, unless
 * `run` stores the response in the transaction of a change.
 */
export async function runOnce<T>(ctx: Requested, publicId: string | null, run: () => Promise<T>): Promise<T> {
  const { idempotency } = ctx.requestOptions;
  if (idempotency === null) return run();
  if (publicId !== null) idempotency.workspaceId = workspaceOf(publicId) ?? NO_WORKSPACE;
  const stored = await findResponse(ctx.db, idempotency);
  if (stored === null) return run();
  idempotency.isStored = true;
  return replay(ctx, stored);
}

/** Stores a response under its key, unless a change has done so; returns it, or the stored one of an earlier request. */
export async function saveResponse<T>(ctx: Requested, answer: T): Promise<T> {
  const { idempotency } = ctx.requestOptions;
  if (idempotency === null || idempotency.isStored) return answer;
  try {
    await saveResponseWithoutLock(ctx.db, idempotency, { answer, operationPublicId: null, lastEvent: null });
    return answer;
  } catch (error) {
    return replay(ctx, await responseAfterError(ctx, error));
  }
}

const { workspaceId, accountId, key, createdAt } = idempotencyKey;

/** Sweep: deletes the responses that are older than 24 hours. */
export const deleteOldResponses: Sweep = (db) =>
  sweptByWorkspace(db, {
    limit: SWEPT_AT_ONCE,
    find: (isAsked) =>
      db
        .select({ workspaceId, accountId, key })
        .from(idempotencyKey)
        .where(acrossWorkspaces("expired rows", sql`${isExpired} and ${isAsked(workspaceId)}`))
        .orderBy(createdAt)
        .limit(SWEPT_AT_ONCE),
    handle: (workspace, keys) => {
      const expired = records("expired", { workspaceId: "bigint", accountId: "bigint", key: "text" }, keys);
      return db.run(sql`
        delete from ${idempotencyKey} using ${expired}
        where ${workspaceId} = ${workspace}::bigint and ${accountId} = expired."accountId" and ${key} = expired.key and ${isExpired}
        returning ${key}`);
    },
  });
