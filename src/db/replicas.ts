// Reads that may lag behind: on the replicas in turn, and on the primary while none of them answers.

import type { Database, Queries } from "./client.js";
import { codes, isConnectionError, isOverload, isRetryable } from "./failures.js";
import type { Selection } from "./selections.js";
import type { Statement } from "./statements.js";

/** An object that reads single statements. */
export type Reads = Pick<Queries, "read">;

/** The time for which a replica that failed is not used; after it, one read tries it while the others still pass it by. */
const REST_MS = 5000;

interface Replica {
  db: Database;
  restsUntil: number;
}

/** Tables and columns that a lagging replica has not heard of yet. */
const isBehind = (error: unknown) =>
  codes(error).some((code) => code === "42P01" || code === "42703" || code === "42883");

/** Whether another database may answer what one could not; a statement that took too long there would here. */
const isPassing = (error: unknown) =>
  isConnectionError(error) ||
  isRetryable(error) ||
  isBehind(error) ||
  (isOverload(error) && !codes(error).includes("57014"));

/** Reads on replicas in turn, at last on the primary. One that is lost, overloaded or behind the schema rests for 5 s. */
export function readsOn(
  primary: Database,
  databases: readonly Database[],
  onWarning: (message: string, error: unknown) => void,
): Reads {
  if (databases.length === 0) return primary;
  const replicas: Replica[] = databases.map((db) => ({ db, restsUntil: 0 }));
  let turn = 0;

  /** The replicas that are not at rest, beginning with the one whose turn it is. */
  function inTurn(): Replica[] {
    turn = (turn + 1) % replicas.length;
    const now = performance.now();
    return [...replicas.slice(turn), ...replicas.slice(0, turn)].filter(({ restsUntil }) => restsUntil <= now);
  }

  async function somewhere<T>(read: (db: Reads) => Promise<T>): Promise<T> {
    for (const replica of inTurn()) {
      const isOnTrial = replica.restsUntil > 0;
      if (isOnTrial) replica.restsUntil = performance.now() + REST_MS;
      try {
        const rows = await read(replica.db);
        replica.restsUntil = 0;
        return rows;
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (!isOnTrial && replica.restsUntil === 0) onWarning("A replica failed and is not used for 5 seconds", error);
        replica.restsUntil = performance.now() + REST_MS;
      }
    }
    return read(primary);
  }
  return {
    read: <Row>(selection: Selection<Row>, statement: Statement) => somewhere((db) => db.read(selection, statement)),
  };
}
