// The driver for a database that Citus distributes. Work for each server has a pool of its own, so that a server which hangs holds no
// session of the others, and work that needs a server which is out of reach is refused before it takes a session.

import { distributedTables } from "./distribution.js";
import type { Connection, Driver, Param, ServerState, TransactionConnection } from "./driver.js";
import { serverAway } from "./failures.js";

/** `workspace`: the server of one workspace; `some`: those that store workspaces; `all`: every server, which each stores the row. */
type Scope = "entry" | "workspace" | "some" | "all" | "watch";

/** The servers that a text needs, and the parameter or constant that is the key of its workspace. */
interface Need {
  scope: Scope;
  param: number | null;
  key: number | null;
}

const KEY = /\bworkspace_id"? = \$(\d+)|"workspace"\."id" = \$(\d+)/;
/** `readWherePossible` reads the workspaces of one server by constants. */
const KEYS = /"workspace_id" = any\('\{(\d+)[\d,]*\}'::bigint\[\]\)|"workspace"\."id" = any\('\{(\d+)/;
const WRITES = /\b(?:insert into|update|delete from) "(\w+)"/g;
const LOCK = /\bfor (?:no key )?update\b/;
const REMEMBERED = 2000;

/** The servers that a text needs. A row of a reference table is written, and locked, on every server. */
export function needOf(text: string): Need {
  const written = [...text.matchAll(WRITES)].map(([, table]) => table ?? "");
  const param = Number(KEY.exec(text)?.slice(1).find(Boolean) ?? 0) || null;
  const key = Number(KEYS.exec(text)?.slice(1).find(Boolean) ?? 0) || null;
  const isNamed = param !== null || key !== null;
  const scope = (): Scope => {
    if (text.includes("run_command_on_all_nodes(")) return "watch";
    if (written.some((table) => !distributedTables.has(table)) || (!isNamed && LOCK.test(text))) return "all";
    if (key !== null) return "workspace";
    if (text.includes("/* across workspaces: ")) return "some";
    return isNamed ? "workspace" : "entry";
  };
  return { scope: scope(), param, key };
}

/** PostgreSQL's hash of a bigint below 2^32, by which Citus places the rows of a workspace. */
export function hashOfKey(key: number): number {
  const rotated = (value: number, bits: number) => (value << bits) | (value >>> (32 - bits));
  const start = 0x9e3779b9 + 4 + 3923095;
  let [a, b, c] = [(start + key) | 0, start | 0, start | 0];
  c = (c ^ b) - rotated(b, 14);
  a = (a ^ c) - rotated(c, 11);
  b = (b ^ a) - rotated(a, 25);
  c = (c ^ b) - rotated(b, 16);
  a = (a ^ c) - rotated(c, 4);
  b = (b ^ a) - rotated(a, 14);
  return ((c ^ b) - rotated(b, 24)) | 0;
}

/** The pools of the servers of a distributed database. */
class ServerPools {
  readonly #entry: Driver;
  readonly #openPart: () => Driver;
  readonly #needs = new Map<string, Need>();
  readonly #closing = new Set<Promise<void>>();
  #parts = new Map<Scope | number, Driver>();
  #servers: readonly ServerState[] = [];

  constructor(entry: Driver, openPart: () => Driver) {
    this.#entry = entry;
    this.#openPart = openPart;
  }

  #needOnce(text: string): Need {
    const need = this.#needs.get(text) ?? needOf(text);
    if (this.#needs.size >= REMEMBERED) this.#needs.clear();
    this.#needs.set(text, need);
    return need;
  }

  #serverOf(key: number): ServerState | undefined {
    const hash = hashOfKey(key);
    return this.#servers.find(({ shards }) => shards.some(([from, to]) => from <= hash && hash <= to));
  }

  /** @throws a connection error if one of the servers is out of reach. */
  #mustBeReached(needed: readonly (ServerState | undefined)[]): void {
    if (needed.some((server) => server?.isReached === false)) throw serverAway();
  }

  part(name: Scope | number): Driver {
    const known = this.#parts.get(name) ?? this.#openPart();
    this.#parts.set(name, known);
    return known;
  }

  ofWorkspace(key: number): Driver {
    const server = this.#serverOf(key);
    this.#mustBeReached([server]);
    return server === undefined ? this.#entry : this.part(server.group);
  }

  /** The pool for a statement. @throws a connection error if a server that it needs is out of reach. */
  poolFor(text: string, params: readonly Param[]): Driver {
    const { scope, param, key } = this.#needOnce(text);
    if (scope === "entry") return this.#entry;
    if (scope === "workspace") return this.ofWorkspace(key ?? Number(params[(param ?? 0) - 1]));
    if (scope === "some") this.#mustBeReached(this.#servers.filter(({ shards }) => shards.length > 0));
    if (scope === "all") this.#mustBeReached(this.#servers.filter(({ isActive }) => isActive));
    return this.part(scope);
  }

  /** Refuses the statements of a transaction that need a server which is out of scope: they would hold its session. */
  guarded(connection: TransactionConnection): TransactionConnection {
    const checked =
      (send: Connection["query"]): Connection["query"] =>
      async (text, params, mode) => {
        this.poolFor(text, params);
        return send(text, params, mode);
      };
    return {
      query: checked((...args) => connection.query(...args)),
      last: checked((...args) => connection.last(...args)),
    };
  }

  #retireAll(): void {
    for (const driver of this.#parts.values()) {
      const closed = driver.close().finally(() => this.#closing.delete(closed));
      this.#closing.add(closed);
    }
  }

  noteServers(seen: readonly ServerState[]): void {
    const wereReached = new Set(this.#servers.filter(({ isReached }) => isReached).map(({ group }) => group));
    this.#servers = seen;
    if (!seen.some(({ group, isReached }) => !isReached && wereReached.has(group))) return;
    // Sessions of every pool may hang at the server that was lost. New work gets new ones; running work has 5 s to end.
    this.#retireAll();
    this.#parts = new Map();
  }

  waitingMs(): number {
    const ofServers = [...this.#parts].flatMap(([name, driver]) =>
      typeof name === "number" ? [driver.waitingMs()] : [],
    );
    // A server that hangs does not overload the process.
    return Math.max(this.#entry.waitingMs(), ofServers.length === 0 ? 0 : Math.min(...ofServers));
  }

  async close(): Promise<void> {
    this.#retireAll();
    await Promise.all([this.#entry.close(), ...this.#closing]);
  }
}

/** The driver of a distributed database. `openPart` opens one more pool, whose sessions are opened when they are needed. */
export function openServerPools(entry: Driver, openPart: () => Driver): Driver {
  const pools = new ServerPools(entry, openPart);
  return {
    ...entry,
    isDistributed: true,
    query: async (text, params, mode) => pools.poolFor(text, params).query(text, params, mode),
    transaction: async (run, workspaceId) => {
      const driver = workspaceId === undefined ? pools.part("all") : pools.ofWorkspace(workspaceId);
      return driver.transaction((connection) => run(pools.guarded(connection)), workspaceId);
    },
    noteServers: (seen) => pools.noteServers(seen),
    waitingMs: () => pools.waitingMs(),
    close: () => pools.close(),
  };
}
