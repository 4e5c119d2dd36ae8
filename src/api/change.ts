// Runs changes: as the one writer of a workspace, or on an account. A change runs once under its Idempotency-Key, and the response
// names the operation and the event that the log has of it. docs/architecture.md lists when to call which function.

import type { Config } from "../config.js";
import { type Database, oncePer, type Queries, type Transaction } from "../db/client.js";
import { isConnectionError } from "../db/failures.js";
import { newPublicIdIn, workspaceOf } from "../db/ids.js";
import type { LoggedEvent, UnitOfWork } from "../db/unitOfWork.js";
import type { Caller, Client, RequestOptions, Signed } from "./context.js";
import { Failure, notFound, unavailable } from "./errors.js";
import {
  replay,
  runOnce,
  type StoredResponse,
  setOperationHeaders,
  storedDespite,
  storedInChange,
  storeInChange,
  storeWithoutLock,
} from "./idempotency.js";

/** Who or what makes a change, as events name it (capabilities section 0, Events). */
export type Origin = "user" | "token" | "mcp" | "automation" | "undo" | "import" | "system" | "operator";

/** A unit of work in which everything that is logged is one account's doing, and one operation. */
export interface Acting extends Omit<UnitOfWork, "log" | "lastEvent"> {
  /** Logs an event and gives its number, the revision of what it changed. */
  log(event: ActorlessEvent): number;
  /** Whether the service sends mail. */
  readonly sendsMail: boolean;
  readonly by: Actor & {
    /** Where the call came from; null where nobody calls. */
    client: Client | null;
  };
}

/** An event before it is known who does it. */
type ActorlessEvent = Omit<LoggedEvent, "actorId" | "operationPublicId" | "origin">;

/** The inside of a change: the caller's context, and what it writes. */
export interface Tx extends Acting, Omit<Signed, "workspaceId" | "db"> {}

/** How a change runs. */
export interface ChangeSettings {
  /** Whether it has a transaction of its own: one that later changes of the workspace must not share. */
  alone?: boolean;
  origin?: Origin;
}

/** The context in which a guard runs: that of a change, or of its account before the change has its turn. */
export type Guarded = Signed & { workspaceId: number };

/** Loads what is named and authorises the caller. Throws NOT_FOUND or FORBIDDEN. */
export type Guard<Named, Permission, Access> = (ctx: Guarded, named: Named, permission: Permission) => Promise<Access>;

const ADMITTED_MS = 60_000;
const ADMITTED_MAX = 20_000;

/** Until when accounts are taken to belong to workspaces, in milliseconds, by `workspace account`. */
const admittedIn = oncePer(() => new Map<string, number>());

export const originOf = ({ token }: Caller): Origin => (token.kind === "session" ? "user" : "token");

/**
 * The caller, whose token is asked for again by the guard: one that ended while the change waited is refused.
 */
const unverified = ({ accountId, publicId, isGuest, token, claim: { tokenHash } }: Caller): Caller => ({
  accountId,
  publicId,
  isGuest,
  token,
  claim: { tokenHash, isVerified: false },
});

/** Who does something, and the origin that the log records. `accountId` is null for the service itself. */
export interface Actor {
  accountId: number | null;
  origin: Origin;
}

/** The settings that say whether mail is sent. */
type MailSettings = Pick<Config, "mail">;

/** What all changes of one operation have in common. */
interface ActedIn {
  operationPublicId: string;
  config: MailSettings;
  client: Client | null;
}

/** A unit that logs what an actor does. */
function actingIn(unit: UnitOfWork, actor: Actor, { operationPublicId, config, client }: ActedIn): Acting {
  const { accountId, origin } = actor;
  return {
    sendsMail: config.mail !== null,
    by: { client, ...actor },
    db: unit.db,
    workspaceId: unit.workspaceId,
    touched: unit.touched,
    get now() {
      return unit.now;
    },
    newPublicId: () => unit.newPublicId(),
    newRowId: () => unit.newRowId(),
    newCardNumber: () => unit.newCardNumber(),
    add: (table, ...rows) => unit.add(table, ...rows),
    set: (table, key, values) => unit.set(table, key, values),
    setEach: (table, rows) => unit.setEach(table, rows),
    remove: (table, where) => unit.remove(table, where),
    flush: () => unit.flush(),
    write: (statement) => unit.write(statement),
    removeWorkspace: () => unit.removeWorkspace(),
    log: (event) => unit.log({ actorId: accountId, operationPublicId, origin, ...event }),
  };
}

