// The common interface of both databases: PostgreSQL text in, decoded rows out. embedded.ts and
// postgres.ts implement it; client.ts puts Drizzle on top.

/** A bind parameter. Arrays and JSON travel as text with a cast (`$1::text::jsonb`), instants as ISO text. */
export type Param = string | number | boolean | null;

/** `array`: values in column order; `object`: values by column name. */
export type RowMode = "array" | "object";

/**
 * One session of the database. Statements run in the order they are given, also when the earlier one is not awaited.
 *
 * Decoded alike by every driver: int2, int4, int8 → number; bool → boolean; json, jsonb → parsed; timestamptz and
 * timestamp → ISO 8601 in UTC with milliseconds (`2026-11-20T09:30:00.120Z`); null → null; everything else → string.
 * Sessions run with TimeZone UTC.
 */
export interface Connection {
  query(text: string, params: readonly Param[], mode: RowMode): Promise<unknown[]>;
}

/** Runs SQL of one or many statements; the rows of the last by column name. */
export type Execute = (text: string) => Promise<unknown[]>;

/** A session inside a transaction. */
export interface TransactionConnection extends Connection {
  /** Sends the last statement together with COMMIT, and resolves after both. If it fails, nothing is committed. */
  last(text: string, params: readonly Param[], mode: RowMode): Promise<unknown[]>;
}

/** Short messages between the processes on one database: quick, and now and then lost. */
export interface Channel {
  /** Sends at most 7999 bytes to every listener; drops them while there is no connection or no listener. Never throws. */
  send(payload: string): void;
  close(): void;
}

/** A server of a distributed database as it was last seen. */
export interface ServerState {
  group: number;
  /** Whether Citus uses it: one that was disabled gets no writes. */
  isActive: boolean;
  isReached: boolean;
  /** The ranges, both ends included, of the hashes of the workspaces that it stores. */
  shards: readonly (readonly [from: number, to: number])[];
}

/** A database: statements on any session, transactions on one. */
export interface Driver extends Connection {
  /** Whether its tables are distributed over several servers, so that statements go where their workspace is. */
  readonly isDistributed: boolean;
  /**
   * Runs BEGIN (with the first statement), `run`, and COMMIT, or ROLLBACK if `run` throws. Resolves after a durable commit.
   * `workspaceId`: the workspace that is changed, if it is one alone.
   */
  transaction<T>(run: (connection: TransactionConnection) => Promise<T>, workspaceId?: number): Promise<T>;
  /** Notes the servers of a distributed database: from now on, work that needs one which is out of reach is refused at once. */
  noteServers?(servers: readonly ServerState[]): void;
  /** Runs SQL in one transaction on an own session, under one lock for the service. `connection` takes single statements. */
  migrate(run: (execute: Execute, connection: Connection) => Promise<void>): Promise<void>;
  /**
   * Runs `run` in one transaction that only reads, for however long it takes, and sees one state of the database. On a server the
   * tables (`tables`, of the schema `public`) keep their columns meanwhile; an embedded database does nothing else.
   */
  snapshot<T>(tables: readonly string[], run: (connection: Connection) => Promise<T>): Promise<T>;
  /**
   * From now on every write fails with an error for which `isReadOnly` holds, or none does, until the database is closed; what was
   * begun before has ended when this resolves, with whether writes were refused until now. Left out where other processes write as
   * well.
   */
  refuseWrites?(isRefusing: boolean): Promise<boolean>;
  /** The bytes that are free on the disk of the database. Left out where that disk is none of this process. */
  freeBytes?(): number;
  /** Opens a channel on a connection of its own, which reconnects. Undefined if only one process can use the database. */
  openChannel?(name: string, onMessage: (payload: string) => void): Channel;
  /** Resolves if the database answers now, within two seconds, and never behind other work. Fails with a connection error. */
  ping(): Promise<void>;
  /**
   * Runs `run` unless another process on this database runs something under the same name; whether it ran. It is never sure: a lost
   * connection lets others begin.
   */
  asOnlyProcess(name: string, run: () => Promise<void>): Promise<boolean>;
  /** For how many milliseconds the work that comes next has waited for a session; 0 where none waits. */
  waitingMs(): number;
  /** Lets running work end, then closes every session. */
  close(): Promise<void>;
}
