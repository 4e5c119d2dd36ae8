// Notices: mails to the owner of an account about changes to how it is signed in to (capabilities sections 1, 3 and 4).

import { and, eq, gt, sql } from "drizzle-orm";
import type { Config } from "../config.js";
import type { Queries } from "../db/client.js";
import { mail } from "../db/schema/index.js";
import { queueMail } from "../mail/newMail.js";
import type { NoticeKind, Remaining } from "../mail/templates/notice.js";

/** How many notices an account gets within 24 hours: nobody floods a mailbox by changing a password again and again. */
const NOTICES_PER_DAY = 20;

/**
 * Queues a notice with the change that causes it, which holds the lock of the account. Queues nothing without a mail server, for an
 * account without an address, or after 20 notices within a day. `remaining`: what a restored account still has.
 */
export async function noticeTo(
  db: Queries,
  config: Pick<Config, "mail">,
  { accountId, email }: { accountId: number; email: string | null },
  about: NoticeKind,
  remaining?: Remaining,
): Promise<void> {
  if (email === null || config.mail === null) return;
  const isRecent = gt(mail.createdAt, sql`clock_timestamp() - interval '1 day'`);
  const lately = and(eq(mail.accountId, accountId), eq(mail.kind, "notice"), isRecent);
  if ((await db.$count(mail, lately)) >= NOTICES_PER_DAY) return;
  const data = { about, ...(remaining !== undefined && { remaining }) };
  await queueMail(db, config, { kind: "notice", accountId, address: email, data });
}