function txOf(ctx: Signed<Database>, unit: UnitOfWork, operationPublicId: string, origin: Origin): Tx {
  const { config, client, requestOptions } = ctx;
  const user = unverified(ctx.user);
  const acting = actingIn(unit, { accountId: user.accountId, origin }, { operationPublicId, config, client });
  return Object.assign(acting, { config, client, requestOptions, user });
}

/**
 * Passes the guard of a change outside of the queue, if its account has not lately been authorised in the workspace: accounts without
 * access cannot fill a queue. Throws what the guard throws.
 */
async function admit(
  ctx: Signed<Database>,
  workspaceId: number,
  pass: (on: Guarded) => Promise<unknown>,
): Promise<void> {
  const admitted = admittedIn(ctx.db);
  const key = `${workspaceId} ${ctx.user.accountId}`;
  if ((admitted.get(key) ?? 0) > Date.now()) return;
  admitted.delete(key);
  await pass({ ...ctx, workspaceId, user: unverified(ctx.user) });
  if (admitted.size >= ADMITTED_MAX) admitted.clear();
  admitted.set(key, Date.now() + ADMITTED_MS);
}

/** The result of a change: its answer and the last event that it wrote, or the response that was stored before. */
type Outcome<T> = { answer: T; lastEvent: number | null } | { stored: StoredResponse };

/**
 * Runs a change of what is named, in the turn of its workspace, as the one writer: behind the guard, `run` reads what holds until it
 * is committed, and writes through `tx`. Both may be run more than once, and await nothing but the database. With an Idempotency-Key
 * it happens once, and its response is stored with it.
 * @throws NOT_FOUND for an identifier that belongs to no workspace; SERVICE_UNAVAILABLE when it has waited too long.
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
  const pass = async (on: Guarded) => guard(on, named, permission);
  return runOnce(ctx, publicId, () => changeIn(ctx, workspaceId, pass, run, settings));
}

/** Runs a change of a workspace behind its guard, unless the response to its request is stored when its turn comes. */
async function changeIn<Access, T>(
  ctx: Signed<Database>,
  workspaceId: number,
  pass: (on: Guarded) => Promise<Access>,
  run: (tx: Tx, access: Access) => Promise<T>,
  { alone = false, origin = originOf(ctx.user) }: ChangeSettings,
): Promise<T> {
  const { idempotency } = ctx.requestOptions;
  if (idempotency !== null) idempotency.isStored = true;
  await admit(ctx, workspaceId, pass);
  const operationPublicId = newPublicIdIn(workspaceId);
  const { accountId } = ctx.user;
  const early = (db: Queries) => pass({ ...ctx, db, workspaceId, user: unverified(ctx.user) });
  const outcome = await ctx.db
    .change(workspaceId, { accountId, alone, guard: early }, async (unit): Promise<Outcome<T>> => {
      const stored = idempotency === null ? null : await storedInChange(unit, idempotency);
      if (stored !== null) return { stored };
      const tx = txOf(ctx, unit, operationPublicId, origin);
      const answer = await run(tx, await pass(tx));
      ctx.user.claim.isVerified ||= tx.user.claim.isVerified;
      const { lastEvent } = unit;
      if (idempotency !== null) storeInChange(unit, idempotency, { answer, operationPublicId, lastEvent });
      return { answer, lastEvent };
    })
    .catch(async (error: unknown): Promise<Outcome<T>> => {
      forgetRefused(ctx, workspaceId, error);
      // What became of the COMMIT nobody knows, unless its response is found.
      if (!isConnectionError(error)) throw error;
      return { stored: await storedDespite(ctx, error) };
    });
  if ("stored" in outcome) return replay(ctx, outcome.stored);
  setOperationHeaders(ctx, operationPublicId, outcome.lastEvent);
  return outcome.answer;
}

/** After a refusal under the lock, the account counts as unauthorised and its token as unverified. */
function forgetRefused({ db, user }: Signed<Database>, workspaceId: number, error: unknown): void {
  if (!(error instanceof Failure) || error.code !== "FORBIDDEN") return;
  admittedIn(db).delete(`${workspaceId} ${user.accountId}`);
  user.claim.isVerified = false;
}

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

/** What a change of accounts needs of its context. */
interface ChangedThrough {
  db: Database;
  requestOptions: Pick<RequestOptions, "setHeader">;
  config: MailSettings;
  client: Client | null;
}

