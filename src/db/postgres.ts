// The driver for a PostgreSQL server, on postgres.js. postgres/ has its parts: sessions, the pool that lends them, and
// transactions on them.

import type { Connection, Driver } from "./driver.js";
import { NotifyChannel } from "./postgres/channel.js";
import { Ping, type PingOptions } from "./postgres/ping.js";
import { type OutageListener, Pool, type PoolOptions } from "./postgres/pool.js";
import { PostgresSession } from "./postgres/sessions.js";
import { inPostgresTransaction } from "./postgres/transactions.js";
import { openServerPools } from "./serverPools.js";

/** The address of the database, and the options of its use. */
interface PostgresOptions {
  url: string;
  /** Past a pooler such as PgBouncer, for migrations and LISTEN; `url` when left out. */
  directUrl?: string;
  poolSize: number;
  /** Whether statements are prepared by name; not behind PgBouncer in transaction mode. */
  prepare: boolean;
  /** 0: no limit. */
  statementTimeoutMs: number;
  /** Whether its tables are distributed by Citus; false when left out. */
  isDistributed?: boolean;
  /** The longest time that work waits for a session; 5 s by default. */
  acquireTimeoutMs?: number;
  /** Called at lost sessions, and at the beginning and the end of each outage. */
  onWarning?: (message: string, error: unknown) => void;
  /** Called when calls begin to be refused because the server is out of reach, and when they no longer are. */
  onOutage?: OutageListener;
}

const CONNECT_TIMEOUT_MS = 3000;
const ACQUIRE_TIMEOUT_MS = 5000;
/** At start the database may still be starting as well. */
const MIGRATE_ACQUIRE_TIMEOUT_MS = 30_000;
/** The time that a statement may take beyond `statementTimeoutMs` before its session is given up as dead. */
const STALL_GRACE_MS = 2000;
/** Changes wait for their workspace's counter alone. One that waits longer leaves its session and tries again in the queue. */
const LOCK_TIMEOUT_MS = 500;
/** After this time, a transaction whose process hangs releases its locks. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

const BEGIN = "begin isolation level read committed";
/** Sets the isolation of `BEGIN` for statements that are transactions of their own. */
const ISOLATION = { default_transaction_isolation: "read committed" };
/** With Citus, rows are locked at other servers, to which it passes the settings of a transaction only if told so. */
const PASSED_ON = { "citus.propagate_set_commands": "local" };
/** By default Citus asks several shards over several connections, after which it refuses writes to reference tables. */
const ON_CITUS = { "citus.multi_shard_modify_mode": "sequential", lock_timeout: LOCK_TIMEOUT_MS };
const NO_TIMEOUTS = `set local statement_timeout = 0; set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0`;
const BEGIN_MIGRATION = `${BEGIN}; ${NO_TIMEOUTS};
  select pg_advisory_xact_lock(hashtextextended('work-board migrations', 0))`;

/**
 * A pool of sessions; connects on first use. Work that finds no session within 5 s, or whose session is lost, or that comes while
 * the server is out of reach, fails with an error for which `isConnectionError` holds, and is never sent again.
 */
export function openPostgres(options: PostgresOptions): Driver {
  const pool = new Pool({ ...poolOptions(options), onOutage: options.onOutage });
  const begin = beginOf(options);

  const ping = new Ping(pingOptions(options));
  const channels = new Set<NotifyChannel>();
  return {
    isDistributed: options.isDistributed ?? false,
    query: (text, params, mode) => pool.use("shared", (session) => session.statement(text, params, mode, false)),
    transaction: (run) => pool.use("exclusive", (session) => inPostgresTransaction(session, begin, run)),
    migrate: (run) => migrate(options, run),
    snapshot: (tables, run) => snapshot(options, tables, run),
    openChannel: (name, onMessage) => {
      const channel = new NotifyChannel({ ...channelOptions(options), name, onMessage });
      channels.add(channel);
      return channel;
    },
    ping: async () => {
      pool.mustBeAvailable();
      await ping.ask();
    },
    asOnlyProcess: (name, run) => asOnlyProcess(options, name, run),
    waitingMs: () => pool.waitingMs,
    close: async () => {
      for (const channel of channels) channel.close();
      await Promise.all([pool.close(), ping.close()]);
    },
  };
}

/** A driver with pools apart for the servers of a distributed database. */
export function openDistributed(options: PostgresOptions): Driver {
  const { onOutage, ...ofPart } = options;
  return openServerPools(openPostgres(options), () => openPostgres(ofPart));
}

/** A driver with one session and no time limit for statements, for work on a whole database: copies and distribution. */
export const openForWholeDatabase = (url: string): Driver =>
  openPostgres({ url, poolSize: 1, prepare: false, statementTimeoutMs: 0 });

