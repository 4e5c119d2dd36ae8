// Mail about notifications (capabilities section 1): what it says, whether it is sent at all, and when, is decided at the moment when
// it is due, by what its reader then may see and wants.

import { and, eq, inArray, isNull } from "drizzle-orm";
import { Temporal } from "temporal-polyfill";
import { knownTimeZone } from "../api/timeZones.js";
import type { Database } from "../db/client.js";
import { byWorkspace } from "../db/records.js";
import { account, notification } from "../db/schema/index.js";
import type { MailedKind } from "../db/schema/mailTimes.js";
import { type Item, type Letter, say } from "../mail/letters.js";
import { cardLinkTo, type LinkSettings, linkTo, unsubscribeCallOf } from "../mail/links.js";
import type { ClaimedMail } from "../mail/mailQueue.js";
import type { Composed, Composer } from "../mail/worker.js";
import { settingsOf, unsubscribeTokenOf } from "../user/notificationSettings.js";
import { type Notification, type NotificationRow, readNotifications, shownNotification } from "./shownNotifications.js";

const KINDS: Readonly<Record<Notification["type"], MailedKind>> = {
  mention: "mention",
  "comment.reply": "reply",
  "card.assigned": "assigned",
  "comment.created": "comment",
  "card.due": "due",
  "workspace.member.added": "membership",
  "workspace.member.removed": "membership",
  "workspace.role.changed": "membership",
};

/** The next time at which it is an hour of the day in a time zone, after an instant; all ISO 8601. */
export function nextDigest(now: string, timeZone: string, hour: number): string {
  const here = Temporal.Instant.from(now).toZonedDateTimeISO(timeZone);
  // An hour that the clocks leave out is taken as the one after it.
  const on = (date: Temporal.PlainDate) => date.toZonedDateTime({ timeZone, plainTime: { hour } });
  const today = on(here.toPlainDate());
  const next = Temporal.ZonedDateTime.compare(today, here) > 0 ? today : on(here.toPlainDate().add({ days: 1 }));
  return new Date(next.epochMilliseconds).toISOString();
}

/** The recipient. */
interface Recipient {
  accountId: number;
  publicId: string;
  address: string;
  timeZone: string;
}

/** The account, if mail about notifications goes to it: it is open, and its address is verified. */
async function recipientOf(db: Database, accountId: number | null): Promise<Recipient | null> {
  if (accountId === null) return null;
  const { publicId, email, emailVerifiedAt, timeZone } = account;
  const [row] = await db
    .select({ publicId, email, emailVerifiedAt, timeZone })
    .from(account)
    .where(and(eq(account.id, accountId), isNull(account.deletedAt), isNull(account.disabledAt)));
  if (row === undefined || row.email === null || row.emailVerifiedAt === null) return null;
  return { accountId, publicId: row.publicId, address: row.email, timeZone: knownTimeZone(row.timeZone) };
}

/** A row of the queue with its notification as the reader sees it now. */
interface Due {
  row: ClaimedMail;
  notice: Notification;
  /** Of its card; ISO 8601. */
  dueDate: string | null;
  dueHasTime: boolean | null;
}

/** Whether the reader may still get the notification: they see its card, or belong to the workspace unless it says that they do not. */
function isVisible({ type, role }: NotificationRow, { card }: Notification): boolean {
  if (KINDS[type] === "membership") return role !== null || type === "workspace.member.removed";
  return card !== null;
}

/** The notifications of the rows that are unread and still visible to their reader. */
async function visibleOf(db: Database, rows: readonly ClaimedMail[], accountId: number): Promise<Due[]> {
  const named = rows.flatMap((row) =>
    row.aboutWorkspaceId === null || row.notificationId === null
      ? []
      : [{ row, workspaceId: row.aboutWorkspaceId, id: row.notificationId }],
  );
  const due: Due[] = [];
  for (const [workspaceId, own] of byWorkspace(named)) {
    const ids = own.map(({ id }) => id);
    const keys = await db
      .select({ workspaceId: notification.workspaceId, id: notification.id, publicId: notification.publicId })
      .from(notification)
      .where(
        and(
          eq(notification.workspaceId, workspaceId),
          inArray(notification.id, ids),
          eq(notification.accountId, accountId),
          isNull(notification.readAt),
        ),
      );
    const read = new Map((await readNotifications(db, keys)).map((one) => [one.publicId, one]));
    for (const { row, id } of own) {
      const full = read.get(keys.find((key) => key.id === id)?.publicId ?? "");
      if (full === undefined || full.isOver) continue;
      const notice = shownNotification(full);
      if (isVisible(full, notice)) due.push({ row, notice, dueDate: full.dueDate, dueHasTime: full.dueHasTime });
    }
  }
  return due.sort((a, b) => a.row.id - b.row.id);
}

