// The queue of deliveries (contract section 6): filled with the events that they are of (`queueing.ts`), emptied by the workers of
// all processes. A worker takes a lease by moving the next attempt to the lease's end, so that what a process that died had taken
// comes back by itself. At least once, in no promised order. Workers write rows of the queue without the workspace's lock.

import { and, eq, type SQL, sql } from "drizzle-orm";
import { changeAsSystem } from "../api/change.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { bigints, type Database, json, type Queries } from "../db/client.js";
import { byWorkspace } from "../db/records.js";
import { webhook } from "../db/schema/index.js";
import type { Event } from "../events/eventShapes.js";
import { workspaceEvent } from "../events/log.js";
import { type EventRow, eventColumns, eventJoins, shownEvents } from "../events/reading.js";
import { loggedWebhook, signingSecrets, webhookColumns } from "./shapes.js";

/** Longer than an attempt takes with the writing of what became of it. */
const LEASE = sql.raw("interval '15 seconds'");
/** How many webhooks a look at the queue finds; where more have something waiting, the next look goes on behind them. */
const FOUND = 1000;
/** How many deliveries of a webhook that is off are ended at once. */
const DISMISSED = 10_000;
const SWITCHED_OFF_AFTER_DAYS = 5;
const SWITCHED_OFF_AFTER = sql.raw(`interval '${SWITCHED_OFF_AFTER_DAYS} days'`);
const DAY_MS = 86_400_000;
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

/**
 * Looks at the earliest delivery of some webhooks, whatever waits behind it: of several workspaces, each of which is visited for its
 * own. It grows with the webhooks, not with what waits for them: grouping what waits took 65 ms at 100 000 deliveries, this 5 ms at
 * 2000 webhooks.
 */
const waitingFor = (db: Queries, isAsked: SQL): Promise<Waiting[]> =>
  db.rows<Waiting>(
    acrossWorkspaces(
      "webhooks with deliveries due",
      sql`select ${waitingColumns} from webhook w cross join lateral (
          select d.next_attempt_at from webhook_delivery d
          where d.workspace_id = w.workspace_id and d.webhook_id = w.id and d.status = 'pending'
          order by d.next_attempt_at limit 1) v
        where ${isAsked}
        order by w.workspace_id, w.id limit ${FOUND}::int`,
    ),
  );

/** Looks at the webhooks of some workspaces. */
export const waitingIn = (db: Queries, workspaceIds: readonly number[]): Promise<Waiting[]> =>
  waitingFor(db, sql`w.workspace_id = any(${bigints(workspaceIds)})`);