/** Runs a transaction without a time limit on a session of its own, past a pooler. */
async function onOwnSession<T>(
  options: PostgresOptions,
  begin: string,
  run: Parameters<typeof inPostgresTransaction<T>>[2],
  waiting: Partial<PoolOptions> = {},
): Promise<T> {
  const direct = { ...options, url: options.directUrl ?? options.url, prepare: false, statementTimeoutMs: 0 };
  const pool = new Pool({ ...poolOptions(direct), size: 1, ...waiting });
  try {
    return await pool.use("exclusive", (session) => inPostgresTransaction(session, [begin], run));
  } finally {
    await pool.close();
  }
}

const migrate = (options: PostgresOptions, run: Parameters<Driver["migrate"]>[0]): Promise<void> =>
  onOwnSession(options, BEGIN_MIGRATION, (transaction) => run((text) => transaction.script(text), transaction), {
    acquireTimeoutMs: MIGRATE_ACQUIRE_TIMEOUT_MS,
    waitsForServer: true,
  });

/** The lock comes before the snapshot, which PostgreSQL takes at the first query: no table is rewritten between the two. */
function snapshot<T>(
  options: PostgresOptions,
  tables: readonly string[],
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  const locked = tables.map((table) => `public.${JSON.stringify(table)}`).join(", ");
  const lock = locked === "" ? "" : `; lock table ${locked} in access share mode`;
  return onOwnSession(options, `begin isolation level repeatable read read only; ${NO_TIMEOUTS}${lock}`, run);
}

/** Holds an advisory lock on a session of its own, past a pooler that would hand the session on. */
async function asOnlyProcess(options: PostgresOptions, name: string, run: () => Promise<void>): Promise<boolean> {
  const parameters = { application_name: "work-board lock" };
  const url = options.directUrl ?? options.url;
  const session = await PostgresSession.open(
    { url, prepare: false, parameters, connectTimeoutMs: CONNECT_TIMEOUT_MS },
    () => {},
  );
  try {
    const taken = "select 1 where pg_try_advisory_lock(hashtextextended($1::text, 0))";
    if ((await session.statement(taken, [name], "array", false)).length === 0) return false;
    await run();
    return true;
  } finally {
    await session.end();
  }
}

/** BEGIN, and the settings that a pooler takes from no session. Citus passes a setting on only if it is sent alone. */
function beginOf(options: PostgresOptions): string[] {
  const { prepare, isDistributed = false } = options;
  if (!isDistributed) return prepare ? [BEGIN] : [[BEGIN, ...setLocal(timeouts(options))].join("; ")];
  return [BEGIN, ...setLocal({ ...(!prepare && { ...PASSED_ON, ...timeouts(options) }), ...ON_CITUS })];
}

function poolOptions(options: PostgresOptions): PoolOptions {
  const { url, prepare, statementTimeoutMs, isDistributed = false, onWarning = () => {} } = options;
  // Citus finds the server of a statement by its parameters.
  const planCacheMode = isDistributed ? "auto" : "force_generic_plan";
  return {
    url,
    prepare,
    // PgBouncer refuses startup parameters other than these three; with it the timeouts are set in BEGIN, and a plain
    // statement has only the pool's stall timeout.
    parameters: {
      application_name: "work-board",
      TimeZone: "UTC",
      DateStyle: "ISO, MDY",
      // Compiling a statement takes longer than any of ours runs, and so does planning most of them: one plan for whatever
      // parameters come is as good, because each statement names what it looks for by its keys.
      ...(prepare && { jit: "off", plan_cache_mode: planCacheMode, ...ISOLATION, ...timeouts(options) }),
      ...(prepare && isDistributed && PASSED_ON),
    },
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    acquireTimeoutMs: options.acquireTimeoutMs ?? ACQUIRE_TIMEOUT_MS,
    stallTimeoutMs: statementTimeoutMs === 0 ? 0 : statementTimeoutMs + STALL_GRACE_MS,
    size: options.poolSize,
    waitsForServer: false,
    onWarning,
  };
}

/** A ping goes the way that calls go, past a pooler or not. */
function pingOptions({ url, onWarning = () => {} }: PostgresOptions): PingOptions {
  return { url, prepare: false, parameters: { application_name: "work-board ping" }, onWarning };
}

/** LISTEN needs the server itself: behind a pooler in transaction mode nobody would be listening. */
function channelOptions(options: PostgresOptions) {
  const { url, directUrl, onWarning = () => {} } = options;
  return {
    url: directUrl ?? url,
    prepare: false,
    // A message that a crash loses is one that its readers do without.
    parameters: { application_name: "work-board channel", synchronous_commit: "off" },
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    onWarning,
  };
}

function timeouts({ statementTimeoutMs }: PostgresOptions): Record<string, number> {
  return {
    statement_timeout: statementTimeoutMs,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  };
}

const setLocal = (settings: Record<string, string | number>): string[] =>
  Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`);
