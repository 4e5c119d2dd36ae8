// Invitations by mail (capabilities section 1): few enough that nobody can use the service to flood a mailbox.

import { eq } from "drizzle-orm";
import type { Tx } from "../api/change.js";
import { account, workspace } from "../db/schema/index.js";
import { MAIL_LIMITS, mailWait } from "../mail/mailLimits.js";
import { queueMailsWith } from "../mail/newMail.js";

const { causedInWorkspace, causedByAccount, causedToAddress } = MAIL_LIMITS;

/** Queues the mail of an invitation; false where no mail server is configured, the inviter has not verified their address, or a limit is met. */
export async function mailInvitation(tx: Tx, { email, code }: { email: string; code: string }): Promise<boolean> {
  if (!tx.sendsMail) return false;
  const [row] = await tx.db
    .select({
      workspaceName: workspace.name,
      inviterName: account.name,
      inviterVerifiedAt: account.emailVerifiedAt,
    })
    .from(workspace)
    .innerJoin(account, eq(account.id, tx.user.accountId))
    .where(eq(workspace.id, tx.workspaceId));
  if (row === undefined || row.inviterVerifiedAt === null) return false;
  const about = { aboutWorkspaceId: tx.workspaceId, causedBy: tx.user.accountId };
  const invitation = { kind: "invitation", accountId: null, address: email, ...about } as const;
  if ((await mailWait(tx.db, invitation)) !== null) return false;
  const data = { code, workspaceName: row.workspaceName, inviterName: row.inviterName };
  queueMailsWith(tx, [{ ...invitation, data }]);
  return true;
}

/** The description of the field that says whether the invitation is mailed. */
export const MAILED = `Whether a mail with the link is on its way. False if this call created no invitation, if the operator configured no mail server, if your address is not verified, or if a limit is met. Invitations and links to a new address count together: within 24 hours ${causedInWorkspace.most} per workspace, ${causedByAccount.most} per account that causes them and ${causedToAddress.most} per address. They are counted again when they are sent: of invitations that are made at the same moment, some may not be mailed although this is true.`;
