// The servers of a database that Citus distributes, and which of them its entry reaches.

import { sql } from "drizzle-orm";
import type { Database, Queries } from "./client.js";
import { selection } from "./selections.js";

const serverRow = selection({
  address: sql<string>`node.nodename || ':' || node.nodeport`,
  isActive: sql<boolean>`node.isactive`,
  isReached: sql<boolean>`coalesce(probe.success, false)`,
  group: sql<number>`node.groupid`,
  shards: sql<[from: number, to: number][]>`coalesce(
    (select json_agg(json_build_array(shardminvalue::int, shardmaxvalue::int))
     from pg_dist_shard join pg_dist_placement placement using (shardid)
     where logicalrelid = to_regclass('public.workspace_counter') and placement.groupid = node.groupid), '[]')`,
});

/** Long enough for a busy server; one that hangs is out of reach. */
const CONNECT_TIMEOUT_MS = 2000;
/** Set before the command that is made of it. */
const timeout = sql.raw(
  `select set_config('citus.node_connection_timeout', '${CONNECT_TIMEOUT_MS}', true) as value offset 0`,
);

/** The servers of a distributed database, the coordinator first; each is asked for an answer. */
export const serversOf = (db: Queries) =>
  db.read(
    serverRow,
    sql`select ${serverRow} from (${timeout}) timeout
      cross join lateral run_command_on_all_nodes(format('select %L', timeout.value), true, true) probe
      right join pg_dist_node node using (nodeid)
      where node.noderole = 'primary' order by node.nodeid`,
  );

/** Watches which servers of a distributed database are out of reach, so that work which needs them is refused. */
export class ServerWatch {
  #unreachable = 0;
  #isLooking = false;
  readonly #db: Database;
  readonly #looks: NodeJS.Timeout;

  constructor(db: Database, everyMs = 2000) {
    this.#db = db;
    this.#looks = setInterval(() => void this.#look(), everyMs).unref();
    void this.#look();
  }

  /** The number of servers that were out of reach at the last look. */
  get unreachable(): number {
    return this.#unreachable;
  }

  close(): void {
    clearInterval(this.#looks);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const servers = await serversOf(this.#db);
      this.#db.noteServers(servers);
      this.#unreachable = servers.filter(({ isReached }) => !isReached).length;
    } catch {
      // Without its entry there is no service, which `/ready` says by itself.
    } finally {
      this.#isLooking = false;
    }
  }
}
