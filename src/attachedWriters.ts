// What every process that writes attaches to its database, the service and a command alike.

import type { Database } from "./db/client.js";
import { commitSignalOf } from "./events/commitSignal.js";
import { queueDeliveries } from "./webhook/queueing.js";

/** Has the other processes told of commits, and events queued for webhooks. A process that follows nothing does so all the same. */
export function attachWriters(db: Database): void {
  commitSignalOf(db);
  queueDeliveries(db);
}
