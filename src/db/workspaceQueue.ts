// One workspace, one writer: the changes of a workspace wait here, and run one behind the other in transactions that lock the
// workspace's counter before anything else. Changes that wait together are committed together.

import type { Connection, Driver, TransactionConnection } from "./driver.js";
import type { EarlyRead } from "./earlyReads.js";
import { isConnectionError, isLockTimeout, isRetryable, OverloadError } from "./failures.js";
import type { Queries, Transaction } from "./queries.js";
import { addTouched, type Touched } from "./touched.js";
import { type CommitHook, type CommitHookFactory, Unit, type UnitOfWork } from "./unitOfWork.js";
import { WorkspaceTransaction } from "./workspaceTransaction.js";

/** The options of a change. */
export interface ChangeOptions {
  /** The account that makes the change; changes of several accounts take turns. */
  accountId: number | null;
  /** Whether it has a transaction of its own. */
  alone?: boolean;
  /** The statements that its guard begins with, which are sent before its turn. */
  early?: readonly EarlyRead[];
}

interface Change {
  run: (unit: UnitOfWork) => Promise<unknown>;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
  accountId: number | null;
  isAlone: boolean;
  early: readonly EarlyRead[];
  since: number;
  /** The number of attempts since it first failed in the middle of a transaction. */
  tries: number;
  /** Whether it waited in vain for a lock that nothing of this service holds: the retry uses a short lock timeout. */
  hasShortLockTimeout: boolean;
}

/** The most changes that are committed together, and the most of one account while others wait. */
const TOGETHER = 16;
const OF_ACCOUNT = 4;
const TRIES = 4;
/** The most changes of a workspace that wait, and the longest time that they wait. */
const WAITING_MAX = 1000;
const DEADLINE_MS = 10_000;
const SWEEP_MS = 500;

/** Every change of the batch was refused, or changed nothing. */
class NothingWritten extends Error {}

/** The parts of its database that a queue needs. */
interface QueueParts {
  driver: Driver;
  queriesOn: (connection: Connection) => Queries;
  hooks: readonly CommitHookFactory[];
  onCommit: (touched: Touched) => void;
}

/** The changes of a workspace that wait, account by account. */
class Waiting {
  readonly #byAccount = new Map<number | null, Change[]>();
  size = 0;

  push(change: Change): void {
    this.#of(change).push(change);
    this.size += 1;
  }

  /** Puts a change back before all others. */
  unshift(change: Change): void {
    const own = this.#of(change);
    own.unshift(change);
    this.#byAccount.delete(change.accountId);
    const others = [...this.#byAccount];
    this.#byAccount.clear();
    this.#byAccount.set(change.accountId, own);
    for (const [accountId, changes] of others) this.#byAccount.set(accountId, changes);
    this.size += 1;
  }

  /** The change whose turn it is, unless `mayTake` refuses it. Accounts take turns; each has its changes in order. */
  next(mayTake: (change: Change) => boolean): Change | undefined {
    for (const [accountId, changes] of this.#byAccount) {
      const [change] = changes;
      if (change === undefined || !mayTake(change)) continue;
      changes.shift();
      this.size -= 1;
      this.#byAccount.delete(accountId);
      if (changes.length > 0) this.#byAccount.set(accountId, changes);
      return change;
    }
    return undefined;
  }

  /** Takes out the changes that have waited since before an instant, or all of them. */
  take(before = Number.POSITIVE_INFINITY): Change[] {
    const taken: Change[] = [];
    for (const [accountId, changes] of this.#byAccount) {
      const remaining = changes.filter((change) => change.since >= before);
      taken.push(...changes.filter((change) => change.since < before));
      if (remaining.length === 0) this.#byAccount.delete(accountId);
      else this.#byAccount.set(accountId, remaining);
    }
    this.size -= taken.length;
    return taken;
  }

  #of({ accountId }: Change): Change[] {
    const changes = this.#byAccount.get(accountId) ?? [];
    this.#byAccount.set(accountId, changes);
    return changes;
  }
}

