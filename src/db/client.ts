// Drizzle on top of a driver, and transactions that are tried again when the database asks for it. Everything above db/
// sees only this, whichever database runs below.

import { setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { drizzle, type PgRemoteDatabase } from "drizzle-orm/pg-proxy";
import type { Connection, Driver, Param } from "./driver.js";
import { isRetryable } from "./failures.js";

const dialect = new PgDialect();

/**
 * Drizzle's query builder, and `rows` for statements written by hand. Hot statements keep one text whatever their input, so
 * that the database plans them once: arrays go through `texts` and `bigints`, records through `json`.
 */
export interface Queries extends Omit<PgRemoteDatabase<Record<string, never>>, "transaction" | "execute"> {
  /** Runs a statement and gives its rows by column name; the caller states their shape. */
  rows<Row>(statement: SQL): Promise<Row[]>;
}

/** Queries inside a transaction. */
export interface Transaction extends Queries {
  /** Runs the last statement together with COMMIT; nothing may follow. */
  last<Row>(statement: SQL): Promise<Row[]>;
}

/** The database of a process. */
export interface Database extends Queries {
  /** Runs `run` in one transaction; again, up to three times, after a deadlock or a serialization failure. */
  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A statement's rows have the shape that its author states; nothing here can check it. */
const shaped = <Row>(rows: unknown[]) => rows as Row[];

const isParam = (value: unknown): value is Param =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";

function paramsOf(values: unknown[]): Param[] {
  if (values.every(isParam)) return values;
  throw new TypeError("A bind parameter is neither text, number, boolean nor null");
}

function compile(statement: SQL) {
  const { sql: text, params } = dialect.sqlToQuery(statement);
  return { text, params: paramsOf(params) };
}

function queriesOn(connection: Connection): Queries {
  const builder = drizzle(
    async (text, params, method) => ({
      rows: await connection.query(text, paramsOf(params), method === "all" ? "array" : "object"),
    }),
    {},
    () => dialect,
  );
  return Object.assign(builder, {
    rows: async <Row>(statement: SQL) => {
      const { text, params } = compile(statement);
      return shaped<Row>(await connection.query(text, params, "object"));
    },
  });
}

const ATTEMPTS = 4;

/** Puts the query builder and transactions on a driver. */
export function openDatabase(driver: Driver): Database {
  async function transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await driver.transaction((connection) => {
          const last = async <Row>(statement: SQL) => {
            const { text, params } = compile(statement);
            return shaped<Row>(await connection.last(text, params, "object"));
          };
          return run(Object.assign(queriesOn(connection), { last }));
        });
      } catch (error) {
        if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
        await sleep(Math.random() * 20 * attempt);
      }
    }
  }
  return Object.assign(queriesOn(driver), { transaction, close: () => driver.close() });
}

const arrayLiteral = (values: readonly string[]) =>
  `{${values.map((value) => `"${value.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;

/** An array of text as one parameter. */
export const texts = (values: readonly string[]) => sql`${arrayLiteral(values)}::text::text[]`;
/** An array of database keys as one parameter. */
export const bigints = (values: readonly number[]) => sql`${`{${values.join(",")}}`}::text::bigint[]`;
/** A JSON document as one parameter. */
export const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`;
