// The hooks that every process that writes attaches to its database, the service and a command alike.

import type { Database } from "./db/client.js";
import { commitSignalOf } from "./events/commitSignal.js";
import { queueDeliveries } from "./webhook/queueing.js";

/** Signals commits to other processes and queues events for webhooks. Processes that follow no log do so as well. */
export function attachWriters(db: Database): void {
  commitSignalOf(db);
  queueDeliveries(db);
}
