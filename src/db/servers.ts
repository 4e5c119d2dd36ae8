// The servers of a database that Citus distributes, and which of them its entry reaches.

import { sql } from "drizzle-orm";
import type { Queries } from "./client.js";
import { selection } from "./selections.js";

const serverRow = selection({
  address: sql<string>`node.nodename || ':' || node.nodeport`,
  isActive: sql<boolean>`node.isactive`,
  isReached: sql<boolean>`coalesce(probe.success, false)`,
});

/** The servers of a distributed database, the coordinator first; each is asked for an answer. */
export const serversOf = (db: Queries) =>
  db.read(
    serverRow,
    sql`select ${serverRow} from pg_dist_node node
      left join run_command_on_all_nodes('select 1', true, true) probe using (nodeid)
      where node.noderole = 'primary' order by node.nodeid`,
  );

/** Watches how many servers of a distributed database are out of reach. */
export class ServerWatch {
  #unreachable = 0;
  #isLooking = false;
  readonly #db: Queries;
  readonly #looks: NodeJS.Timeout;

  constructor(db: Queries, everyMs = 5000) {
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
      this.#unreachable = servers.filter(({ isReached }) => !isReached).length;
    } catch {
      // Without its entry there is no service, which `/ready` says by itself.
    } finally {
      this.#isLooking = false;
    }
  }
}