/** Describes an event without any text of a card. */
function headlineOf({ type, actor, workspace }: Notification): string {
  switch (type) {
    case "mention":
      return say`${actor.name} mentioned you in ${workspace.name}`;
    case "comment.reply":
      return say`${actor.name} replied to you in ${workspace.name}`;
    case "card.assigned":
      return say`${actor.name} assigned a card to you in ${workspace.name}`;
    case "comment.created":
      return say`${actor.name} commented on a card that you watch in ${workspace.name}`;
    case "card.due":
      return say`A card is due in ${workspace.name}`;
    case "workspace.member.added":
      return say`${actor.name} joined ${workspace.name}`;
    case "workspace.member.removed":
      return say`${actor.name} removed you from ${workspace.name}`;
    case "workspace.role.changed":
      return say`${actor.name} changed your role in ${workspace.name}`;
  }
}

const DATE = { day: "numeric", month: "short", year: "numeric" } as const;
const TIME = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;

/** An instant as people of a time zone write it; a day, which is midnight UTC, is the same for everybody. */
const written = (instant: string, hasTime: boolean, timeZone: string) =>
  Temporal.Instant.from(instant).toLocaleString(
    "en-GB",
    hasTime ? { timeZone, ...DATE, ...TIME } : { timeZone: "UTC", ...DATE },
  );

function itemOf({ notice, dueDate, dueHasTime }: Due, config: LinkSettings, timeZone: string): Item {
  const { card, type } = notice;
  if (card === null) return { text: headlineOf(notice), url: null };
  const when = type === "card.due" && dueDate !== null ? ` on ${written(dueDate, dueHasTime === true, timeZone)}` : "";
  const text = say`${headlineOf(notice)}${when}: ${card.cardPrefix}-${card.cardNumber} ${card.title}`;
  return { text, url: cardLinkTo(config, card.publicId) };
}

const REASON = "You get this mail because of your notification settings.";

interface LetterSettings {
  isDigest: boolean;
  /** For unsubscribing. */
  token: string;
  timeZone: string;
}

/** The letter about one notification, or a list of several. */
function letterOf(due: readonly Due[], { isDigest, token, timeZone }: LetterSettings, config: LinkSettings): Letter {
  const [first] = due;
  const unsubscribe = { label: "Stop these mails", url: linkTo(config, "unsubscribe", token) };
  const items = due.map((one) => itemOf(one, config, timeZone));
  const count = due.length === 1 ? "1 notification" : `${due.length} notifications`;
  const subject = first !== undefined && due.length === 1 && !isDigest ? headlineOf(first.notice) : count;
  return {
    subject: isDigest ? `Your day: ${count}` : subject,
    blocks: [{ items }],
    reason: REASON,
    unsubscribe,
  };
}

const isPostponed = ({ data }: ClaimedMail) => data?.isDigest === true;

/**
 * Gives the composer of mail about notifications. Those that the reader wants once a day are postponed to the hour of the daily mail,
 * which lists all of them. Those that were read, are switched off or are no longer visible are dropped.
 */
export const notificationComposer = (db: Database, config: LinkSettings): Composer =>
  async function compose(rows): Promise<Composed> {
    const recipient = await recipientOf(db, rows[0]?.accountId ?? null);
    if (recipient === null) return { mail: null, dropped: rows, postponed: [] };
    const settings = await settingsOf(db, recipient.accountId);
    const visible = await visibleOf(db, rows, recipient.accountId);
    const timeOf = ({ notice }: Due) => settings[KINDS[notice.type]];
    const daily = visible.filter((one) => timeOf(one) === "daily" && !isPostponed(one.row));
    const now = visible.filter((one) => timeOf(one) === "now" || (timeOf(one) === "daily" && isPostponed(one.row)));
    const mailed = new Set([...daily, ...now].map(({ row }) => row));
    const dropped = rows.filter((row) => !mailed.has(row));
    const until = nextDigest(new Date().toISOString(), recipient.timeZone, settings.digestHour);
    const postponed = daily.length === 0 ? [] : [{ rows: daily.map(({ row }) => row), until }];
    if (now.length === 0) return { mail: null, dropped, postponed };
    const token = await unsubscribeTokenOf(db, recipient);
    const isDigest = now.every(({ row }) => isPostponed(row));
    const headers = {
      "List-Unsubscribe": `<${unsubscribeCallOf(config, token)}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    };
    const letter = letterOf(now, { isDigest, token, timeZone: recipient.timeZone }, config);
    return {
      mail: { address: recipient.address, letter, headers, rows: now.map(({ row }) => row) },
      dropped,
      postponed,
    };
  };
