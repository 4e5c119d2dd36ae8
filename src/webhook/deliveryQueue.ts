// The queue of deliveries (contract section 6): filled together with the events (`queueing.ts`), emptied by the workers of all
// processes, at least once and in no guaranteed order. A worker leases a delivery by moving its next attempt to the end of the
// lease, so that deliveries of a dead process return by themselves. Workers write rows of the queue without the workspace's lock.

import { and, eq, inArray, not, type SQL, sql } from "drizzle-orm";
import { changeAsSystem } from "../api/systemChange.js";
import { readWherePossible } from "../db/acrossServers.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { type Database, json, oneOf, type Queries } from "../db/client.js";
import { event, webhook, webhookDelivery } from "../db/schema/index.js";
import { columnName, orNull, type RowOf, selection } from "../db/selections.js";
import type { Event } from "../events/eventShapes.js";
import { workspaceEvent } from "../events/log.js";
import { eventFields, eventJoins, isLogged, shownEvents } from "../events/shownEvents.js";
import { loggedWebhook, signingSecrets, webhookColumns } from "./webhookShapes.js";

/** Longer than an attempt takes, including writing its result. */
const LEASE = sql.raw("interval '15 seconds'");
/** The most webhooks that one round on the queue finds; if more have due deliveries, the next round continues after them. */
const WEBHOOKS_AT_ONCE = 1000;
/** The most deliveries of an inactive webhook that are ended at a time. */
const DISMISSED = 10_000;
const SWITCHED_OFF_AFTER_DAYS = 5;
const SWITCHED_OFF_AFTER = sql.raw(`interval '${SWITCHED_OFF_AFTER_DAYS} days'`);
const DAY_MS = 86_400_000;
/** The status with which a receiver says that it is gone permanently. */
const GONE = 410;

/** A webhook by its keys. */
export interface WebhookKey {
  workspaceId: number;
  webhookId: number;
}

export const START: WebhookKey = { workspaceId: 0, webhookId: 0 };

const waitingFields = {
  workspaceId: webhook.workspaceId,
  webhookId: webhook.id,
  url: webhook.url,
  active: webhook.active,
  isFailing: sql<boolean>`${webhook.failingSince} is not null`,
  /** The time for which its earliest delivery has been due, in whole seconds; negative if it is not due yet. */
  dueSeconds: sql<number>`floor(extract(epoch from now() - ${webhookDelivery.nextAttemptAt}))::int`,
};
const waitingRow = selection(waitingFields);

/** A webhook with pending deliveries. */
export type Waiting = RowOf<typeof waitingFields>;

/**
 * Reads the earliest delivery of each of some webhooks, workspace by workspace. The cost depends on the number of webhooks, not of
 * deliveries: grouping 100 000 deliveries took 65 ms, this takes 5 ms for 2000 webhooks.
 */
const waitingFor = (db: Queries, isWanted: SQL): Promise<Waiting[]> =>
  readWherePossible(db, (isAsked) =>
    db.read(
      waitingRow,
      acrossWorkspaces(
        "webhooks with deliveries due",
        sql`select ${waitingRow} from ${webhook} cross join lateral (
          select ${webhookDelivery.nextAttemptAt} from ${webhookDelivery}
          where ${webhookDelivery.workspaceId} = ${webhook.workspaceId} and ${webhookDelivery.webhookId} = ${webhook.id}
            and ${webhookDelivery.status} = 'pending' and ${isAsked(webhookDelivery.workspaceId)}
          order by ${webhookDelivery.nextAttemptAt} limit 1) ${webhookDelivery}
        where ${isWanted} and ${isAsked(webhook.workspaceId)}
        order by ${webhook.workspaceId}, ${webhook.id} limit ${WEBHOOKS_AT_ONCE}::int`,
      ),
    ),
  );

/** Looks at the webhooks of some workspaces. */
export const waitingIn = (db: Queries, workspaceIds: readonly number[]): Promise<Waiting[]> =>
  waitingFor(db, oneOf(webhook.workspaceId, workspaceIds));

/** The sweep of all workspaces: reads the webhooks after `after`; `next` is where to continue. */
export async function waitingBehind(db: Queries, after: WebhookKey): Promise<{ waiting: Waiting[]; next: WebhookKey }> {
  const behind = sql`(${webhook.workspaceId}, ${webhook.id}) > (${after.workspaceId}::bigint, ${after.webhookId}::bigint)`;
  const waiting = (await waitingFor(db, behind))
    .sort((one, other) => one.workspaceId - other.workspaceId || one.webhookId - other.webhookId)
    .slice(0, WEBHOOKS_AT_ONCE);
  return { waiting, next: waiting.length < WEBHOOKS_AT_ONCE ? START : (waiting.at(-1) ?? START) };
}