/** The sweep of all workspaces: looks at the webhooks behind `after`; `next` is where to go on. */
export async function waitingBehind(db: Queries, after: Place): Promise<{ waiting: Waiting[]; next: Place }> {
  const behind = sql`(w.workspace_id, w.id) > (${after.workspaceId}::bigint, ${after.webhookId}::bigint)`;
  const waiting = await waitingFor(db, behind);
  return { waiting, next: waiting.length < FOUND ? START : (waiting.at(-1) ?? START) };
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

type ClaimedRow = Omit<Claimed, "event" | "workspaceId"> & (EventRow | { id: null });

/** Takes what is due in a workspace, those that have waited longest first, at most `take` of each webhook. */
async function claimIn(db: Queries, workspaceId: number, shares: readonly Share[]): Promise<Claimed[]> {
  const rows = await db.rows<ClaimedRow>(sql`
    with due as materialized (
      select d.id
      from jsonb_to_recordset(${json(shares)}) as s("webhookId" bigint, take int)
      cross join lateral (
        select id from webhook_delivery
        where workspace_id = ${workspaceId}::bigint and webhook_id = s."webhookId" and status = 'pending'
          and next_attempt_at <= now()
        order by next_attempt_at, id limit s.take for no key update skip locked) d
    ), claimed as (
      update webhook_delivery d set attempts = d.attempts + 1, next_attempt_at = now() + ${LEASE}
      from due where d.workspace_id = ${workspaceId}::bigint and d.id = due.id
      returning d.*
    )
    select d.webhook_id as "webhookId", d.id as "deliveryId", d.public_id as "publicId",
      d.attempts, d.next_attempt_at as "leasedUntil", d.type as "deliveryType", d.created_at as "queuedAt", w.url,
      ${signingSecrets}, shown.*
    from claimed d
    join webhook w on w.workspace_id = ${workspaceId}::bigint and w.id = d.webhook_id
    left join lateral (
      select ${eventColumns} from event e ${eventJoins(workspaceId)}
      where e.workspace_id = ${workspaceId}::bigint and e.seq = d.event_seq) shown on true
    order by d.id`);
  const logged = rows.filter((row) => row.id !== null);
  const events = new Map((await shownEvents(db, workspaceId, logged)).map(({ event }) => [event.id, event]));
  return rows.map(({ id, ...row }) => ({ ...row, workspaceId, event: (id !== null && events.get(id)) || null }));
}

/** Takes what is due, workspace by workspace. */
export async function claim(db: Queries, shares: readonly Share[]): Promise<Claimed[]> {
  const claimed: Claimed[] = [];
  for (const [workspaceId, own] of byWorkspace(shares)) claimed.push(...(await claimIn(db, workspaceId, own)));
  return claimed;
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

/**
 * Writes what became of attempts in a workspace, and how its webhooks fare. A failure counts only while its lease holds; a delivery
 * that arrived has arrived. Gives the webhooks that are to be switched off.
 */
export async function finishIn(db: Queries, workspaceId: number, results: readonly Result[]): Promise<Lost[]> {
  const lost = await db.rows<Omit<Lost, "workspaceId">>(sql`
    with result as materialized (
      select * from jsonb_to_recordset(${json(results.map((result, n) => ({ ...result, n })))}) as r("webhookId" bigint,
        "deliveryId" bigint, url text, "leasedUntil" timestamptz, status text, code int, error text,
        "retryInSeconds" float8, n int)
    ), fared as materialized (
      select distinct on ("webhookId", url) "webhookId" as id, url, code,
        bool_or(status = 'delivered') over webhook as reached, bool_or(code = ${GONE}::int) over webhook as gone
      from result window webhook as (partition by "webhookId", url)
      order by "webhookId", url, n desc
    ), locked as materialized (
      select w.id, w.failing_since, f.code, f.reached from webhook w join fared f using (id, url)
      where w.workspace_id = ${workspaceId}::bigint
        and (w.last_status is distinct from f.code or (w.failing_since is null) <> f.reached)
      order by w.id for no key update of w
    ), marked as (
      update webhook w set last_status = l.code,
        failing_since = case when not l.reached then coalesce(w.failing_since, now()) end
      from locked l where w.workspace_id = ${workspaceId}::bigint and w.id = l.id
    ), finished as (
      update webhook_delivery d set status = r.status, last_status_code = r.code, last_error = r.error,
        next_attempt_at = now() + r."retryInSeconds" * interval '1 second'
      from result r, (select count(*) from locked) webhooks_first
      where d.workspace_id = ${workspaceId}::bigint and d.id = r."deliveryId"
        and (r.status = 'delivered' or (d.status = 'pending' and d.next_attempt_at = r."leasedUntil"))
    )
    select w.id as "webhookId", url, f.gone as "isGone"
    from webhook w join fared f using (id, url)
    where w.workspace_id = ${workspaceId}::bigint and w.active
      and (f.gone or (not f.reached and w.failing_since <= now() - ${SWITCHED_OFF_AFTER}))`);
  return lost.map((one) => ({ ...one, workspaceId }));
}

/** Whether an answer with this status is the last word of a receiver. */
export const isGone = (status: number | null) => status === GONE;

const failsForLong = (failingSince: string | null, now: string) =>
  failingSince !== null && Date.parse(failingSince) <= Date.parse(now) - SWITCHED_OFF_AFTER_DAYS * DAY_MS;

/** Switches a webhook off for its receiver's sake; the log tells of it, with no actor. */
export function switchOff(db: Database, { workspaceId, webhookId, url, isGone }: Lost): Promise<void> {
  return changeAsSystem(db, workspaceId, async (tx) => {
    const [found] = await tx.db
      .select({ ...webhookColumns, failingSince: webhook.failingSince })
      .from(webhook)
      .where(and(eq(webhook.workspaceId, workspaceId), eq(webhook.id, webhookId)));
    if (found === undefined || !found.active || found.url !== url) return;
    if (!isGone && !failsForLong(found.failingSince, tx.now)) return;
    tx.set(webhook, { id: webhookId }, { active: false });
    const changes = { active: { from: true, to: false } };
    tx.log(workspaceEvent("webhook.updated", { ...loggedWebhook({ ...found, active: false }), changes }));
  });
}

/** Ends what waits for a webhook that is off. */
export async function dismiss(db: Queries, { workspaceId, webhookId }: Place): Promise<void> {
  await db.rows(sql`
    update webhook_delivery set status = 'failed', next_attempt_at = null, last_error = 'The webhook was switched off'
    where workspace_id = ${workspaceId}::bigint and status = 'pending' and id in (
      select d.id from webhook_delivery d
      join webhook w on w.workspace_id = ${workspaceId}::bigint and w.id = d.webhook_id and not w.active
      where d.workspace_id = ${workspaceId}::bigint and d.webhook_id = ${webhookId}::bigint and d.status = 'pending'
      limit ${DISMISSED}::int)`);
}
