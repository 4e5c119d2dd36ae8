// Runs transactions with BEGIN in the same message as the first statement, and COMMIT in that of the last.

import type { Param, RowMode, TransactionConnection } from "../driver.js";
import { codes, quiet } from "../failures.js";
import { committed, type EmbeddedSession, type ProtocolMessage, rowsOf, type Statement } from "./session.js";
import { Queue } from "./sessionQueue.js";

const BEGIN: Statement = { text: "begin isolation level read committed", params: [] };
const COMMIT: Statement = { text: "commit", params: [] };
const ROLLBACK: Statement = { text: "rollback", params: [] };

/** Runs `run` in a transaction on a session of its own. Throws what `run` threw, or the error of the first failed statement. */
export async function inEmbeddedTransaction<T>(
  session: EmbeddedSession,
  run: (transaction: EmbeddedTransaction) => Promise<T>,
): Promise<T> {
  const transaction = new EmbeddedTransaction(session);
  try {
    const result = await run(transaction);
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.abandon();
    throw error;
  }
}

/** The inside of a transaction. Promises it returns may be left unawaited, whatever becomes of them. */
class EmbeddedTransaction implements TransactionConnection {
  readonly #session: EmbeddedSession;
  readonly #queue = new Queue();
  #begun = false;
  #over = false;
  #last: Promise<unknown[]> | undefined;
  /** The error that broke the transaction: after it, every statement fails with 25P02 only. */
  #failure: unknown;

  constructor(session: EmbeddedSession) {
    this.#session = session;
  }

  query(text: string, params: readonly Param[], mode: RowMode): Promise<unknown[]> {
    return this.#add(async () => rowsOf(await this.#run([{ text, params }]), mode));
  }

  last(text: string, params: readonly Param[], mode: RowMode): Promise<unknown[]> {
    const answer = this.#add(async () => rowsOf(await this.#run([{ text, params }, COMMIT]), mode));
    if (!this.#over) this.#last = answer;
    this.#over = true;
    return answer;
  }

  /** Runs SQL of many statements; resolves to the rows, as objects, of the last statement that returns any. */
  script(text: string): Promise<unknown[]> {
    return this.#add(async () => {
      if (!this.#begun) await this.#run([]);
      return rowsOf(await this.#session.script(text), "object");
    });
  }

  /** Resolves when committed, by `last` or here. Throws when the transaction was rolled back. */
  async commit(): Promise<void> {
    this.#over = true;
    await this.#queue.empty();
    if (this.#last) await this.#last;
    else if (this.#begun) await this.#commit();
  }

  /** Rolls back what is not yet committed; never throws. */
  async abandon(): Promise<void> {
    this.#over = true;
    await this.#queue.empty();
    if (this.#session.isInTransaction) await this.#session.run([ROLLBACK]).catch(() => {});
  }

  async #commit(): Promise<void> {
    const messages = await this.#session.run([COMMIT]);
    // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK, and no error.
    if (!committed(messages)) throw this.#failure ?? new Error("PostgreSQL rolled the transaction back");
  }

  #add(work: () => Promise<unknown[]>): Promise<unknown[]> {
    if (this.#over) return quiet(Promise.reject(new Error("The transaction is over")));
    return quiet(this.#queue.add(() => this.#watched(work)));
  }

  async #watched(work: () => Promise<unknown[]>): Promise<unknown[]> {
    try {
      return await work();
    } catch (error) {
      if (!codes(error).includes("25P02")) this.#failure = error;
      throw this.#failure ?? error;
    }
  }

  #run(statements: Statement[]): Promise<ProtocolMessage[]> {
    const all = this.#begun ? statements : [BEGIN, ...statements];
    this.#begun = true;
    return this.#session.run(all);
  }
}
