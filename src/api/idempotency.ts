// Repeated requests: the first response to an Idempotency-Key is stored in the transaction of its change and returned again for 24
// hours (contract section 1, Idempotency-Key).

import { createHash, createHmac } from "node:crypto";
import { and, desc, eq, sql } from "drizzle-orm";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { cachedQuery } from "../db/cachedQueries.js";
import type { Queries } from "../db/client.js";
import { byWorkspace, records } from "../db/records.js";
import { idempotencyKey } from "../db/schema/index.js";
import type { RowOf } from "../db/selections.js";
import { SWEPT_AT_ONCE, type Sweep, untilFewerThan } from "../db/sweeps.js";
import type { UnitOfWork } from "../db/unitOfWork.js";
import { badRequest, conflict, forbidden } from "./errors.js";
import { Prepared } from "./prepared.js";
import { Rendered } from "./rendered.js";

/** A key with a fingerprint of its request, and its account. */
export interface Idempotency {
  /** SHA-256 of the header. */
  key: string;
  /**
   * HMAC-SHA-256 of method, path and body with the header as its key: who reads the database cannot guess passwords in the body,
   * unless the header can be guessed.
   */
  requestHash: string;
  accountId: number;
  boundWorkspaceId: number | null;
  /** Whether a change stores the response itself; otherwise it is stored after the operation. */
  isTaken: boolean;
  /** The entity tag that the response tells, once it is known. */
  etag: string | null;
}

const KEY = /^[!-~]{1,255}$/;

/** What a request is known by when its key comes again. */
export interface KeyedRequest {
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
  return { key: createHash("sha256").update(header).digest("hex"), requestHash: request.digest("hex") };
}

const KEPT = sql.raw("interval '24 hours'");

/** A stored response, with the headers of the first. */
export interface KeptAnswer {
  answer: string;
  operationPublicId: string | null;
  eventSeq: number | null;
  etag: string | null;
}

const isOver = sql<boolean>`${idempotencyKey.createdAt} < now() - ${KEPT}`;

const keptFields = {
  requestHash: idempotencyKey.requestHash,
  answer: idempotencyKey.answer,
  workspaceId: idempotencyKey.workspaceId,
  operationPublicId: idempotencyKey.operationPublicId,
  eventSeq: idempotencyKey.eventSeq,
  etag: idempotencyKey.etag,
  isOver,
};
type KeptRow = RowOf<typeof keptFields>;

const isKey = and(
  eq(idempotencyKey.accountId, sql.placeholder("accountId")),
  eq(idempotencyKey.key, sql.placeholder("key")),
);

const keptAnywhere = cachedQuery((builder) =>
  builder
    .select(keptFields)
    .from(idempotencyKey)
    .where(acrossWorkspaces("answer kept for a key", sql`${isKey}`))
    .orderBy(desc(idempotencyKey.createdAt))
    .limit(1),
);

const keptInWorkspace = cachedQuery((builder) =>
  builder
    .select(keptFields)
    .from(idempotencyKey)
    .where(and(eq(idempotencyKey.workspaceId, sql.placeholder("workspaceId")), isKey)),
);

const textOf = (answer: unknown) =>
  answer instanceof Rendered ? answer.plain().toString() : JSON.stringify(answer ?? null);

/**
 * The response to the first request with a key, if this request is the same.
 * @throws CONFLICT if the key was used with another request; FORBIDDEN if the token is bound to another workspace.
 */
function matching({ requestHash, boundWorkspaceId }: Idempotency, row: KeptRow | undefined): KeptAnswer | null {
  if (row === undefined || row.isOver) return null;
  if (boundWorkspaceId !== null && row.workspaceId !== 0 && row.workspaceId !== boundWorkspaceId) throw forbidden();
  if (row.requestHash !== requestHash) throw conflict();
  return row;
}

/** The stored response for an account's key, in any workspace; throws as `matching` does. */
export async function keptAnswer(db: Queries, idempotency: Idempotency): Promise<KeptAnswer | null> {
  const { key, accountId } = idempotency;
  const [row] = await db.cached(keptAnywhere, { accountId, key });
  return matching(idempotency, row);
}

/**
 * The stored response for an account's key in the workspace of a change. The workspace is locked, so only one of several concurrent
 * requests finds none. An expired key is deleted. Throws as `matching` does.
 */
export async function keptIn(unit: UnitOfWork, idempotency: Idempotency): Promise<KeptAnswer | null> {
  const { key, accountId } = idempotency;
  const [row] = await unit.db.cached(keptInWorkspace, { workspaceId: unit.workspaceId, accountId, key });
  const kept = matching(idempotency, row);
  if (row !== undefined && kept === null) unit.remove(idempotencyKey, { accountId, key });
  return kept;
}

interface Answered {
  answer: unknown;
  operationPublicId: string | null;
  lastEvent: number | null;
}

/** Stores a response in the workspace of its change. */
export function keep(
  unit: UnitOfWork,
  idempotency: Idempotency,
  { answer, operationPublicId, lastEvent }: Answered,
): void {
  const { key, accountId, requestHash, etag } = idempotency;
  unit.add(idempotencyKey, {
    accountId,
    key,
    requestHash,
    answer: textOf(answer),
    operationPublicId: lastEvent === null ? null : operationPublicId,
    eventSeq: lastEvent,
    etag,
  });
}

/** The workspace under which responses are stored that belong to no workspace, or to several. */
const NO_WORKSPACE = 0;

/**
 * Stores a response outside of any workspace. If the key exists and has not expired, the NOT NULL constraint of the hash fails, and
 * the transaction rolls back.
 */
export async function keepOutside(
  db: Queries,
  { key, accountId, requestHash }: Idempotency,
  { answer, operationPublicId, lastEvent }: Answered,
): Promise<void> {
  const kept = { answer: textOf(answer), operationPublicId, eventSeq: lastEvent };
  // Citus allows no now() here; the time that the new row has is the same.
  const createdAt = sql`excluded.created_at`;
  const isReplaced = sql`${createdAt} - ${idempotencyKey.createdAt} > ${KEPT}`;
  await db
    .insert(idempotencyKey)
    .values({ workspaceId: NO_WORKSPACE, accountId, key, requestHash, ...kept })
    .onConflictDoUpdate({
      target: [idempotencyKey.workspaceId, idempotencyKey.accountId, idempotencyKey.key],
      set: { ...kept, requestHash: sql`case when ${isReplaced} then ${requestHash}::text end`, createdAt },
    });
}

/** Sweep: deletes the responses that are older than 24 hours. */
export const forgetOldAnswers: Sweep = (db) =>
  untilFewerThan(SWEPT_AT_ONCE, async (limit) => {
    const { workspaceId, accountId, key, createdAt } = idempotencyKey;
    const old = await db
      .select({ workspaceId, accountId, key })
      .from(idempotencyKey)
      .where(acrossWorkspaces("what is over", isOver))
      .orderBy(createdAt)
      .limit(limit);
    let removed = 0;
    for (const [workspace, keys] of byWorkspace(old)) {
      const found = records("expired", { workspaceId: "bigint", accountId: "bigint", key: "text" }, keys);
      removed += await db.run(sql`
        delete from ${idempotencyKey} using ${found}
        where ${workspaceId} = ${workspace}::bigint and ${accountId} = expired."accountId" and ${key} = expired.key and ${isOver}
        returning ${key}`);
    }
    return removed;
  });
