// Notices: mails to the owner of an account about changes to how it is signed in to (capabilities sections 1, 3 and 4).

import type { Config } from "../config.js";
import type { Queries } from "../db/client.js";
import { queueMail } from "../mail/newMail.js";
import type { NoticeKind } from "../mail/templates/notice.js";

/** Queues a notice with the change that causes it; nothing without a mail server, or for an account without an address. */
export async function noticeTo(
  db: Queries,
  config: Pick<Config, "mail">,
  { accountId, email }: { accountId: number; email: string | null },
  about: NoticeKind,
): Promise<void> {
  if (email !== null) await queueMail(db, config, { kind: "notice", accountId, address: email, data: { about } });
}