/** The queues of all workspaces in which changes wait or run in this process. */
export class WorkspaceQueues {
  readonly #parts: QueueParts;
  readonly #queues = new Map<number, Waiting>();
  readonly #sweeps: NodeJS.Timeout;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#sweeps = setInterval(() => this.#refuseLate(), SWEEP_MS).unref();
  }

  /**
   * Runs a change of a workspace in its turn; resolves once it is committed. `run` may be run again, and awaits nothing but the
   * unit's own reads.
   * @throws OverloadError when too many wait, or it has waited for 10 s; a connection error when nobody knows what became of it.
   */
  run<T>(
    workspaceId: number,
    { accountId, alone = false, early = [] }: ChangeOptions,
    run: (unit: UnitOfWork) => Promise<T>,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const since = performance.now();
      const settle = { resolve: (answer: unknown) => resolve(answer as T), reject };
      const change: Change = {
        run,
        accountId,
        isAlone: alone,
        early,
        since,
        tries: 0,
        hasShortLockTimeout: false,
        ...settle,
      };
      const waiting = this.#queues.get(workspaceId);
      if (waiting === undefined) {
        const queue = new Waiting();
        queue.push(change);
        this.#queues.set(workspaceId, queue);
        void this.#serve(workspaceId, queue);
      } else if (waiting.size >= WAITING_MAX) {
        reject(new OverloadError("Too many changes of the workspace wait"));
      } else {
        waiting.push(change);
      }
    });
  }

  close(): void {
    clearInterval(this.#sweeps);
  }

  /** Runs what waits until nothing does; other workspaces get their turn at the sessions after each batch. */
  async #serve(workspaceId: number, waiting: Waiting): Promise<void> {
    while (waiting.size > 0) {
      const batch = new Batch(this.#parts, workspaceId, waiting);
      try {
        await this.#parts.driver.transaction((connection) => batch.run(connection), workspaceId);
      } catch (error) {
        if (error instanceof NothingWritten) batch.reply();
        else batch.fail(error);
        continue;
      }
      batch.answer();
    }
    this.#queues.delete(workspaceId);
  }

  #refuseLate(): void {
    const before = performance.now() - DEADLINE_MS;
    for (const waiting of this.#queues.values()) {
      for (const change of waiting.take(before)) {
        change.reject(waitedTooLong());
      }
    }
  }
}

/** Changes that are committed together, in one transaction of their workspace. */
class Batch {
  readonly #parts: QueueParts;
  readonly #workspaceId: number;
  readonly #waiting: Waiting;
  readonly #taken: Change[] = [];
  readonly #answers: (() => void)[] = [];
  #transaction: WorkspaceTransaction | undefined;
  #isCommitting = false;
  /** The number of taken changes that have begun. */
  #run = 0;

  constructor(parts: QueueParts, workspaceId: number, waiting: Waiting) {
    this.#parts = parts;
    this.#workspaceId = workspaceId;
    this.#waiting = waiting;
  }

  async run(connection: TransactionConnection): Promise<void> {
    const transaction = new WorkspaceTransaction(connection, this.#workspaceId, this.#parts.driver);
    this.#transaction = transaction;
    const db = this.#parts.queriesOn(transaction.connection);
    const hooks = this.#parts.hooks.map((create) => create(db, this.#workspaceId));
    this.#take(transaction);
    for (let change = this.#taken[0]; change !== undefined; change = this.#taken[this.#run]) {
      this.#run += 1;
      if (change.hasShortLockTimeout) connection.query(SHORT_LOCK_TIMEOUT, [], "array").catch(() => {});
      this.#answers.push(await this.#outcomeOf(change, new Unit(transaction, db)));
      this.#take(transaction);
    }
    if (!transaction.hasWritten && transaction.events.length === 0) throw new NothingWritten();
    if (transaction.events.length > 0) await this.#beforeCommit(hooks, new Unit(transaction, db));
    this.#isCommitting = true;
    await transaction.commit();
  }

  async #beforeCommit(hooks: readonly CommitHook[], unit: Unit): Promise<void> {
    for (const hook of hooks) await hook.beforeCommit(unit, this.#transaction?.events ?? []);
  }

  /**
   * Takes the changes that may go along, more of an account once nobody else waits, and sends what their guards read, unless only the
   * next one is there.
   */
  #take(transaction: WorkspaceTransaction): void {
    const from = this.#taken.length;
    this.#takeUpTo(OF_ACCOUNT);
    if (this.#taken.length === this.#run) this.#takeUpTo(TOGETHER);
    if (this.#taken.length <= this.#run + 1) return;
    for (const { early } of this.#taken.slice(from)) {
      for (const read of early) transaction.readEarly(read);
    }
  }

  /** Takes changes up to so many of an account: what must be alone, or failed before, has the transaction to itself. */
  #takeUpTo(most: number): void {
    const taken = this.#taken;
    const ofAccount = (accountId: number | null) => taken.filter((other) => other.accountId === accountId).length;
    const mayTake = (change: Change) =>
      (taken.length === 0 || !runsAlone(change)) && ofAccount(change.accountId) < most;
    while (taken.length < TOGETHER && !taken.some(runsAlone)) {
      const change = this.#waiting.next(mayTake);
      if (change === undefined) return;
      taken.push(change);
    }
  }

  /** Runs a change; how it is to be answered after the commit. Throws where nothing more can be done in this transaction. */
  async #outcomeOf(change: Change, unit: Unit): Promise<() => void> {
    try {
      const answer = await change.run(unit);
      this.#mustBeIntact();
      return () => change.resolve(answer);
    } catch (error) {
      this.#mustBeIntact();
      if (!unit.undo()) throw error;
      return () => change.reject(error);
    }
  }

