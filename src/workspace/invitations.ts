// Invitations sent to an address: a pending member and a code of its own, which is used once (contract section 2, Invite link).

import { sql } from "drizzle-orm";
import type { WorkspaceAccess } from "../access/guards.js";
import type { Role } from "../access/permissions.js";
import type { Signed } from "../api/context.js";
import type { Transaction } from "../db/client.js";
import { newInviteCode, newPublicId } from "../db/ids.js";

/** Invitations and links live this long. */
export const INVITE_LIFE = sql.raw("interval '7 days'");

/** The address of an invitation, for a person to open. */
export const inviteLinkOf = (ctx: Pick<Signed, "config">, code: string) => `${ctx.config.publicUrl}/invite/${code}`;

/** A member of the workspace by its address: active under it, or invited by it. */
export interface Addressed {
  memberId: number;
  publicId: string;
  isActive: boolean;
  /** The code of a live invitation. */
  code: string | null;
}

/** The member that an address belongs to, if any. */
export async function memberAt(
  ctx: Signed,
  { workspaceId }: { workspaceId: number },
  email: string,
): Promise<Addressed | null> {
  const [found] = await ctx.db.rows<Addressed>(sql`
    select m.id as "memberId", m.public_id as "publicId", m.account_id is not null as "isActive", i.code
    from member m
    left join account a on a.id = m.account_id
    left join invite i on i.workspace_id = m.workspace_id and i.member_id = m.id and i.expires_at > now()
    where m.workspace_id = ${workspaceId}::bigint and (m.invited_email = ${email}::text or a.email = ${email}::text)
    order by m.account_id is null limit 1`);
  return found ?? null;
}

/** Issues an invitation to an address, again where the last one has expired; the workspace's row is locked. */
export async function invite(
  tx: Signed<Transaction>,
  { workspaceId }: WorkspaceAccess,
  email: string,
  role: Role,
): Promise<Addressed & { code: string }> {
  const code = newInviteCode();
  const [pending] = await tx.db.rows<{ id: number; publicId: string }>(sql`
    insert into member (workspace_id, public_id, invited_email, role)
    values (${workspaceId}::bigint, ${newPublicId()}::text, ${email}::text, ${role}::text)
    on conflict (workspace_id, invited_email) do update set role = excluded.role
    returning id, public_id as "publicId"`);
  if (pending === undefined) throw new Error("The insert of a member returned no row");
  await tx.db.rows(sql`
    insert into invite (workspace_id, public_id, code, member_id, created_by, expires_at)
    values (${workspaceId}::bigint, ${newPublicId()}::text, ${code}::text, ${pending.id}::bigint, ${tx.user.accountId}::bigint,
      now() + ${INVITE_LIFE})
    on conflict (workspace_id, member_id) do update
      set code = excluded.code, created_by = excluded.created_by, expires_at = excluded.expires_at, created_at = now()`);
  return { memberId: pending.id, publicId: pending.publicId, isActive: false, code };
}
