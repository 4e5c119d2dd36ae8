// Puts mail into the queue, in the transaction of the change that it tells of: with the change comes its mail, or neither.

import { newPublicId } from "../db/ids.js";
import type { mail } from "../db/schema/index.js";

/** The kinds of mail; each but a notification has its template. */
export type MailKind = (typeof mail.$inferSelect)["kind"];

/** A mail to be sent. */
export interface NewMail {
  kind: MailKind;
  /** Whom it is for; null for an address that has no account. */
  accountId: number | null;
  /** Where it goes, lower case; null for a notification, which goes where the account then has its address. */
  address: string | null;
  /** The workspace that an invitation or a notification is of. */
  aboutWorkspaceId?: number;
  /** The notification that it tells of, in that workspace. */
  notificationId?: number;
  /** What its template makes the text of. It is removed when the mail was sent or given up. */
  data?: Record<string, unknown>;
}

/**
 * The row of a mail that is due at once (capabilities section 1). Insert it only where `config.mail` is not null: without a mail
 * server nobody empties the queue.
 */
export const mailRow = (
  { kind, accountId, address, aboutWorkspaceId, notificationId, data }: NewMail,
  now: string = new Date().toISOString(),
): typeof mail.$inferInsert => ({
  publicId: newPublicId(),
  kind,
  accountId,
  address,
  aboutWorkspaceId: aboutWorkspaceId ?? null,
  notificationId: notificationId ?? null,
  data: data ?? null,
  nextAttemptAt: now,
});