/**
 * Runs a change of several workspaces, or of accounts alone, in one transaction. The counters of the workspaces that `inAll` names
 * are locked in ascending order. `inAll` may lock an account before them, so that it comes to no further workspace, with a lock that
 * lets the writers of workspaces refer to it (`FOR NO KEY UPDATE`); stronger locks are taken behind the counters. `unitFor` gives the
 * unit of a workspace, and has all of it begin again for one that was not locked.
 */
export async function changeAll<T>(
  { db, requestOptions, config, client }: ChangedThrough,
  inAll: (db: Transaction) => Promise<readonly number[]>,
  run: (db: Transaction, unitFor: UnitFor) => Promise<T>,
  storeIn?: (db: Transaction, answer: T, operation: Operation | null) => Promise<void>,
): Promise<T> {
  const attempt = async () =>
    db.changeAll(inAll, async (transaction, units) => {
      const publicIds = new Map<number, string>();
      const answer = await run(transaction, (workspaceId, actor) => {
        const unit = units.get(workspaceId);
        if (unit === undefined) throw new Outgrown("A workspace came to it that was not locked");
        const publicId = publicIds.get(workspaceId) ?? newPublicIdIn(workspaceId);
        publicIds.set(workspaceId, publicId);
        return actingIn(unit, actor, { operationPublicId: publicId, config, client });
      });
      const operation = onlyOperation(units, publicIds);
      await storeIn?.(transaction, answer, operation);
      return { answer, operation };
    });
  for (let count = 1; ; count += 1) {
    try {
      const { answer, operation } = await attempt();
      setOperationHeaders({ requestOptions }, operation?.publicId ?? null, operation?.lastEvent ?? null);
      return answer;
    } catch (error) {
      if (!(error instanceof Outgrown)) throw error;
      if (count === OUTGROWN_ATTEMPTS) throw unavailable(1);
    }
  }
}

/**
 * Runs a change on the caller's account, in a transaction of its own; once under an Idempotency-Key. `inAll` names the workspaces
 * that it changes as well, each of which has its unit.
 */
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
          await storeWithoutLock(db, idempotency, { answer, operationPublicId: publicId, lastEvent });
        },
      );
    } catch (error) {
      return replay(ctx, await storedDespite(ctx, error));
    }
  });
}

/**
 * Runs a change of a workspace by somebody who need not belong to it, in its turn, as its one writer. `run` decides who may, and
 * names the actor, which it may have made.
 */
export async function changeAsStranger<T>(
  { db, requestOptions, config, client }: ChangedThrough,
  { workspaceId, accountId }: { workspaceId: number; accountId: number | null },
  run: (unit: UnitOfWork, as: (actor: Actor) => Acting) => Promise<T>,
): Promise<T> {
  const operationPublicId = newPublicIdIn(workspaceId);
  const { answer, lastEvent } = await db.change(workspaceId, { accountId }, async (unit) => {
    const answer = await run(unit, (actor) => actingIn(unit, actor, { operationPublicId, config, client }));
    return { answer, lastEvent: unit.lastEvent };
  });
  setOperationHeaders({ requestOptions }, operationPublicId, lastEvent);
  return answer;
}

/** How a change of the service or of an operator runs. */
interface SystemSettings {
  /** Left out where nobody is notified. */
  config?: MailSettings;
  origin?: "system" | "operator";
}

const WITHOUT_MAIL: MailSettings = { mail: null };

/** Runs a change of a workspace by the service, or by an operator's command, as the workspace's one writer. */
export function changeAsSystem<T>(
  db: Database,
  workspaceId: number,
  run: (tx: Acting) => Promise<T>,
  { config = WITHOUT_MAIL, origin = "system" }: SystemSettings = {},
): Promise<T> {
  const operationPublicId = newPublicIdIn(workspaceId);
  return db.change(workspaceId, { accountId: null, alone: true }, (unit) =>
    run(actingIn(unit, { accountId: null, origin }, { operationPublicId, config, client: null })),
  );
}

/** Runs a change of several workspaces and accounts by the service, or by an operator's command, as `changeAll` does. */
export const changeAllAsSystem = <T>(
  db: Database,
  inAll: (db: Transaction) => Promise<readonly number[]>,
  run: (db: Transaction, unitOf: (workspaceId: number) => Acting) => Promise<T>,
  { config = WITHOUT_MAIL, origin = "system" }: SystemSettings = {},
): Promise<T> =>
  changeAll({ db, requestOptions: { setHeader: () => {} }, config, client: null }, inAll, (tx, unitFor) =>
    run(tx, (workspaceId) => unitFor(workspaceId, { accountId: null, origin })),
  );
