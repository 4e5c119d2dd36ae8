// The context of a procedure: the database, the settings, and the caller.

import type { z } from "zod";
import type { Config } from "../config.js";
import type { Database, Queries } from "../db/client.js";
import type { Reads } from "../db/replicas.js";
import type { Weight } from "./fairness.js";
import type { ResponseCache } from "./rendered.js";

/** The person who holds an account. */
export interface AccountHolder {
  accountId: number;
  publicId: string;
  name: string;
  email: string | null;
  /** The time when the address was last proved to be the person's. */
  emailVerifiedAt: string | null;
  /** The address that a change of address waits for. */
  pendingEmail: string | null;
  /** An IANA time zone. */
  timeZone: string;
  image: string | null;
  /** An accountless guest, who joined by an invitation and has no password. */
  isGuest: boolean;
  createdAt: string;
}

/** The caller and the token: what a process may remember, since it does not change while the token lasts. */
export interface Caller {
  accountId: number;
  publicId: string;
  /** An accountless guest, whose token ends when it becomes a full account. */
  isGuest: boolean;
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

/** A caller whose token is valid for certain, with the account as it is now. */
export interface VerifiedCaller extends Caller, AccountHolder {
  /** Whether the person runs this instance. */
  isAdmin: boolean;
  hasPassword: boolean;
  /** Whether a second factor is in use. */
  hasTwoFactor: boolean;
}

/** The token of a request, which is valid for certain once a statement of the request has found the caller by it. */
export class Claim {
  readonly tokenHash: string;
  #isVerified = false;

  constructor(tokenHash: string) {
    this.tokenHash = tokenHash;
  }

  get isVerified(): boolean {
    return this.#isVerified;
  }

  /** A statement found the caller by the token. */
  confirm(): void {
    this.#isVerified = true;
  }

  /** A change was refused: the token may have ended while it waited. */
  doubt(): void {
    this.#isVerified = false;
  }
}

/** The key of a request, with a fingerprint of the request. */
export interface Idempotency {
  /** SHA-256 of the header. */
  key: string;
  /** HMAC-SHA-256 of method, path and body, keyed by the header: readers of the database cannot guess passwords in it. */
  requestHash: string;
  accountId: number;
  boundWorkspaceId: number | null;
  /** The workspace in which the key counts: `NO_WORKSPACE` until the operation names its own. */
  workspaceId: number;
  /** Whether a change stores the response itself, or it was found; otherwise it is stored after the operation. */
  isStored: boolean;
  /** The header `ETag` of the response, once it is known. */
  etag: string | null;
}

/** Options in the headers of a request, and headers for its response. A tRPC batch of several calls has none. */
export interface RequestOptions {
  idempotency: Idempotency | null;
  /** `Request-Key`, which the events of the change carry. */
  requestKey: string | null;
  /** `If-Match` as it was sent. */
  ifMatch: string | null;
  /** Sets a header of the answer. */
  setHeader(name: string, value: string): void;
  /** Whether the request is a HEAD. An operation that answers with a file then checks the caller, names the file, and makes none. */
  headersOnly: boolean;
  /** Sends the answer as a file of a name and content type; REST alone. */
  sendAs?(file: { name: string; type: string }): void;
}

/** The session cookie of the browser that sent a request (`access/sessionCookies.ts`). */
export interface SessionCookie {
  /** Throws FORBIDDEN if the request comes from a page of another origin, which must not get a cookie. */
  mustBeAllowed(): void;
  /** The hashes of the tokens in the session cookies that count; none if the request was not made with them. */
  tokenHashes(): string[];
  /** Sets the cookie to the token of a session. */
  set(token: string): void;
  /** Removes the cookie if it is what the request was made with. */
  clear(): void;
}

/** The origin of a call, as the audit log and the list of sessions show it. */
export interface Client {
  /** The network address. */
  address: string;
  userAgent: string | null;
}

/** The context of every procedure. */
export interface Context {
  db: Database;
  /** For reads that may lag, never for access checks; `db` itself if there is no replica. */
  replica: Reads;
  config: Config;
  caller: Caller | null;
  /** A caller whose token is valid for certain, as its account is now; UNAUTHORIZED when the token has ended. */
  verify: (caller: Caller) => Promise<VerifiedCaller>;
  /** Whether the request came with `Authorization: Bearer`, valid or not, or with a valid session cookie. */
  hasCredentials: boolean;
  cookie: SessionCookie;
  client: Client;
  requestOptions: RequestOptions;
  /** Finds the addresses of a name, for calls to the outside. */
  resolve: (name: string) => Promise<string[]>;
  /**
   * Runs a call within the limits of its account or address; throws SERVICE_UNAVAILABLE if it has to wait too long. Its turn lasts until
   * its answer was sent, or until `taken` has resolved: the answer of a stream has no end.
   */
  inTurn: <T>(weight: Weight, work: () => Promise<T>, taken?: Promise<void>) => Promise<T>;
  /** Aborted when the process stops, so that calls that wait for other services give up. */
  ending: AbortSignal;
  /** Boards as this process last rendered them. */
  boards: ResponseCache;
  /** The input schema of the procedure that has this description. */
  inputOf(meta: object | undefined): z.ZodType | undefined;
}

/** The context of a procedure that requires a caller. */
export interface CallContext extends Context {
  readonly user: Caller;
}

/** The context of protected procedures: with a verified caller. Inside a change its `db` is that of the change. */
export interface Signed<Db extends Queries = Queries, User extends Caller = Caller> {
  db: Db;
  config: Config;
  user: User;
  client: Client;
  requestOptions: RequestOptions;
  /** The workspace that is being changed, in which every identifier is looked up. Left out if nothing is changed. */
  workspaceId?: number;
}
