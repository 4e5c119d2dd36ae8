// Runs changes of accounts, and of the workspaces that such a change concerns, in one transaction. docs/architecture.md lists when to
// call which function.

import type { Acting, ActingCall, Actor, SystemSettings } from "../api/acting.js";
import { actingIn, originOf, WITHOUT_MAIL } from "../api/acting.js";
import type { Caller, RequestOptions, Signed } from "../api/context.js";
import { unavailable } from "../api/errors.js";
import {
  replay,
  responseAfterError,
  runOnce,
  saveResponseWithoutLock,
  setOperationHeaders,
} from "../api/idempotency.js";
import type { Database, Transaction } from "../db/client.js";
import { newPublicIdIn } from "../db/ids.js";
import type { UnitOfWork } from "../db/unitOfWork.js";

/** A unit of the workspace in which an account acts; an account may be made in the change itself. */
type UnitFor = (workspaceId: number, actor: Actor) => Acting;

/** The change needs a workspace that it did not lock, for example because the account has just joined it. It begins again. */
class Outgrown extends Error {}

const OUTGROWN_ATTEMPTS = 5;

interface Operation {
  publicId: string;
  lastEvent: number;
}

/** The operation of a change that wrote events in one workspace; null where it was none, or several. */
function onlyOperation(units: Map<number, UnitOfWork>, publicIds: Map<number, string>): Operation | null {
  const written = [...units.values()].filter(({ lastEvent }) => lastEvent !== null);
  const [only] = written;
  const publicId = publicIds.get(only?.workspaceId ?? Number.NaN);
  if (written.length !== 1 || publicId === undefined || only?.lastEvent == null) return null;
  return { publicId, lastEvent: only.lastEvent };
}

/** The database, and the call that changes it. */
interface AccountsCall extends ActingCall {
  db: Database;
  requestOptions: Pick<RequestOptions, "setHeader" | "requestKey">;
}

/**
 * Runs a change of several workspaces, or of accounts alone, in one transaction. The counters of the workspaces that `inAll` names
 * are locked in ascending order. `inAll` may lock an account before them, so that the account cannot join another workspace meanwhile, with a lock that
 * lets the writers of workspaces refer to it (`FOR NO KEY UPDATE`); stronger locks are taken behind the counters. `unitFor` gives the
 * unit of a workspace, and has all of it begin again for one that was not locked.
 */
export async function changeAll<T>(
  ctx: AccountsCall,
  inAll: (db: Transaction) => Promise<readonly number[]>,
  run: (db: Transaction, unitFor: UnitFor) => Promise<T>,
  storeIn?: (db: Transaction, answer: T, operation: Operation | null) => Promise<void>,
): Promise<T> {
  const attempt = async () =>
    ctx.db.changeAll(inAll, async (transaction, units) => {
      const publicIds = new Map<number, string>();
      const answer = await run(transaction, (workspaceId, actor) => {
        const unit = units.get(workspaceId);
        if (unit === undefined) throw new Outgrown("A workspace came to it that was not locked");
        const publicId = publicIds.get(workspaceId) ?? newPublicIdIn(workspaceId);
        publicIds.set(workspaceId, publicId);
        return actingIn(unit, actor, publicId, ctx);
      });
      const operation = onlyOperation(units, publicIds);
      await storeIn?.(transaction, answer, operation);
      return { answer, operation };
    });
  for (let count = 1; ; count += 1) {
    try {
      const { answer, operation } = await attempt();
      setOperationHeaders(ctx, operation?.publicId ?? null, operation?.lastEvent ?? null);
      return answer;
    } catch (error) {
      if (!(error instanceof Outgrown)) throw error;
      if (count === OUTGROWN_ATTEMPTS) throw unavailable(1);
    }
  }
}

/** Runs a change on the caller's account and the workspaces that `inAll` names; once under an Idempotency-Key. */
export function changeAccount<T, User extends Caller>(
  ctx: Signed<Database, User>,
  run: (tx: Signed<Transaction, User>, unitOf: (workspaceId: number) => Acting) => Promise<T>,
  inAll: (tx: Signed<Transaction, User>) => Promise<readonly number[]> = async () => [],
): Promise<T> {
  const { config, client, user, requestOptions } = ctx;
  const { idempotency } = requestOptions;
  const actor: Actor = { accountId: user.accountId, origin: originOf(user) };
  const txOn = (db: Transaction) => ({ db, config, client, user, requestOptions });
  return runOnce(ctx, null, async () => {
    if (idempotency !== null) idempotency.isStored = true;
    try {
      return await changeAll(
        ctx,
        (db) => inAll(txOn(db)),
        (db, unitFor) => run(txOn(db), (workspaceId) => unitFor(workspaceId, actor)),
        async (db, answer, operation) => {
          if (idempotency === null) return;
          const { publicId = null, lastEvent = null } = operation ?? {};
          await saveResponseWithoutLock(db, idempotency, { answer, operationPublicId: publicId, lastEvent });
        },
      );
    } catch (error) {
      return replay(ctx, await responseAfterError(ctx, error));
    }
  });
}

/** Runs a change of several workspaces and accounts by the service, or by an operator's command, as `changeAll` does. */
export const changeAllAsSystem = <T>(
  db: Database,
  inAll: (db: Transaction) => Promise<readonly number[]>,
  run: (db: Transaction, unitOf: (workspaceId: number) => Acting) => Promise<T>,
  { config = WITHOUT_MAIL, origin = "system" }: SystemSettings = {},
): Promise<T> =>
  changeAll(
    { db, requestOptions: { requestKey: null, setHeader: () => {} }, config, client: null },
    inAll,
    (tx, unitFor) => run(tx, (workspaceId) => unitFor(workspaceId, { accountId: null, origin })),
  );
