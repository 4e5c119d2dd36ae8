// Repeated requests: the first answer to an Idempotency-Key is kept in the transaction of its change and given again for 24
// hours (contract section 1, Idempotency-Key).

import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import type { Database, Queries, Transaction } from "../db/client.js";
import { badRequest, conflict, forbidden } from "./errors.js";

/** A key with what it was sent with, and who sent it. */
export interface Idempotency {
  key: string;
  /** SHA-256 of method, path and body. */
  requestHash: string;
  accountId: number;
  boundWorkspaceId: number | null;
  /** Whether the answer that is given is one that was kept. */
  isReplayed: boolean;
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
    .update(JSON.stringify(body ?? {}))
    .digest("hex");

const KEPT = sql.raw("interval '24 hours'");

interface Kept {
  requestHash: string;
  answer: string;
  workspaceId: number | null;
}

/**
 * The statement that keeps an answer, which `from` may follow. Where the key is taken it fails, and what it stands in with it: the
 * request would become null.
 */
export const keeping = (
  { accountId, key, requestHash }: Idempotency,
  answer: SQL,
  workspaceId: SQL,
  from = sql``,
): SQL => sql`
  insert into idempotency_key as k (account_id, key, request_hash, answer, workspace_id)
  select ${accountId}::bigint, ${key}::text, ${requestHash}::text, ${answer}, ${workspaceId} ${from}
  on conflict (account_id, key) do update set
    request_hash = case when k.created_at < now() - ${KEPT} then excluded.request_hash end,
    answer = excluded.answer, workspace_id = excluded.workspace_id, created_at = now()`;

/**
 * Runs a change in a transaction that keeps its answer under its key, which costs one statement; where the key is taken, nothing
 * is changed and the answer that was kept is given. Of several at once one alone is committed. `run` leaves COMMIT to this, and
 * `workspaceId` tells afterwards which workspace the change was in.
 * @throws CONFLICT when the key came with another request; FORBIDDEN when the token is bound to another workspace.
 */
export const once = <T>(
  db: Database,
  idempotency: Idempotency,
  run: (tx: Transaction) => Promise<T>,
  workspaceId: () => number | null,
): Promise<T> =>
  unlessKept(db, idempotency, () =>
    db.transaction(async (tx) => {
      const answer = await run(tx);
      await tx.last(keeping(idempotency, sql`${JSON.stringify(answer ?? null)}::text`, sql`${workspaceId()}::bigint`));
      return answer;
    }),
  );

/** Runs a change that keeps its own answer; where that fails because the key is taken, gives the answer that was kept. */
export async function unlessKept<T>(db: Queries, idempotency: Idempotency, run: () => Promise<T>): Promise<T> {
  idempotency.isTaken = true;
  try {
    return await run();
  } catch (error) {
    const kept = await keptAnswer(db, idempotency);
    if (kept === null) throw error;
    return JSON.parse(kept);
  }
}

/**
 * The answer that is kept under a key, null where there is none: a change may fail also because it was made before.
 * @throws as `once` does.
 */
export async function keptAnswer(db: Queries, idempotency: Idempotency): Promise<string | null> {
  const { key, requestHash, accountId, boundWorkspaceId } = idempotency;
  const [kept] = await db.rows<Kept>(sql`
    select request_hash as "requestHash", answer, workspace_id as "workspaceId" from idempotency_key
    where account_id = ${accountId}::bigint and key = ${key}::text and created_at >= now() - ${KEPT}`);
  if (kept === undefined) return null;
  const isElsewhere = kept.workspaceId !== null && kept.workspaceId !== boundWorkspaceId;
  if (boundWorkspaceId !== null && isElsewhere) throw forbidden();
  if (kept.requestHash !== requestHash) throw conflict();
  idempotency.isReplayed = true;
  return kept.answer;
}

/** Forgets the answers that are older than 24 hours. */
export async function forgetOldAnswers(db: Queries): Promise<void> {
  await db.rows(sql`delete from idempotency_key where created_at < now() - ${KEPT}`);
}
