// What a procedure is given: the database, the settings, and who is calling.

import type { z } from "zod";
import type { Config } from "../config.js";
import type { Database, Queries, Transaction } from "../db/client.js";

/** Who calls, and with which token. */
export interface Caller {
  accountId: number;
  publicId: string;
  name: string;
  email: string | null;
  image: string | null;
  /** An accountless guest, who joined by an invitation and has no password. */
  isGuest: boolean;
  createdAt: string;
  token: {
    id: number;
    kind: "session" | "personal";
    scope: "read" | "write";
    boundWorkspaceId: number | null;
    /** The workspace's public identifier, null where the token is not bound. */
    boundWorkspacePublicId: string | null;
  };
}

/** What every procedure sees. */
export interface Context {
  db: Database;
  config: Config;
  caller: Caller | null;
  /** Whether the request came with an `Authorization` header, valid or not. */
  hasCredentials: boolean;
  /** Sets a header of the answer. */
  setHeader(name: string, value: string): void;
  /** The input schema of the procedure at a path such as `board.lists.create`. */
  inputOf(path: string): z.ZodType | undefined;
}

/** What a procedure that wants a token sees: a caller for certain. Inside a transaction its `db` is that transaction. */
export interface Signed<Db extends Queries = Queries> {
  db: Db;
  config: Config;
  user: Caller;
}

/**
 * Runs one action in one transaction: `tx` is the caller's context with the transaction as its database. Guards called with it
 * lock what they find; `record` ends it.
 */
export function change<T>(ctx: Signed<Database>, run: (tx: Signed<Transaction>) => Promise<T>): Promise<T> {
  return ctx.db.transaction((db) => run({ db, config: ctx.config, user: ctx.user }));
}