/** The number of deliveries to claim for a webhook. */
export interface Share extends WebhookKey {
  take: number;
}

const claimedFields = {
  webhookId: webhookDelivery.webhookId,
  deliveryId: webhookDelivery.id,
  publicId: webhookDelivery.publicId,
  /** Includes the attempt that starts. */
  attempts: webhookDelivery.attempts,
  leasedUntil: sql<string>`${webhookDelivery.nextAttemptAt}`,
  deliveryType: webhookDelivery.type,
  queuedAt: webhookDelivery.createdAt,
  url: webhook.url,
  /** The secrets that sign, the newest first. */
  secrets: signingSecrets,
};
const claimedDelivery = selection(claimedFields);
const claimedRow = selection({ ...claimedFields, ...orNull(eventFields) });
const wholeEvent = selection(eventFields);

/** A delivery that this process may attempt until `leasedUntil`, with all data of its message. */
export interface Claimed extends WebhookKey, RowOf<typeof claimedFields> {
  /** Null for a test that is sent again. */
  event: Event | null;
}

/** Takes due deliveries of a workspace, those that have waited longest first, at most `take` of each webhook. */
export async function claimIn(db: Queries, workspaceId: number, shares: readonly Share[]): Promise<Claimed[]> {
  const { id, attempts, nextAttemptAt, status, eventSeq } = webhookDelivery;
  const ofWorkspace = sql`${webhookDelivery.workspaceId} = ${workspaceId}::bigint`;
  const rows = await db.read(
    claimedRow,
    sql`
      with due as materialized (
        select found.id from jsonb_to_recordset(${json(shares)}) as share("webhookId" bigint, take int)
        cross join lateral (
          select ${id} from ${webhookDelivery}
          where ${ofWorkspace} and ${webhookDelivery.webhookId} = share."webhookId" and ${status} = 'pending'
            and ${nextAttemptAt} <= now()
          order by ${nextAttemptAt}, ${id} limit share.take for no key update skip locked) found
      ), claimed as (
        update ${webhookDelivery} set ${columnName(attempts)} = ${attempts} + 1, ${columnName(nextAttemptAt)} = now() + ${LEASE}
        from due where ${ofWorkspace} and ${id} = due.id
        returning ${webhookDelivery}.*
      )
      select ${claimedDelivery}, logged.*
      from claimed ${webhookDelivery}
      join ${webhook} on ${webhook.workspaceId} = ${workspaceId}::bigint and ${webhook.id} = ${webhookDelivery.webhookId}
      left join lateral (
        select ${wholeEvent} from ${event} ${eventJoins(workspaceId)}
        where ${event.workspaceId} = ${workspaceId}::bigint and ${event.seq} = ${eventSeq}) logged on true
      order by ${id}`,
  );
  const delivered = await shownEvents(db, workspaceId, rows.filter(isLogged));
  const events = new Map(delivered.map((one) => [one.event.id, one.event]));
  return rows.map(({ id: seq, ...row }) => ({
    ...row,
    workspaceId,
    event: (seq !== null && events.get(seq)) || null,
  }));
}

/** The result of an attempt. */
export interface Result extends WebhookKey {
  deliveryId: number;
  /** The URL it was sent to: the result is ignored for a webhook whose URL has changed since. */
  url: string;
  leasedUntil: string;
  status: "pending" | "delivered" | "failed";
  code: number | null;
  error: string | null;
  /** The time until it is repeated; null if it is not. */
  retryInSeconds: number | null;
}

const lostFields = { webhookId: webhook.id, url: webhook.url, isGone: sql<boolean>`fared.gone` };
const lostWebhook = selection(lostFields);

/** A webhook to deactivate: its receiver at the URL is gone, or has failed for five days. */
export interface Lost extends WebhookKey, RowOf<typeof lostFields> {}

/**
 * Writes the results of attempts in a workspace, and the state of its webhooks. A failure counts only while its lease lasts; a
 * success always counts. Returns the webhooks to deactivate. Citus allows no now() beside a column in UPDATE.
 */
