// Runs transactions with as few round trips as they can do with: BEGIN travels with the first statement and COMMIT with the
// last, and nothing in between waits unless the caller does.

import type { Param, RowMode, TransactionConnection } from "../driver.js";
import { codes, quiet } from "../failures.js";
import type { PostgresSession } from "./sessions.js";

/**
 * Runs `begin` (BEGIN, perhaps with SET LOCAL behind it), `run`, then COMMIT, on a session that is the caller's alone; ROLLBACK
 * when `run` throws. Throws what `run` threw, the first failed statement's error, or a connection error.
 */
export async function inPostgresTransaction<T>(
  session: PostgresSession,
  begin: readonly string[],
  run: (transaction: PostgresTransaction) => Promise<T>,
): Promise<T> {
  const transaction = new PostgresTransaction(session, begin);
  let result: T;
  try {
    result = await run(transaction);
  } catch (error) {
    await transaction.abandon();
    throw error;
  }
  await transaction.commit();
  return result;
}

/** The inside of a transaction. Promises it returns may be left unawaited, whatever becomes of them. */
class PostgresTransaction implements TransactionConnection {
  readonly #session: PostgresSession;
  #over = false;
  #ending: Promise<unknown> | undefined;
  /** The error that broke the transaction: after it, every statement fails with 25P02 only. */
  #failure: unknown;

  constructor(session: PostgresSession, begin: readonly string[]) {
    this.#session = session;
    // Without BEGIN, what was sent behind it runs by itself: the session must not be used further.
    for (const text of begin) session.control(text).catch((error: unknown) => session.lose(error));
  }

  query(text: string, params: readonly Param[], mode: RowMode): Promise<unknown[]> {
    if (this.#over) return quiet(Promise.reject(new Error("The transaction is over")));
    return quiet(this.#session.statement(text, params, mode, true).catch(this.#explain));
  }

  /** Runs SQL of many statements; resolves to the rows, as objects, of the last statement that returns any. */
  script(text: string): Promise<unknown[]> {
    if (this.#over) return quiet(Promise.reject(new Error("The transaction is over")));
    return quiet(this.#session.control(text).then(lastRows, this.#explain));
  }

  last(text: string, params: readonly Param[], mode: RowMode): Promise<unknown[]> {
    const answer = this.query(text, params, mode);
    if (this.#over) return answer;
    const ending = quiet(this.#settle(answer, this.#commit()));
    this.#ending = ending;
    return ending;
  }

  /** Resolves when committed, by `last` or here. Throws when the transaction was rolled back. */
  async commit(): Promise<void> {
    this.#ending ??= this.#commit();
    await this.#ending;
  }

  /** Rolls back, unless `last` has been sent; never throws. */
  async abandon(): Promise<void> {
    this.#over = true;
    if (this.#ending) await this.#ending.catch(() => {});
    else await this.#session.control("rollback").catch((error: unknown) => this.#session.lose(error));
  }

  async #settle(answer: Promise<unknown[]>, commit: Promise<void>): Promise<unknown[]> {
    const [rows, committed] = await Promise.allSettled([answer, commit]);
    if (rows.status === "rejected") throw rows.reason;
    if (committed.status === "rejected") throw committed.reason;
    return rows.value;
  }

  async #commit(): Promise<void> {
    this.#over = true;
    const { command } = await this.#session.control("commit");
    // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK, and no error.
    if (command !== "COMMIT") throw this.#failure ?? new Error("PostgreSQL rolled the transaction back");
  }

  readonly #explain = (error: unknown): never => {
    if (!codes(error).includes("25P02")) this.#failure = error;
    throw this.#failure ?? error;
  };
}

function lastRows(answer: unknown[]): unknown[] {
  const last = answer.at(-1);
  return Array.isArray(last) ? last : answer;
}
