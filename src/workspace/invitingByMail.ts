// Invitations by mail (capabilities section 1): few enough that nobody can use the service to flood a mailbox.

import { and, eq, gt, sql } from "drizzle-orm";
import type { Tx } from "../api/change.js";
import { account, mail, workspace } from "../db/schema/index.js";
import { queueMailsWith } from "../mail/newMail.js";

/** How many invitations are mailed within 24 hours, of one workspace, and to one address over the service. */
const OF_WORKSPACE = 100;
const TO_ADDRESS = 5;

/** Queues the mail of an invitation; false where no mail server is configured, the inviter has not verified their address, or a limit is met. */
export async function mailInvitation(tx: Tx, { email, code }: { email: string; code: string }): Promise<boolean> {
  if (!tx.sendsMail) return false;
  const isRecent = and(eq(mail.kind, "invitation"), gt(mail.createdAt, sql`now() - interval '24 hours'`));
  const [found] = await tx.db
    .select({
      workspaceName: workspace.name,
      inviterName: account.name,
      inviterVerifiedAt: account.emailVerifiedAt,
      ofWorkspace: tx.db.$count(mail, and(eq(mail.aboutWorkspaceId, tx.workspaceId), isRecent)),
      toAddress: tx.db.$count(mail, and(eq(mail.address, email), isRecent)),
    })
    .from(workspace)
    .innerJoin(account, eq(account.id, tx.user.accountId))
    .where(eq(workspace.id, tx.workspaceId));
  if (found === undefined || found.inviterVerifiedAt === null) return false;
  if (found.ofWorkspace >= OF_WORKSPACE || found.toAddress >= TO_ADDRESS) return false;
  const data = { code, workspaceName: found.workspaceName, inviterName: found.inviterName };
  const about = { kind: "invitation", accountId: null, aboutWorkspaceId: tx.workspaceId } as const;
  queueMailsWith(tx, [{ ...about, address: email, data }]);
  return true;
}

/** The description of the field that says whether the invitation is mailed. */
export const MAILED =
  "Whether a mail with the link is on its way. False if this call created no invitation, if the operator configured no mail server, if your address is not verified, or if a limit is met: 100 invitations per workspace and 5 per address within 24 hours.";