  #mustBeIntact(): void {
    const breakage = this.#transaction?.breakage ?? null;
    if (breakage !== null) throw breakage.error;
  }

  /** After the commit: answers the changes, and wakes those who wait for them. */
  answer(): void {
    const { touched } = this.#transaction ?? {};
    try {
      if (touched !== undefined) this.#parts.onCommit(touched);
    } finally {
      this.reply();
    }
  }

  /** Answers the changes. */
  reply(): void {
    for (const answer of this.#answers) answer();
  }

  /** After a rollback: has each change tried alone, or refuses it where that is hopeless or nobody knows what was committed. */
  fail(error: unknown): void {
    const taken = this.#taken.splice(0, this.#run);
    for (const change of this.#taken.toReversed()) {
      if (performance.now() - change.since > DEADLINE_MS) change.reject(waitedTooLong());
      else this.#waiting.unshift(change);
    }
    if (taken.length === 0) this.#failToBegin(error);
    const isLate = isLockTimeout(error);
    // Citus locks the shards that it moves, and waits there for transactions that have begun: these give way, and wait for their turn.
    const isBeforeLock = isLate && (this.#parts.driver.isDistributed || this.#transaction?.isLocked !== true);
    const isHopeless = isConnectionError(error) || (taken.length === 1 && !isBeforeLock && !isRetryable(error));
    const running = isLate && !isBeforeLock && !this.#isCommitting ? taken.at(-1) : undefined;
    for (const change of taken.toReversed()) {
      const hasWaitedLong = performance.now() - change.since > DEADLINE_MS;
      change.tries += isBeforeLock ? 0 : 1;
      change.hasShortLockTimeout = isLate && !isBeforeLock;
      if (isHopeless || hasWaitedLong || change === running || change.tries >= TRIES) change.reject(error);
      else this.#waiting.unshift(change);
    }
  }

  /** No session was to be had, so that those who wait have waited as long. */
  #failToBegin(error: unknown): void {
    for (const change of this.#waiting.take()) change.reject(error);
  }
}

const waitedTooLong = () => new OverloadError("The change has waited too long for its workspace");

const runsAlone = ({ isAlone, tries }: Change) => isAlone || tries > 0;

/** Behind the workspace's lock there is normally nothing to wait for. */
const SHORT_LOCK_TIMEOUT = "set local lock_timeout = 100";

interface AllParts extends Omit<QueueParts, "onCommit"> {
  tx: Transaction;
  connection: TransactionConnection;
}

/** Runs a change of several workspaces: their counters are locked in ascending order, and written before `run` ends. */
export async function inAll<T>(
  { tx, connection, driver, queriesOn, hooks }: AllParts,
  workspaceIds: readonly number[],
  run: (tx: Transaction, units: Map<number, UnitOfWork>) => Promise<T>,
): Promise<T> {
  const transactions: WorkspaceTransaction[] = [];
  const units = new Map<number, UnitOfWork>();
  for (const workspaceId of [...new Set(workspaceIds)].sort((a, b) => a - b)) {
    const transaction = new WorkspaceTransaction(connection, workspaceId, driver);
    if (!(await transaction.isThere())) continue;
    transactions.push(transaction);
    units.set(workspaceId, new Unit(transaction, queriesOn(transaction.connection)));
  }
  const answer = await run(tx, units);
  for (const transaction of transactions) {
    const db = queriesOn(transaction.connection);
    const unit = new Unit(transaction, db);
    for (const create of hooks) await create(db, transaction.workspaceId).beforeCommit(unit, transaction.events);
    await transaction.finish();
    addTouched(tx.touched, transaction.touched);
  }
  return answer;
}
