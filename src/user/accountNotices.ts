// Notices: mails to the owner of an account about changes to how it is signed in to (capabilities sections 1, 3 and 4).

import type { Config } from "../config.js";
import type { Queries } from "../db/client.js";
import { mailWait } from "../mail/mailLimits.js";
import { queueMail } from "../mail/newMail.js";
import type { NoticeKind, Remaining } from "../mail/templates/notice.js";

/** Queues a notice, at most 20 to an address per day, if there are mail and address. `remaining`: what a restored account has. */
export async function noticeTo(
  db: Queries,
  config: Pick<Config, "mail">,
  { accountId, email }: { accountId: number; email: string | null },
  about: NoticeKind,
  remaining?: Remaining,
): Promise<void> {
  if (email === null || config.mail === null) return;
  const notice = { kind: "notice", accountId, address: email } as const;
  if ((await mailWait(db, notice)) !== null) return;
  await queueMail(db, config, { ...notice, data: { about, ...(remaining !== undefined && { remaining }) } });
}
