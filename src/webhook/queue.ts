// The queue of deliveries (contract section 6): filled by the trigger `event_queues_deliveries` in the statement that logs an
// event, emptied by the workers of all processes. A worker takes a lease by moving the next attempt to the lease's end, so that
// what a process that died had taken comes back by itself. At least once, in no promised order.

import { type SQL, sql } from "drizzle-orm";
import { bigints, type Database, json, type Queries } from "../db/client.js";
import { record, workspaceEvent } from "../events/log.js";
import { type Event, type EventRow, eventColumns, eventJoins, shownEvent } from "../events/reading.js";
import { signingSecrets, told, type WebhookRow, webhookColumns } from "./shapes.js";

/** Longer than an attempt takes with the writing of what became of it. */
const LEASE = sql.raw("interval '15 seconds'");
/** How many webhooks a look at the queue visits; where more have something waiting, the next look goes on behind them. */
const VISITED = 1000;
/** How many deliveries of a webhook that is off are ended at once. */
const DISMISSED = 10_000;
const KEPT = sql.raw("interval '30 days'");
const SWITCHED_OFF_AFTER = sql.raw("interval '5 days'");
/** The status by which a receiver says that it is gone for good. */
const GONE = 410;

/** A webhook by its keys. */
export interface Place {
  workspaceId: number;
  webhookId: number;
}

export const START: Place = { workspaceId: 0, webhookId: 0 };

/** A webhook for which something waits. */
export interface Waiting extends Place {
  url: string;
  active: boolean;
  isFailing: boolean;
  /** How long its earliest delivery has been due, in whole seconds; negative where it is not yet. */
  dueSeconds: number;
}

const waitingColumns = sql.raw(`w.workspace_id as "workspaceId", w.id as "webhookId", w.url, w.active,
  w.failing_since is not null as "isFailing", floor(extract(epoch from now() - v.next_attempt_at))::int as "dueSeconds"`);

/** Looks at the earliest delivery of each webhook of some workspaces. */
export const waitingIn = (db: Queries, workspaceIds: readonly number[]): Promise<Waiting[]> =>
  db.rows<Waiting>(sql`
    select ${waitingColumns} from webhook w cross join lateral (
      select d.next_attempt_at from webhook_delivery d
      where d.workspace_id = w.workspace_id and d.webhook_id = w.id and d.status = 'pending'
      order by d.next_attempt_at limit 1) v
    where w.workspace_id = any(${bigints(workspaceIds)})`);

/** Looks at the earliest delivery of each webhook behind `after`, whatever waits behind it; `next` is where to go on. */
export async function waitingBehind(db: Queries, after: Place): Promise<{ waiting: Waiting[]; next: Place }> {
  const earliest = (key: SQL) => sql`
    select d.workspace_id, d.webhook_id, d.next_attempt_at from webhook_delivery d
    where d.status = 'pending' and (d.workspace_id, d.webhook_id) > (${key})
    order by d.workspace_id, d.webhook_id, d.next_attempt_at limit 1`;
  const waiting = await db.rows<Waiting>(sql`
    with recursive visited as (
      select first.*, 1 as n from (${earliest(sql`${after.workspaceId}::bigint, ${after.webhookId}::bigint`)}) first
      union all
      select following.*, v.n + 1
      from visited v cross join lateral (${earliest(sql`v.workspace_id, v.webhook_id`)}) following
      where v.n < ${VISITED}::int
    )
    select ${waitingColumns}
    from visited v join webhook w on w.workspace_id = v.workspace_id and w.id = v.webhook_id
    order by v.n`);
  return { waiting, next: waiting.length < VISITED ? START : (waiting.at(-1) ?? START) };
}

/** How many deliveries to take of a webhook. */
export interface Share extends Place {
  take: number;
}

/** A delivery that this process may attempt until `leasedUntil`, with all that its message is made of. */
export interface Claimed extends Place {
  deliveryId: number;
  publicId: string;
  /** Including the one that begins. */
  attempts: number;
  leasedUntil: string;
  url: string;
  /** Those that sign, the newest first. */
  secrets: string[];
  deliveryType: string;
  queuedAt: string;
  /** Null for a test that is sent again. */
  event: Event | null;
}

type ClaimedRow = Omit<Claimed, "event"> & (EventRow | { id: null });

/** Takes what is due, those that have waited longest first, at most `take` of each webhook. */
export async function claim(db: Queries, shares: readonly Share[]): Promise<Claimed[]> {
  const rows = await db.rows<ClaimedRow>(sql`
    with due as materialized (
      select d.workspace_id, d.id
      from jsonb_to_recordset(${json(shares)}) as s("workspaceId" bigint, "webhookId" bigint, take int)
      cross join lateral (
        select workspace_id, id from webhook_delivery
        where workspace_id = s."workspaceId" and webhook_id = s."webhookId" and status = 'pending'
          and next_attempt_at <= now()
        order by next_attempt_at, id limit s.take for no key update skip locked) d
    ), claimed as (
      update webhook_delivery d set attempts = d.attempts + 1, next_attempt_at = now() + ${LEASE}
      from due where d.workspace_id = due.workspace_id and d.id = due.id
      returning d.*
    )
    select d.workspace_id as "workspaceId", d.webhook_id as "webhookId", d.id as "deliveryId", d.public_id as "publicId",
      d.attempts, d.next_attempt_at as "leasedUntil", d.type as "deliveryType", d.created_at as "queuedAt", w.url,
      ${signingSecrets}, shown.*
    from claimed d
    join webhook w on w.workspace_id = d.workspace_id and w.id = d.webhook_id
    left join lateral (
      select ${eventColumns} from event e ${eventJoins}
      where e.workspace_id = d.workspace_id and e.seq = d.event_seq) shown on true
    order by d.id`);
  return rows.map((row) => ({ ...row, event: row.id === null ? null : shownEvent(row) }));
}

