// What a procedure is given: the database, the settings, and who is calling.

import type { z } from "zod";
import type { Config } from "../config.js";
import type { Database, Queries, Transaction } from "../db/client.js";
import type { Reads } from "../db/replicas.js";
import { type Idempotency, keptAnswer, once } from "./idempotency.js";
import type { RenderedAnswers } from "./rendered.js";

/** Whom a token belongs to. */
export interface Person {
  accountId: number;
  publicId: string;
  name: string;
  email: string | null;
  image: string | null;
  /** An accountless guest, who joined by an invitation and has no password. */
  isGuest: boolean;
  createdAt: string;
}

/** Who calls, and with which token. */
export interface Caller extends Person {
  token: {
    id: number;
    kind: "session" | "personal";
    scope: "read" | "write";
    boundWorkspaceId: number | null;
    /** The workspace's public identifier, null where the token is not bound. */
    boundWorkspacePublicId: string | null;
  };
  claim: Claim;
}

/** Whether the token of a request is valid: as long as it is not proven, `prove` or the first guard is to tell. */
export interface Claim {
  readonly tokenHash: string;
  isProven: boolean;
}

/** What a request's headers ask for beyond its input, and what its answer's headers tell. REST alone fills it in. */
export interface Terms {
  idempotency: Idempotency | null;
  /** `If-Match` as it was sent. */
  ifMatch: string | null;
  /** Sets a header of the answer. */
  setHeader(name: string, value: string): void;
  /** Sends the answer as a file of a name and content type. */
  sendAs?(file: { name: string; type: string }): void;
}

/** What every procedure sees. */
export interface Context {
  db: Database;
  /** For reads that may lag, never for what one may; `db` itself where there is no replica. */
  replica: Reads;
  config: Config;
  caller: Caller | null;
  /** A caller whose token is valid for certain, as its account is now; UNAUTHORIZED when the token has ended. */
  prove: (caller: Caller) => Promise<Caller>;
  /** Whether the request came with an `Authorization` header, valid or not. */
  hasCredentials: boolean;
  terms: Terms;
  /** Finds the addresses of a name, for calls to the outside. */
  resolve: (name: string) => Promise<string[]>;
  /** Aborted when the process ends: what waits for the outside gives up then. */
  ending: AbortSignal;
  /** Boards as they were last answered. */
  boards: RenderedAnswers;
  /** The input schema of the procedure at a path such as `board.lists.create`. */
  inputOf(path: string): z.ZodType | undefined;
}

/** The same with the caller that a procedure which wants a token sees; UNAUTHORIZED where nobody calls. */
export interface CallContext extends Context {
  readonly user: Caller;
}

/** What a procedure that wants a token sees: a caller for certain. Inside a transaction its `db` is that transaction. */
export interface Signed<Db extends Queries = Queries> {
  db: Db;
  config: Config;
  user: Caller;
  terms: Terms;
  /** Told by the guards which workspace the action is in. */
  inWorkspace?: (workspaceId: number) => void;
}

/** A transaction whose last statement leaves COMMIT for later. */
const holding = (db: Transaction): Transaction => Object.create(db, { last: { value: db.rows } });

/**
 * Runs one action in one transaction: `tx` is the caller's context with the transaction as its database. Guards called with it
 * lock what they find; `record` ends it. With an Idempotency-Key the action runs once, and its answer is kept with it.
 */
export function change<T>(ctx: Signed<Database>, run: (tx: Signed<Transaction>) => Promise<T>): Promise<T> {
  const { config, user, terms } = ctx;
  const { idempotency, ifMatch } = terms;
  if (idempotency === null) {
    return ctx.db.transaction((db) => run({ db: ifMatch === null ? db : holding(db), config, user, terms }));
  }
  let workspace: number | null = null;
  const inWorkspace = (workspaceId: number) => {
    workspace = workspaceId;
  };
  return once(
    ctx.db,
    idempotency,
    (db) => run({ db: holding(db), config, user, terms, inWorkspace }),
    () => workspace,
  );
}

/**
 * Runs an action that reaches the outside, which no transaction takes back: not again under an Idempotency-Key whose answer is kept.
 * Of two at once under one key both may run.
 */
export async function reach<T>({ db, terms }: Signed<Database>, run: () => Promise<T>): Promise<T> {
  const { idempotency } = terms;
  const kept = idempotency === null ? null : await keptAnswer(db, idempotency);
  if (idempotency === null || kept === null) return run();
  idempotency.isTaken = true;
  return JSON.parse(kept);
}
