// Drivers that stand in for others.

import type { Driver } from "../../src/db/driver.js";

/** A driver that does some things in its own way. */
export const standIn = (driver: Driver, own: Partial<Driver>): Driver => ({
  isDistributed: driver.isDistributed,
  query: (...args) => driver.query(...args),
  transaction: (run, workspaceId) => driver.transaction(run, workspaceId),
  migrate: (run) => driver.migrate(run),
  snapshot: (tables, run) => driver.snapshot(tables, run),
  ...(driver.openChannel !== undefined && { openChannel: driver.openChannel.bind(driver) }),
  ping: () => driver.ping(),
  asOnlyProcess: (...args) => driver.asOnlyProcess(...args),
  waitingMs: () => driver.waitingMs(),
  close: () => driver.close(),
  ...own,
});
