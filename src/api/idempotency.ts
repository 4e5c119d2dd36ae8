// Repeated requests: the first answer to an Idempotency-Key is kept in the transaction of its change and given again for 24
// hours (contract section 1, Idempotency-Key).

import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import type { Queries } from "../db/client.js";
import { byWorkspace, records } from "../db/records.js";
import { idempotencyKey } from "../db/schema/index.js";
import { SWEPT_AT_ONCE, type Sweep, untilFewerThan } from "../db/sweeps.js";
import type { UnitOfWork } from "../db/unitOfWork.js";
import { badRequest, conflict, forbidden } from "./errors.js";
import { Prepared } from "./prepared.js";
import { Rendered } from "./rendered.js";

/** A key with what it was sent with, and who sent it. */
export interface Idempotency {
  key: string;
  /** SHA-256 of method, path and body. */
  requestHash: string;
  accountId: number;
  boundWorkspaceId: number | null;
  /** Whether a change has taken the key; what changes nothing leaves that to the binder. */
  isTaken: boolean;
}

const KEY = /^[!-~]{1,255}$/;

/** Checks the header; the issue names it. */
export function readKey(header: string): string {
  if (!KEY.test(header)) throw badRequest("Must be 1 to 255 visible ASCII characters", "Idempotency-Key");
  return header;
}

/** What must be the same when a key comes again. */
export const requestHashOf = (method: string, path: string, body: unknown) =>
  createHash("sha256")
    .update(`${method} ${path}\n`)
    .update(body instanceof Prepared ? body.bodyHash : JSON.stringify(body ?? {}))
    .digest("hex");

const KEPT = sql.raw("interval '24 hours'");

/** An answer that was kept, with the headers of the first. */
export interface Kept {
  answer: string;
  operationPublicId: string | null;
  eventSeq: number | null;
}

interface KeptRow extends Kept {
  requestHash: string;
  workspaceId: number;
  isOver: boolean;
}

const keptColumns = sql`request_hash as "requestHash", answer, workspace_id as "workspaceId",
  operation_public_id as "operationPublicId", event_seq as "eventSeq", created_at < now() - ${KEPT} as "isOver"`;

const textOf = (answer: unknown) =>
  answer instanceof Rendered ? answer.plain().toString() : JSON.stringify(answer ?? null);

/**
 * The answer of a key's first request, if this is the same.
 * @throws CONFLICT when the key came with another request; FORBIDDEN when the token is bound to another workspace.
 */
function matching({ requestHash, boundWorkspaceId }: Idempotency, row: KeptRow | undefined): Kept | null {
  if (row === undefined || row.isOver) return null;
  if (boundWorkspaceId !== null && row.workspaceId !== 0 && row.workspaceId !== boundWorkspaceId) throw forbidden();
  if (row.requestHash !== requestHash) throw conflict();
  return row;
}

/** The answer that an account's key is kept with, in whichever workspace; throws as `matching` does. */
export async function keptAnswer(db: Queries, idempotency: Idempotency): Promise<Kept | null> {
  const { key, accountId } = idempotency;
  const rows = await db.rows<KeptRow>(
    acrossWorkspaces(
      "answer kept for a key",
      sql`select ${keptColumns} from idempotency_key where account_id = ${accountId}::bigint and key = ${key}::text
        order by created_at desc limit 1`,
    ),
  );
  return matching(idempotency, rows[0]);
}

/** The same under the lock of a workspace, where of several requests at once one alone finds nothing. A key that is over is freed. */
export async function keptIn(unit: UnitOfWork, idempotency: Idempotency): Promise<Kept | null> {
  const { key, accountId } = idempotency;
  const [row] = await unit.db.rows<KeptRow>(sql`
    select ${keptColumns} from idempotency_key
    where workspace_id = ${unit.workspaceId}::bigint and account_id = ${accountId}::bigint and key = ${key}::text`);
  const kept = matching(idempotency, row);
  if (row !== undefined && kept === null) unit.remove(idempotencyKey, { accountId, key });
  return kept;
}

interface Answered {
  answer: unknown;
  operationPublicId: string | null;
  lastEvent: number | null;
}

/** Keeps an answer in the workspace of its change. */
export function keep(
  unit: UnitOfWork,
  idempotency: Idempotency,
  { answer, operationPublicId, lastEvent }: Answered,
): void {
  const { key, accountId, requestHash } = idempotency;
  unit.add(idempotencyKey, {
    accountId,
    key,
    requestHash,
    answer: textOf(answer),
    operationPublicId: lastEvent === null ? null : operationPublicId,
    eventSeq: lastEvent,
  });
}

/** The workspace under which answers are kept that are of none, or of several. */
const NO_WORKSPACE = 0;

/** Keeps an answer outside of any workspace. Fails where the key is taken, and with it the transaction. */
export async function keepOutside(
  db: Queries,
  { key, accountId, requestHash }: Idempotency,
  { answer, operationPublicId, lastEvent }: Answered,
): Promise<void> {
  await db.rows(sql`
    insert into idempotency_key as k (workspace_id, account_id, key, request_hash, answer, operation_public_id, event_seq)
    values (${NO_WORKSPACE}::bigint, ${accountId}::bigint, ${key}::text, ${requestHash}::text,
      ${textOf(answer)}::text, ${operationPublicId}::text, ${lastEvent}::bigint)
    on conflict (workspace_id, account_id, key) do update set
      request_hash = case when k.created_at < now() - ${KEPT} then excluded.request_hash end,
      answer = excluded.answer, operation_public_id = excluded.operation_public_id, event_seq = excluded.event_seq,
      created_at = now()`);
}

/** Sweep: forgets the answers that are older than 24 hours. */
export const forgetOldAnswers: Sweep = (db) =>
  untilFewerThan(SWEPT_AT_ONCE, async (limit) => {
    const old = await db.rows<{ workspaceId: number; accountId: number; key: string }>(
      acrossWorkspaces(
        "what is over",
        sql`select workspace_id as "workspaceId", account_id as "accountId", key from idempotency_key
          where created_at < now() - ${KEPT} order by created_at limit ${limit}::int`,
      ),
    );
    let removed = 0;
    for (const [workspaceId, keys] of byWorkspace(old)) {
      const forgotten = await db.rows(sql`
        delete from idempotency_key k using ${records("o", { workspaceId: "bigint", accountId: "bigint", key: "text" }, keys)}
        where k.workspace_id = ${workspaceId}::bigint and k.account_id = o."accountId" and k.key = o.key
          and k.created_at < now() - ${KEPT}
        returning k.key`);
      removed += forgotten.length;
    }
    return removed;
  });
