// What a procedure is given: the database, the settings, and who is calling.

import type { z } from "zod";
import type { Config } from "../config.js";
import type { Database, Queries } from "../db/client.js";
import type { Reads } from "../db/replicas.js";
import type { Idempotency } from "./idempotency.js";
import type { KeptAnswers } from "./rendered.js";

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

/** Whether the token of a request is valid: as long as it is not verified, `verify` or the first guard is to tell. */
export interface Claim {
  readonly tokenHash: string;
  isVerified: boolean;
}

/** What a request's headers ask for beyond its input, and what its answer's headers tell. REST alone fills it in. */
export interface RequestOptions {
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
  verify: (caller: Caller) => Promise<Caller>;
  /** Whether the request came with an `Authorization` header, valid or not. */
  hasCredentials: boolean;
  requestOptions: RequestOptions;
  /** Finds the addresses of a name, for calls to the outside. */
  resolve: (name: string) => Promise<string[]>;
  /** Runs a call when the bounds of its account allow; SERVICE_UNAVAILABLE when they do not in time. */
  inTurn: <T>(caller: Caller, isHeavy: boolean, work: () => Promise<T>) => Promise<T>;
  /** Aborted when the process ends: what waits for the outside gives up then. */
  ending: AbortSignal;
  /** Boards as this process last rendered them. */
  boards: KeptAnswers;
  /** The input schema of the procedure at a path such as `board.lists.create`. */
  inputOf(path: string): z.ZodType | undefined;
}

/** The same with the caller that a procedure which wants a token sees; UNAUTHORIZED where nobody calls. */
export interface CallContext extends Context {
  readonly user: Caller;
}

/** What a procedure that wants a token sees: a caller for certain. Inside a change its `db` is that change's. */
export interface Signed<Db extends Queries = Queries> {
  db: Db;
  config: Config;
  user: Caller;
  requestOptions: RequestOptions;
  /** The workspace that is being changed: every identifier is looked up there. Left out where nothing is changed. */
  workspaceId?: number;
}
