// Runs a caller's changes of a workspace, as its one writer. A change runs once under its Idempotency-Key, and the response names the
// operation and the last event. docs/architecture.md lists the functions for other changes.

import { type Database, oncePer } from "../db/client.js";
import type { EarlyRead } from "../db/earlyReads.js";
import { LARGE_CHANGE_BYTES } from "../db/embedded/disk.js";
import { isConnectionError } from "../db/failures.js";
import { newPublicIdIn, workspaceOf } from "../db/ids.js";
import type { UnitOfWork } from "../db/unitOfWork.js";
import { type Acting, actingIn, type Origin, originOf } from "./acting.js";
import type { Signed } from "./context.js";
import { Failure, lowOnSpace, notFound } from "./errors.js";
import {
  findResponseInChange,
  replay,
  responseAfterError,
  runOnce,
  type StoredResponse,
  saveResponseInChange,
  setOperationHeaders,
} from "./idempotency.js";

/** The inside of a change: the caller's context, and what it writes. */
export interface Tx extends Acting, Omit<Signed, "workspaceId" | "db"> {}

/** The settings of a change. */
interface ChangeSettings {
  /** Whether it has a transaction of its own: one that later changes of the workspace must not share. */
  alone?: boolean;
  /** Whether it can write hundreds of MiB: the disk of an embedded database must then have more space than for others. */
  isLarge?: boolean;
  origin?: Origin;
}

/** The context in which a guard runs: that of a change, or of its account before the change has its turn. */
type Guarded = Signed & { workspaceId: number };

/** Loads what is named and authorises the caller. Throws NOT_FOUND or FORBIDDEN. */
export interface Guard<Named, Permission, Access> {
  (ctx: Guarded, named: Named, permission: Permission): Promise<Access>;
  /** The statements that it begins with, to be sent before the turn of the change. */
  early?: (ctx: Pick<Guarded, "user" | "workspaceId">, named: Named) => EarlyRead[];
}

const AUTHORISED_MS = 60_000;
const AUTHORISED_MAX = 20_000;

/** The time in milliseconds until which an account counts as authorised in a workspace, by `workspace account`. */
const authorisedUntil = oncePer(() => new Map<string, number>());

function txOf(ctx: Signed<Database>, unit: UnitOfWork, operationPublicId: string, origin: Origin): Tx {
  const { config, client, requestOptions, user } = ctx;
  const acting = actingIn(unit, { accountId: user.accountId, origin }, operationPublicId, ctx);
  return Object.assign(acting, { config, client, requestOptions, user });
}

/** Runs the guard before the queue if the account was not authorised lately, so that callers without access cannot fill the queue. */
async function authoriseBeforeQueue(
  ctx: Signed<Database>,
  workspaceId: number,
  authorise: (ctx: Guarded) => Promise<unknown>,
): Promise<void> {
  const authorised = authorisedUntil(ctx.db);
  const key = `${workspaceId} ${ctx.user.accountId}`;
  if ((authorised.get(key) ?? 0) > performance.now()) return;
  authorised.delete(key);
  await authorise({ ...ctx, workspaceId });
  if (authorised.size >= AUTHORISED_MAX) authorised.clear();
  authorised.set(key, performance.now() + AUTHORISED_MS);
}

/** The result of a change: its answer and the last event that it wrote, or the response that was stored before. */
type Outcome<T> = { answer: T; lastEvent: number | null } | { stored: StoredResponse };

/**
 * Runs a change of what is named, in the turn of its workspace, as the one writer: behind the guard, `run` reads what holds until it
 * is committed, and writes through `tx`. Both may be run more than once, and await nothing but the database. With an Idempotency-Key
 * it happens once, and its response is stored with it.
 * @throws NOT_FOUND for an identifier that belongs to no workspace; SERVICE_UNAVAILABLE when it has waited too long, or the disk has no
 * space for it.
 */
export async function change<Named extends string | readonly string[], Permission, Access, T>(
  ctx: Signed<Database>,
  named: Named,
  guard: Guard<Named, Permission, Access>,
  permission: Permission,
  run: (tx: Tx, access: Access) => Promise<T>,
  settings: ChangeSettings = {},
): Promise<T> {
  const publicId = typeof named === "string" ? named : (named[0] ?? "");
  const workspaceId = workspaceOf(publicId);
  if (workspaceId === null) throw notFound();
  const authorise = (guarded: Guarded) => guard(guarded, named, permission);
  const early = guard.early?.({ user: ctx.user, workspaceId }, named) ?? [];
  return runOnce(ctx, publicId, () => changeIn(ctx, { workspaceId, early, authorise }, run, settings));
}

/** The workspace of a change, and the guard of what is changed there. */
interface GuardedChange<Access> {
  workspaceId: number;
  early: readonly EarlyRead[];
  authorise: (ctx: Guarded) => Promise<Access>;
}

/** Runs a change of a workspace behind its guard, unless the response to its request is stored when its turn comes. */
async function changeIn<Access, T>(
  ctx: Signed<Database>,
  { workspaceId, early, authorise }: GuardedChange<Access>,
  run: (tx: Tx, access: Access) => Promise<T>,
  { alone = false, isLarge = false, origin = originOf(ctx.user) }: ChangeSettings,
): Promise<T> {
  if (isLarge && ctx.db.freeBytes() < LARGE_CHANGE_BYTES) throw lowOnSpace();
  const { idempotency } = ctx.requestOptions;
  if (idempotency !== null) idempotency.isStored = true;
  await authoriseBeforeQueue(ctx, workspaceId, authorise);
  const operationPublicId = newPublicIdIn(workspaceId);
  const { accountId } = ctx.user;
  const outcome = await ctx.db
    .change(workspaceId, { accountId, alone, early }, async (unit): Promise<Outcome<T>> => {
      const stored = idempotency === null ? null : await findResponseInChange(unit, idempotency);
      if (stored !== null) return { stored };
      const tx = txOf(ctx, unit, operationPublicId, origin);
      const answer = await run(tx, await authorise(tx));
      const { lastEvent } = unit;
      if (idempotency !== null) saveResponseInChange(unit, idempotency, { answer, operationPublicId, lastEvent });
      return { answer, lastEvent };
    })
    .catch(async (error: unknown): Promise<Outcome<T>> => {
      forgetRefused(ctx, workspaceId, error);
      // Nobody knows whether the COMMIT succeeded, unless its response is found.
      if (!isConnectionError(error)) throw error;
      return { stored: await responseAfterError(ctx, error) };
    });
  if ("stored" in outcome) return replay(ctx, outcome.stored);
  setOperationHeaders(ctx, operationPublicId, outcome.lastEvent);
  return outcome.answer;
}

/** After a refusal under the lock, the account counts as unauthorised and its token as unverified. */
function forgetRefused({ db, user }: Signed<Database>, workspaceId: number, error: unknown): void {
  if (!(error instanceof Failure) || error.code !== "FORBIDDEN") return;
  authorisedUntil(db).delete(`${workspaceId} ${user.accountId}`);
  user.claim.doubt();
}
