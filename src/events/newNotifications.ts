// Writes notifications with the change that causes them (contract section 2, Notifications). Nobody is notified of their own changes.
// The notifications of an account are numbered after the commit (`notification/numbering.ts`): no change waits for an account.

import type { Acting } from "../api/acting.js";
import { notification } from "../db/schema/index.js";
import { addRows } from "../db/unitOfWork.js";
import { queueMailsWith } from "../mail/newMail.js";

/** A notification to write. */
export interface NewNotification {
  type: (typeof notification.$inferSelect)["type"];
  /** The account that is notified. */
  accountId: number;
  /** The card that it is about, where it is another one than that of the occasion. */
  cardId?: number;
}

/** The person who did it, null for the service itself, and the card and comment, null where it is not about one. */
interface Occasion {
  actorId: number | null;
  cardId: number | null;
  commentId?: number | null;
}

/** Notifies people of a change, and queues each as mail, if mail is configured. What it says is decided when it is due. */
export function notify(
  tx: Pick<Acting, "add" | "newRowId" | "newPublicId" | "touched" | "now" | "workspaceId" | "sendsMail">,
  { actorId, cardId, commentId = null }: Occasion,
  wanted: readonly NewNotification[],
): void {
  const others = wanted.filter(({ accountId }) => accountId !== actorId);
  const rows = others.map(({ type, accountId, cardId: own }) => {
    tx.touched.accounts.add(accountId);
    const about = { cardId: own ?? cardId, commentId };
    return { id: tx.newRowId(), publicId: tx.newPublicId(), accountId, type, actorId, ...about };
  });
  addRows(tx, notification, rows);
  const mail = { kind: "notification", address: null, aboutWorkspaceId: tx.workspaceId } as const;
  const mails = rows.map(({ id, accountId }) => ({ ...mail, accountId, notificationId: id }));
  queueMailsWith(tx, mails);
}
