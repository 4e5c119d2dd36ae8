// Drizzle's query builder on one connection, and the reads and writes that it cannot express.

import type { SQL } from "drizzle-orm";
import { drizzle, type PgRemoteDatabase } from "drizzle-orm/pg-proxy";
import type { Connection } from "./driver.js";
import type { Selection } from "./selections.js";
import { compile, dialect, paramsOf, type Statement } from "./statements.js";
import type { Touched } from "./touched.js";

/**
 * Drizzle's query builder, and `read` and `run` for what it cannot say. Hot statements keep one text whatever their input, so
 * that the database plans them once: arrays go through `texts` and `bigints`, records through `json`.
 */
export interface Queries extends Omit<PgRemoteDatabase<Record<string, never>>, "transaction" | "execute"> {
  /** Runs a statement that selects a selection, and returns its rows. */
  read<Row>(selection: Selection<Row>, statement: Statement): Promise<Row[]>;
  /** Runs a statement and returns the number of its rows. */
  run(statement: SQL): Promise<number>;
  /** Runs a statement whose rows have the shape that the caller states: for tests, since nothing checks it. */
  rows<Row>(statement: SQL): Promise<Row[]>;
}

/** Queries inside a transaction. */
export interface Transaction extends Queries {
  /** The objects that the transaction changed: the writers add to them, and listeners are called with them after the commit. */
  readonly touched: Touched<Set<number>>;
}

/** A statement's rows have the shape that its author states; nothing here can check it. */
const shaped = <Row>(rows: unknown[]) => rows as Row[];

/** The query builder on a connection. */
export function openQueries(connection: Connection): Queries {
  const builder = drizzle(
    async (text, params, method) => ({
      rows: await connection.query(text, paramsOf(params), method === "all" ? "array" : "object"),
    }),
    {},
    () => dialect,
  );
  const rows = (statement: Statement) => {
    const { text, params } = compile(statement);
    return connection.query(text, params, "object");
  };
  return Object.assign(builder, {
    read: async <Row>(selection: Selection<Row>, statement: Statement) => selection.decode(await rows(statement)),
    run: async (statement: SQL) => (await rows(statement)).length,
    rows: async <Row>(statement: SQL) => shaped<Row>(await rows(statement)),
  });
}
