// What the same request is answered with when it comes again under its Idempotency-Key: the answer that was kept, with the headers of
// the first.

import type { Database } from "../db/client.js";
import type { RequestOptions, Signed } from "./context.js";
import { Failure } from "./errors.js";
import { type KeptAnswer, keepOutside, keptAnswer } from "./idempotency.js";

/** Tells by the headers of an answer which operation and event it is known by in the log. */
export function tellOperation(
  { requestOptions }: { requestOptions: Pick<RequestOptions, "setHeader"> },
  operationPublicId: string | null,
  lastEvent: number | null,
): void {
  if (operationPublicId === null || lastEvent === null) return;
  requestOptions.setHeader("operation-id", operationPublicId);
  requestOptions.setHeader("event-id", String(lastEvent));
}

/**
 * The answer that is kept under the request's key although the change failed. Throws CONFLICT where the key was used with another
 * input meanwhile, and otherwise the change's own error.
 */
export async function keptDespite(
  { db, requestOptions: { idempotency } }: Pick<Signed<Database>, "db" | "requestOptions">,
  error: unknown,
): Promise<KeptAnswer> {
  if (idempotency === null) throw error;
  const kept = await keptAnswer(db, idempotency).catch((failure: unknown) => {
    throw failure instanceof Failure && failure.code === "CONFLICT" ? failure : error;
  });
  if (kept === null) throw error;
  return kept;
}

/** The answer that was kept, with the headers of the first. */
export function replay<T>(ctx: Pick<Signed, "requestOptions">, kept: KeptAnswer): T {
  ctx.requestOptions.setHeader("idempotent-replayed", "true");
  tellOperation(ctx, kept.operationPublicId, kept.eventSeq);
  if (kept.etag !== null) ctx.requestOptions.setHeader("etag", kept.etag);
  return JSON.parse(kept.answer);
}

/**
 * Runs an action that acts on the outside, which no transaction takes back: not again under an Idempotency-Key whose answer is kept.
 * Of two at once under one key both may run.
 */
export async function runOnce<T>(ctx: Signed<Database>, run: () => Promise<T>): Promise<T> {
  const { idempotency } = ctx.requestOptions;
  const kept = idempotency === null ? null : await keptAnswer(ctx.db, idempotency);
  if (idempotency === null || kept === null) return run();
  idempotency.isTaken = true;
  return replay(ctx, kept);
}

/**
 * The answer of an operation under its Idempotency-Key: kept, where no change has kept it with itself; the one that was kept, where
 * another request came first.
 */
export async function keptOnce<T>(
  { db, requestOptions }: { db: Database; requestOptions: RequestOptions },
  answer: T,
): Promise<T> {
  const { idempotency } = requestOptions;
  if (idempotency === null || idempotency.isTaken) return answer;
  try {
    await keepOutside(db, idempotency, { answer, operationPublicId: null, lastEvent: null });
    return answer;
  } catch (error) {
    return replay({ requestOptions }, await keptDespite({ db, requestOptions }, error));
  }
}
