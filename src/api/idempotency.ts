// Repeated requests: the first answer to an Idempotency-Key is kept in the transaction of its change and given again for 24
// hours (contract section 1, Idempotency-Key).

import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Queries, Transaction } from "../db/client.js";
import { badRequest, conflict, forbidden } from "./errors.js";

/** A key with what it was sent with, and who sent it. */
export interface Idempotency {
  key: string;
  /** SHA-256 of method, path and body. */
  requestHash: string;
  accountId: number;
  boundWorkspaceId: number | null;
  /** Called when an answer that was kept is given. */
  onReplay(): void;
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
 * Runs a change under its key, or gives the answer that was kept. While the first request runs, the others wait for its key.
 * `workspaceId` tells afterwards which workspace the change was in.
 * @throws CONFLICT when the key came with another request; FORBIDDEN when the token is bound to another workspace.
 */
export async function once<T>(
  db: Transaction,
  { key, requestHash, accountId, boundWorkspaceId, onReplay }: Idempotency,
  run: () => Promise<T>,
  workspaceId: () => number | null,
): Promise<T> {
  const taken = await db.rows(sql`
    insert into idempotency_key as k (account_id, key, request_hash, answer)
    values (${accountId}::bigint, ${key}::text, ${requestHash}::text, '')
    on conflict (account_id, key) do update set request_hash = excluded.request_hash, answer = '', created_at = now()
      where k.created_at < now() - ${KEPT}
    returning key`);
  const mine = sql`account_id = ${accountId}::bigint and key = ${key}::text`;
  if (taken.length === 0) {
    const [kept] = await db.rows<Kept>(sql`
      select request_hash as "requestHash", answer, workspace_id as "workspaceId" from idempotency_key where ${mine}`);
    const isElsewhere = kept?.workspaceId != null && kept.workspaceId !== boundWorkspaceId;
    if (boundWorkspaceId !== null && isElsewhere) throw forbidden();
    if (kept?.requestHash !== requestHash) throw conflict();
    onReplay();
    return JSON.parse(kept.answer);
  }
  const answer = await run();
  await db.last(sql`
    update idempotency_key set answer = ${JSON.stringify(answer ?? null)}::text, workspace_id = ${workspaceId()}::bigint
    where ${mine}`);
  return answer;
}

/** Forgets the answers that are older than 24 hours. */
export async function forgetOldAnswers(db: Queries): Promise<void> {
  await db.rows(sql`delete from idempotency_key where created_at < now() - ${KEPT}`);
}