/** What became of an attempt. */
export interface Result extends Place {
  deliveryId: number;
  /** Where it was sent: nothing is said of a webhook that is sent elsewhere since. */
  url: string;
  leasedUntil: string;
  status: "pending" | "delivered" | "failed";
  code: number | null;
  error: string | null;
  /** When it is tried again; null where it is not. */
  retryInSeconds: number | null;
}

/** A webhook that is to be switched off: its receiver at the URL is gone, or has failed for five days. */
export interface Lost extends Place {
  url: string;
  isGone: boolean;
}

const failsForLong = sql`failing_since <= now() - ${SWITCHED_OFF_AFTER}`;

/**
 * Writes what became of attempts, and how their webhooks fare. A failure counts only while its lease holds; a delivery that
 * arrived has arrived. Gives the webhooks that are to be switched off.
 */
export function finish(db: Queries, results: readonly Result[]): Promise<Lost[]> {
  return db.rows<Lost>(sql`
    with result as materialized (
      select * from jsonb_to_recordset(${json(results.map((result, n) => ({ ...result, n })))}) as r("workspaceId" bigint,
        "webhookId" bigint, "deliveryId" bigint, url text, "leasedUntil" timestamptz, status text, code int, error text,
        "retryInSeconds" float8, n int)
    ), fared as materialized (
      select distinct on ("workspaceId", "webhookId", url) "workspaceId" as workspace_id, "webhookId" as id, url, code,
        bool_or(status = 'delivered') over webhook as reached, bool_or(code = ${GONE}::int) over webhook as gone
      from result window webhook as (partition by "workspaceId", "webhookId", url)
      order by "workspaceId", "webhookId", url, n desc
    ), locked as materialized (
      select w.workspace_id, w.id, w.failing_since, f.code, f.reached from webhook w join fared f using (workspace_id, id, url)
      where w.last_status is distinct from f.code or (w.failing_since is null) <> f.reached
      order by w.workspace_id, w.id for no key update of w
    ), marked as (
      update webhook w set last_status = l.code,
        failing_since = case when not l.reached then coalesce(w.failing_since, now()) end
      from locked l where w.workspace_id = l.workspace_id and w.id = l.id
    ), finished as (
      update webhook_delivery d set status = r.status, last_status_code = r.code, last_error = r.error,
        next_attempt_at = now() + r."retryInSeconds" * interval '1 second'
      from result r, (select count(*) from locked) webhooks_first
      where d.workspace_id = r."workspaceId" and d.id = r."deliveryId"
        and (r.status = 'delivered' or (d.status = 'pending' and d.next_attempt_at = r."leasedUntil"))
    )
    select w.workspace_id as "workspaceId", w.id as "webhookId", url, f.gone as "isGone"
    from webhook w join fared f using (workspace_id, id, url)
    where w.active and (f.gone or (not f.reached and w.${failsForLong}))`);
}

/** Whether an answer with this status is the last word of a receiver. */
export const isGone = (status: number | null) => status === GONE;

/** Switches a webhook off for its receiver's sake; the log tells of it, with no actor. */
export function switchOff(db: Database, { workspaceId, webhookId, url, isGone }: Lost): Promise<void> {
  return db.transaction(async (tx) => {
    const [webhook] = await tx.rows<WebhookRow>(sql`
      select ${webhookColumns} from webhook
      where workspace_id = ${workspaceId}::bigint and id = ${webhookId}::bigint and active and url = ${url}::text
        and (${isGone}::boolean or ${failsForLong}) for no key update`);
    if (webhook === undefined) return;
    const changes = { active: { from: true, to: false } };
    await record(
      { db: tx, user: { accountId: null } },
      { workspaceId },
      {
        events: [workspaceEvent("webhook.updated", { ...told({ ...webhook, active: false }), changes })],
        write: () => sql`
        update webhook set active = false from next
        where workspace_id = ${workspaceId}::bigint and id = ${webhookId}::bigint returning id`,
      },
    );
  });
}

/** Ends what waits for webhooks that are off. */
export async function dismiss(db: Queries, webhooks: readonly Place[]): Promise<void> {
  await db.rows(sql`
    update webhook_delivery d set status = 'failed', next_attempt_at = null, last_error = 'The webhook was switched off'
    from (
      select waiting.workspace_id, waiting.id
      from jsonb_to_recordset(${json(webhooks)}) as o("workspaceId" bigint, "webhookId" bigint)
      join webhook w on w.workspace_id = o."workspaceId" and w.id = o."webhookId" and not w.active
      cross join lateral (
        select workspace_id, id from webhook_delivery
        where workspace_id = w.workspace_id and webhook_id = w.id and status = 'pending' limit ${DISMISSED}::int) waiting
    ) dismissed
    where d.workspace_id = dismissed.workspace_id and d.id = dismissed.id and d.status = 'pending'`);
}

/** Forgets deliveries that ended and are older than 30 days, and secrets that no longer sign. */
export async function forgetOldDeliveries(db: Queries): Promise<void> {
  await db.rows(sql`
    delete from webhook_delivery where status <> 'pending' and created_at < now() - ${KEPT}`);
  await db.rows(sql`
    update webhook set previous_secret = null, previous_secret_until = null where previous_secret_until < now()`);
}
