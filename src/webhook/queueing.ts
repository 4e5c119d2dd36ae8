// Queues events for the webhooks of a workspace (contract section 6) in the transaction that logs them, so that an event is stored
// together with its deliveries.

import { sql } from "drizzle-orm";
import { oncePer, type Queries } from "../db/client.js";
import { webhook, webhookDelivery } from "../db/schema/index.js";
import { selection } from "../db/selections.js";
import { writtenOnce } from "../db/statements.js";
import { addRows, type CommitHook, type UnitOfWork } from "../db/unitOfWork.js";
import { type Filters, filtersAfter, matches } from "./filters.js";

type LoggedRow = Parameters<CommitHook["beforeCommit"]>[1][number];

const activeWebhook = selection({ id: webhook.id, publicId: webhook.publicId, events: webhook.events });
const activeWebhooks = writtenOnce(sql`
  select ${activeWebhook} from ${webhook}
  where ${webhook.workspaceId} = ${sql.placeholder("workspaceId")}::bigint and ${webhook.active}`);
const activeIn = (db: Queries, workspaceId: number) => db.read(activeWebhook, activeWebhooks({ workspaceId }));

/** The webhooks of a workspace, read after the lock and ahead of the events that they receive. */
class Queueing implements CommitHook {
  readonly #before: ReturnType<typeof activeIn>;

  constructor(db: Queries, workspaceId: number) {
    this.#before = activeIn(db, workspaceId);
    // If nothing is logged, nobody uses them.
    this.#before.catch(() => {});
  }

  async beforeCommit(unit: UnitOfWork, events: readonly LoggedRow[]): Promise<void> {
    if (events.length === 0) return;
    const before = await this.#before;
    const isChanged = events.some(({ type }) => type.startsWith("webhook."));
    if (before.length === 0 && !isChanged) return;
    const present = isChanged ? await activeIn(unit.db, unit.workspaceId) : before;
    const ids = new Map(present.map(({ publicId, id }) => [publicId, id]));
    let filters: Filters = new Map(before.map((hook) => [hook.publicId, hook.events]));
    const due = events.flatMap(({ seq, type, data }) => {
      filters = filtersAfter(filters, type, data);
      const webhookIds = [...filters].flatMap(([publicId, own]) =>
        matches(own, type) ? (ids.get(publicId) ?? []) : [],
      );
      return webhookIds.map((webhookId) => ({ webhookId, eventSeq: seq, type }));
    });
    const fields = due.map((one) => ({
      id: unit.newRowId(),
      publicId: unit.newPublicId(),
      nextAttemptAt: unit.now,
      ...one,
    }));
    addRows(unit, webhookDelivery, fields);
    // A webhook that was switched off or on has deliveries to be ended or sent.
    if (due.length > 0 || isChanged) unit.touched.queued.add(unit.workspaceId);
  }
}

/** Queues every event that is logged from now on for the webhooks that receive it. */
export const queueDeliveries = oncePer((db) => {
  db.beforeCommit((queries, workspaceId) => new Queueing(queries, workspaceId));
});