export async function finishIn(db: Queries, workspaceId: number, results: readonly Result[]): Promise<Lost[]> {
  const { status, lastStatusCode, lastError, nextAttemptAt } = webhookDelivery;
  const { lastStatus, failingSince } = webhook;
  const ofWorkspace = sql`${webhook.workspaceId} = ${workspaceId}::bigint`;
  const isFared = sql`fared.id = ${webhook.id} and fared.url = ${webhook.url}`;
  const lost = await db.read(
    lostWebhook,
    sql`
      with result as materialized (
        select r.*, now() as at, now() + "retryInSeconds" * interval '1 second' as "retryAt"
        from jsonb_to_recordset(${json(results.map((result, n) => ({ ...result, n })))}) as r("webhookId" bigint,
          "deliveryId" bigint, url text, "leasedUntil" timestamptz, status text, code int, error text,
          "retryInSeconds" float8, n int)
      ), fared as materialized (
        select distinct on ("webhookId", url) "webhookId" as id, url, code, at,
          bool_or(status = 'delivered') over webhook as reached, bool_or(code = ${GONE}::int) over webhook as gone
        from result window webhook as (partition by "webhookId", url)
        order by "webhookId", url, n desc
      ), locked as materialized (
        select ${webhook.id}, fared.code, fared.reached, fared.at from ${webhook} join fared on ${isFared}
        where ${ofWorkspace}
          and (${lastStatus} is distinct from fared.code or (${failingSince} is null) <> fared.reached)
        order by ${webhook.id} for no key update of ${webhook}
      ), marked as (
        update ${webhook} set ${columnName(lastStatus)} = locked.code,
          ${columnName(failingSince)} = case when not locked.reached then coalesce(${failingSince}, locked.at) end
        from locked where ${ofWorkspace} and ${webhook.id} = locked.id
      ), finished as (
        update ${webhookDelivery} set ${columnName(status)} = result.status, ${columnName(lastStatusCode)} = result.code,
          ${columnName(lastError)} = result.error,
          ${columnName(nextAttemptAt)} = result."retryAt"
        from result, (select count(*) from locked) webhooks_first
        where ${webhookDelivery.workspaceId} = ${workspaceId}::bigint and ${webhookDelivery.id} = result."deliveryId"
          and (result.status = 'delivered' or (${status} = 'pending' and ${nextAttemptAt} = result."leasedUntil"))
      )
      select ${lostWebhook} from ${webhook} join fared on ${isFared}
      where ${ofWorkspace} and ${webhook.active}
        and (fared.gone or (not fared.reached and ${failingSince} <= now() - ${SWITCHED_OFF_AFTER}))`,
  );
  return lost.map((one) => ({ ...one, workspaceId }));
}

/** Whether a response with this status is final. */
export const isGone = (status: number | null) => status === GONE;

const failsForLong = (failingSince: string | null, now: string) =>
  failingSince !== null && Date.parse(failingSince) <= Date.parse(now) - SWITCHED_OFF_AFTER_DAYS * DAY_MS;

/** Deactivates a webhook because of its receiver; the log records it without an actor. */
export function switchOff(db: Database, { workspaceId, webhookId, url, isGone }: Lost): Promise<void> {
  return changeAsSystem(db, workspaceId, async (tx) => {
    const [row] = await tx.db
      .select({ ...webhookColumns, failingSince: webhook.failingSince })
      .from(webhook)
      .where(and(eq(webhook.workspaceId, workspaceId), eq(webhook.id, webhookId)));
    if (row === undefined || !row.active || row.url !== url) return;
    if (!isGone && !failsForLong(row.failingSince, tx.now)) return;
    tx.set(webhook, { id: webhookId }, { active: false });
    const changes = { active: { from: true, to: false } };
    tx.log(workspaceEvent("webhook.updated", { ...loggedWebhook({ ...row, active: false }), changes }));
  });
}

/** Ends the pending deliveries of an inactive webhook. */
export async function dismiss(db: Queries, { workspaceId, webhookId }: WebhookKey): Promise<void> {
  // The status stands in the text, so that the partial index of what waits is known to hold it.
  const isWaiting = and(eq(webhookDelivery.workspaceId, workspaceId), sql`${webhookDelivery.status} = 'pending'`);
  const some = db
    .select({ id: webhookDelivery.id })
    .from(webhookDelivery)
    .innerJoin(
      webhook,
      and(eq(webhook.workspaceId, workspaceId), eq(webhook.id, webhookDelivery.webhookId), not(webhook.active)),
    )
    .where(and(isWaiting, eq(webhookDelivery.webhookId, webhookId)))
    .limit(DISMISSED);
  await db
    .update(webhookDelivery)
    .set({ status: "failed", nextAttemptAt: null, lastError: "The webhook was deactivated" })
    .where(and(isWaiting, inArray(webhookDelivery.id, some)));
}
