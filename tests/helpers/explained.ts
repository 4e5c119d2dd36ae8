// On a cluster (`npm run test:citus`): has each statement of the service explained there, behind the tests of a file. One that runs in
// more than one task visits several servers, which only those may that say so (`src/db/acrossWorkspaces.ts`).

import type { Driver, Param, TransactionConnection } from "../../src/db/driver.js";
import { reasonOf } from "../../src/db/failures.js";
import { openForWholeDatabase } from "../../src/db/postgres.js";
import { isOfTest } from "./bound/driver.js";

/**
 * Statements that several servers may answer by their name, those about the cluster itself, and one from a reference table into another,
 * which Citus runs but cannot explain.
 */
const IS_EXEMPT = /\/\* across workspaces: |pg_dist_|run_command_on_all_nodes|^\s*insert into "account_link"/;
const IS_PLANNED = /^\s*(?:select|with|insert|update|delete)\b/i;
const TASKS = /"Task Count":(\d+)/g;

/** A driver that remembers each text with its first parameters, and explains them on the cluster at the end. */
export function explained(driver: Driver, url: string): Driver {
  const seen = new Map<string, readonly Param[]>();
  const note = (text: string, params: readonly Param[]) => {
    if (!seen.has(text) && IS_PLANNED.test(text) && !IS_EXEMPT.test(text) && !isOfTest()) seen.set(text, params);
  };
  const inside = (connection: TransactionConnection): TransactionConnection => ({
    query: (text, params, mode) => {
      note(text, params);
      return connection.query(text, params, mode);
    },
    last: (text, params, mode) => {
      note(text, params);
      return connection.last(text, params, mode);
    },
  });
  return {
    isDistributed: driver.isDistributed,
    query: (text, params, mode) => {
      note(text, params);
      return driver.query(text, params, mode);
    },
    transaction: (run, workspaceId) => driver.transaction((connection) => run(inside(connection)), workspaceId),
    ...(driver.noteServers !== undefined && { noteServers: driver.noteServers.bind(driver) }),
    migrate: (run) => driver.migrate(run),
    snapshot: (tables, run) => driver.snapshot(tables, run),
    ...(driver.openChannel !== undefined && { openChannel: driver.openChannel.bind(driver) }),
    ping: () => driver.ping(),
    asOnlyProcess: (name, run) => driver.asOnlyProcess(name, run),
    waitingMs: () => driver.waitingMs(),
    close: async () => {
      await driver.close();
      await mustBeRouted(seen, url);
    },
  };
}

/** @throws Error naming each statement that is planned in more than one task. */
async function mustBeRouted(seen: ReadonlyMap<string, readonly Param[]>, url: string): Promise<void> {
  const session = openForWholeDatabase(url);
  const wrong: string[] = [];
  try {
    for (const [text, params] of seen) {
      const plan = await session.query(`explain (format json) ${text}`, params, "array").catch((error: Error) => error);
      const counts = [...JSON.stringify(plan).matchAll(TASKS)].map(([, count]) => Number(count));
      if (plan instanceof Error) wrong.push(`${reasonOf(plan)}: ${text}`);
      else if (counts.some((count) => count > 1)) wrong.push(`${counts.join(" and ")} tasks: ${text}`);
    }
  } finally {
    await session.close();
  }
  if (wrong.length > 0) throw new Error(`Statements that visit several shards:\n\n${wrong.join("\n\n")}`);
}
