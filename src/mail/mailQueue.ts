// The queue of mail (capabilities section 1), emptied by the workers of all processes. A worker takes a lease by moving the next
// attempt to the end of the lease. If a process dies, its mails become due again: each mail is sent at least once.

import {
  and,
  asc,
  between,
  eq,
  type GetColumnData,
  gt,
  inArray,
  isNotNull,
  lte,
  min,
  ne,
  not,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { Backoff } from "../db/backoff.js";
import { type Database, oneOf, type Queries, type Transaction } from "../db/client.js";
import { account, invite, mail } from "../db/schema/index.js";

/** Longer than writing and handing over a mail takes, and storing its outcome. */
const LEASE = sql`now() + interval '90 seconds'`;
/** A person gets one mail about notifications in this time; later notifications are gathered into the next one. */
const PAUSE = sql`interval '5 minutes'`;
/** The most notifications in one mail. */
const BUNDLE_MAX = 100;

/** The pauses after the first, second, … attempt; after the last attempt the mail is marked failed. */
const STEPS_SECONDS: readonly number[] = [60, 300, 1800, 7200];

/** Seconds until the next attempt; null after the last. */
export const mailRetryInSeconds = (attempts: number): number | null => STEPS_SECONDS[attempts - 1] ?? null;

const claimedColumns = {
  id: mail.id,
  publicId: mail.publicId,
  kind: mail.kind,
  accountId: mail.accountId,
  address: mail.address,
  causedBy: mail.causedBy,
  aboutWorkspaceId: mail.aboutWorkspaceId,
  notificationId: mail.notificationId,
  data: mail.data,
  /** Including the one that begins. */
  attempts: mail.attempts,
  leasedUntil: mail.nextAttemptAt,
};

/** A row of the queue that this process may send until `leasedUntil`. */
export type ClaimedMail = {
  [Name in keyof typeof claimedColumns]: GetColumnData<(typeof claimedColumns)[Name]>;
};

const isDue = (isOfKind: SQL) => and(eq(mail.status, "pending"), isOfKind, lte(mail.nextAttemptAt, sql`now()`));
const isNotification = eq(mail.kind, "notification");

/** For how many seconds the first mail has been due; 0 where none is. */
export async function oldestDueSeconds(db: Queries): Promise<number> {
  const [first] = await db
    .select({ seconds: sql<number>`extract(epoch from now() - ${mail.nextAttemptAt})::float8` })
    .from(mail)
    .where(eq(mail.status, "pending"))
    .orderBy(asc(mail.nextAttemptAt), asc(mail.id))
    .limit(1);
  return Math.max(0, first?.seconds ?? 0);
}

/** Whether a mail is an invitation that was revoked, used up or replaced since it was queued. */
export async function isOver(db: Queries, { kind, aboutWorkspaceId, data }: ClaimedMail): Promise<boolean> {
  if (kind !== "invitation" || aboutWorkspaceId === null) return false;
  const isIt = and(eq(invite.workspaceId, aboutWorkspaceId), eq(invite.code, String(data?.code)));
  return (await db.$count(invite, isIt)) === 0;
}

/** Takes mails that each go by themselves, those first that have waited longest. */
export async function claimLetters(db: Queries, limit: number): Promise<ClaimedMail[]> {
  // A CTE that locks rows is computed once; as a subquery of the UPDATE it might be computed for each row.
  const due = db.$with("due").as(
    db
      .select({ id: mail.id })
      .from(mail)
      .where(isDue(ne(mail.kind, "notification")))
      .orderBy(asc(mail.nextAttemptAt), asc(mail.id))
      .limit(limit)
      .for("no key update", { skipLocked: true }),
  );
  return db
    .with(due)
    .update(mail)
    .set({ attempts: sql`${mail.attempts} + 1`, nextAttemptAt: LEASE })
    .where(inArray(mail.id, db.select({ id: due.id }).from(due)))
    .returning(claimedColumns);
}

/** Accounts for which a notification is to be mailed, those first that have waited longest, without some. */
async function accountsWaiting(db: Queries, limit: number, without: readonly number[]): Promise<number[]> {
  const rows = await db
    .select({ accountId: mail.accountId })
    .from(mail)
    .where(and(isDue(isNotification), isNotNull(mail.accountId), not(oneOf(mail.accountId, without))))
    .groupBy(mail.accountId)
    .orderBy(min(mail.nextAttemptAt))
    .limit(limit);
  return rows.flatMap(({ accountId }) => accountId ?? []);
}

/** The fields that the queue itself stores with a notification. */
interface BundleNote {
  /** Names the mail that was already tried with it, which is repeated with the same content. */
  bundle?: string;
}

const bundleOf = ({ data }: Pick<ClaimedMail, "data">): BundleNote["bundle"] | null =>
  typeof data?.bundle === "string" ? data.bundle : null;

/** A mail that is dated later than now was sent before the clock was set back, and pauses nothing. */
const wasSentLately = between(mail.sentAt, sql`now() - ${PAUSE}`, sql`now()`);

/** Postpones what is due for an account that got a mail about notifications lately, or gets one now; whether it did. */
async function pauses(tx: Transaction, accountId: number): Promise<boolean> {
  const isBeingSent = and(
    eq(mail.status, "pending"),
    gt(mail.attempts, 0),
    gt(mail.nextAttemptAt, sql`now()`),
    lte(mail.nextAttemptAt, LEASE),
  );
  const [last] = await tx
    .select({
      until: sql<
        string | null
      >`max(case when ${isBeingSent} then ${mail.nextAttemptAt} else ${mail.sentAt} + ${PAUSE} end)`,
    })
    .from(mail)
    .where(and(eq(mail.accountId, accountId), isNotification, or(wasSentLately, isBeingSent)));
  if (last === undefined || last.until === null) return false;
  await tx
    .update(mail)
    .set({ nextAttemptAt: last.until })
    .where(and(eq(mail.accountId, accountId), isDue(isNotification)));
  return true;
}

/**
 * Claims the notifications that one account gets in one mail: everything that is due, or what was in a mail that failed. The
 * account's row is locked meanwhile, so that two processes never make two mails of them.
 */
async function claimBundle(db: Database, accountId: number): Promise<ClaimedMail[]> {
  return db.transaction(async (tx) => {
    const [locked] = await tx
      .select({ id: account.id })
      .from(account)
      .where(eq(account.id, accountId))
      .for("no key update", { skipLocked: true });
    if (locked === undefined || (await pauses(tx, accountId))) return [];
    const due = await tx
      .select({ id: mail.id, publicId: mail.publicId, data: mail.data })
      .from(mail)
      .where(and(eq(mail.accountId, accountId), isDue(isNotification)))
      .orderBy(asc(mail.id))
      .limit(BUNDLE_MAX)
      .for("no key update", { skipLocked: true });
    const [first] = due;
    if (first === undefined) return [];
    const together = due.filter((row) => bundleOf(row) === bundleOf(first)).map(({ id }) => id);
    const note = { bundle: bundleOf(first) ?? first.publicId } satisfies BundleNote;
    const claimed = await tx
      .update(mail)
      .set({
        attempts: sql`${mail.attempts} + 1`,
        nextAttemptAt: LEASE,
        data: sql`coalesce(${mail.data}, '{}'::jsonb) || ${JSON.stringify(note)}::text::jsonb`,
      })
      .where(inArray(mail.id, together))
      .returning(claimedColumns);
    return claimed.sort((a, b) => a.id - b.id);
  });
}

/** Takes the notifications of some accounts, each account's as one mail. An account that fails is left to its pause. */
export async function claimBundles(db: Database, limit: number, accounts: Backoff<number>): Promise<ClaimedMail[][]> {
  const bundles: ClaimedMail[][] = [];
  for (const accountId of await accountsWaiting(db, limit, accounts.paused())) {
    bundles.push((await accounts.run(accountId, () => claimBundle(db, accountId))) ?? []);
  }
  return bundles.filter((bundle) => bundle.length > 0);
}

/** The outcome of rows of the queue. */
export interface MailResult {
  rows: readonly ClaimedMail[];
  /** `postponed`: due again at `until`, without having been tried. */
  outcome: "sent" | "dropped" | "retried" | "failed" | "postponed";
  error: string | null;
  /** The time when they are due again, ISO 8601; null where they are not, or after the step of the schedule. */
  until: string | null;
}

/** Stores the outcome of rows. A failure counts only while its lease holds; a mail that the server took counts as sent. */
export async function finish(db: Queries, { rows, outcome, error, until }: MailResult): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const isLeased =
    outcome === "sent" || first.leasedUntil === null ? undefined : eq(mail.nextAttemptAt, first.leasedUntil);
  const retry = sql`now() + ${mailRetryInSeconds(first.attempts) ?? 0} * interval '1 second'`;
  const values = {
    sent: { status: "sent", lastError: null, data: null, nextAttemptAt: null, sentAt: sql`now()` },
    dropped: { status: "dropped", lastError: error, data: null, nextAttemptAt: null },
    failed: { status: "failed", lastError: error, data: null, nextAttemptAt: null },
    retried: { lastError: error, nextAttemptAt: retry },
    postponed: { attempts: 0, data: { isDigest: true }, nextAttemptAt: until },
  } as const;
  const ids = rows.map(({ id }) => id);
  await db
    .update(mail)
    .set(values[outcome])
    .where(and(inArray(mail.id, ids), eq(mail.status, "pending"), isLeased));
}
