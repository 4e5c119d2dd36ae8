// Puts mail into the queue, in the transaction of the change that causes it: either both are stored or neither is.

import { type SQL, sql } from "drizzle-orm";
import type { Acting } from "../api/acting.js";
import type { Config } from "../config.js";
import type { Queries } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { mail } from "../db/schema/index.js";
import { addRows } from "../db/unitOfWork.js";

/** The kinds of mail; each but a notification has its template. */
export type MailKind = (typeof mail.$inferSelect)["kind"];

/** A mail to be sent. */
export interface NewMail {
  kind: MailKind;
  /** The recipient's account; null for an address that has none. */
  accountId: number | null;
  /** The address, in lower case; null for a notification, which is sent to the account's address at that time. */
  address: string | null;
  /** The account that causes an invitation or a link to a new address. */
  causedBy?: number;
  /** The workspace that an invitation or a notification is of. */
  aboutWorkspaceId?: number;
  /** The notification that it is about, in that workspace. */
  notificationId?: number;
  /** The data from which its template makes the text. It is removed when the mail was sent or given up. */
  data?: Record<string, unknown>;
}

/** The settings that say whether the service sends mail. */
type MailSettings = Pick<Config, "mail">;

/**
 * The row of a mail that is due at once, by the clock of the database, as the queue reads it. Insert it yourself only where the server
 * sends mail: otherwise nothing empties the queue.
 */
export const mailRow = <Now extends string | SQL>(
  { kind, accountId, address, causedBy, aboutWorkspaceId, notificationId, data }: NewMail,
  now: Now,
) => ({
  publicId: newPublicId(),
  kind,
  accountId,
  address,
  causedBy: causedBy ?? null,
  aboutWorkspaceId: aboutWorkspaceId ?? null,
  notificationId: notificationId ?? null,
  data: data ?? null,
  nextAttemptAt: now,
});

/** When a row is stored: of mails that are queued at once, those are sent that were stored first. */
export const NOW = sql`clock_timestamp()`;

/** Queues a mail (capabilities section 1), in the transaction of the change that causes it; nothing if the server sends no mail. */
export async function queueMail(db: Queries, config: MailSettings, newMail: NewMail): Promise<void> {
  if (config.mail !== null) await db.insert(mail).values(mailRow(newMail, NOW));
}

/** Queues mails with a change of a workspace; nothing if the server sends no mail. */
export function queueMailsWith(tx: Pick<Acting, "add" | "now" | "sendsMail">, newMails: readonly NewMail[]): void {
  if (!tx.sendsMail) return;
  const rows = newMails.map((newMail) => mailRow(newMail, tx.now));
  addRows(tx, mail, rows);
}
