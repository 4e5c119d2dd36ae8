// The people of a workspace: listed, invited, given roles, removed (specification 4.13).

import { sql } from "drizzle-orm";
import { z } from "zod";
import { type WorkspaceAccess, workspaceFor } from "../access/guards.js";
import { may, type Role as RoleName } from "../access/permissions.js";
import { change, type Signed } from "../api/context.js";
import { badRequest, forbidden, notFound } from "../api/errors.js";
import { Member, Ok, ok, PublicId, Role } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import type { Transaction } from "../db/client.js";
import { record, workspaceEvent } from "../events/log.js";
import { telling } from "../events/notices.js";
import { Email } from "../user/shapes.js";
import { invite, inviteLinkOf, memberAt } from "./invitations.js";
import { type PersonRow, shownMember } from "./people.js";

const tags = ["Members"];
const ofWorkspace = { workspacePublicId: PublicId };
const ofMember = { ...ofWorkspace, memberPublicId: PublicId };

interface MemberRow extends PersonRow {
  code: string | null;
  showEmailsToMembers: boolean;
}

/** The members that the caller may see: a guest sees itself and the people on its boards. */
const membersSeenBy = (ctx: Signed, { workspaceId, memberId, role }: WorkspaceAccess) =>
  ctx.db.rows<MemberRow>(sql`
    select m.id, m.public_id as "publicId", a.name, a.image, coalesce(a.email, m.invited_email) as email, m.role,
      m.account_id is not null as "isActive", i.code, w.show_emails_to_members as "showEmailsToMembers"
    from member m
    join workspace w on w.id = m.workspace_id
    left join account a on a.id = m.account_id
    left join invite i on i.workspace_id = m.workspace_id and i.member_id = m.id and i.expires_at > now()
    where m.workspace_id = ${workspaceId}::bigint and (${role}::text <> 'guest' or m.id = ${memberId}::bigint or exists (
      select from board_member mine
      join board_member theirs on theirs.workspace_id = mine.workspace_id and theirs.board_id = mine.board_id
      where mine.workspace_id = m.workspace_id and mine.member_id = ${memberId}::bigint and theirs.member_id = m.id))
    order by m.id`);

interface Target {
  id: number;
  publicId: string;
  role: RoleName;
  accountId: number | null;
  /** Whether the workspace would be without an active admin but for this one. */
  isLastAdmin: boolean;
}

/** A member of a workspace whose row is locked. */
async function targetFor(tx: Signed<Transaction>, { workspaceId }: WorkspaceAccess, publicId: string): Promise<Target> {
  const [target] = await tx.db.rows<Target>(sql`
    select m.id, m.public_id as "publicId", m.role, m.account_id as "accountId",
      m.role = 'admin' and m.account_id is not null and not exists (
        select from member o
        where o.workspace_id = m.workspace_id and o.id <> m.id and o.role = 'admin' and o.account_id is not null
      ) as "isLastAdmin"
    from member m where m.workspace_id = ${workspaceId}::bigint and m.public_id = ${publicId}::text for update`);
  if (target === undefined) throw notFound();
  return target;
}

const lastAdmin = () => badRequest("A workspace keeps at least one admin", "memberPublicId");

export const members = {
  list: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/members",
        tags,
        summary: "List members",
        description:
          "The people of a workspace and those invited by address, in the order in which they came. Addresses as the workspace shows them; `inviteLink` of a live invitation for who may invite. A guest sees itself and the people on its boards.",
      },
    })
    .input(z.object(ofWorkspace))
    .output(z.array(Member.extend({ inviteLink: z.string().nullable() })))
    .query(async ({ ctx, input }) => {
      const workspace = await workspaceFor(ctx, input.workspacePublicId, "workspace:view");
      const people = await membersSeenBy(ctx, workspace);
      const mayInvite = may(workspace.role, "member:invite");
      return people.map(({ code, showEmailsToMembers, ...person }) => ({
        ...shownMember(person, { ...workspace, showEmailsToMembers }),
        inviteLink: mayInvite && code !== null ? inviteLinkOf(ctx, code) : null,
      }));
    }),

  invite: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/workspaces/{workspacePublicId}/members/invite",
        tags,
        summary: "Invite an address to a workspace",
        description:
          "Makes a pending member and a link to pass on, which is used once and lives 7 days. `invited` is true only when this call issued it; a present member or a live invitation stays as it is. No mail is sent. Needs `member:invite`.",
      },
    })
    .input(z.strictObject({ ...ofWorkspace, email: Email, role: Role.default("member") }))
    .output(z.object({ publicId: z.string(), invited: z.boolean(), inviteLink: z.string().nullable() }))
    .mutation(({ ctx, input: { workspacePublicId, email, role } }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, workspacePublicId, "member:invite");
        const present = await memberAt(tx, workspace, email);
        if (present !== null && (present.isActive || present.code !== null)) {
          const inviteLink = present.code === null ? null : inviteLinkOf(tx, present.code);
          return { publicId: present.publicId, invited: false, inviteLink };
        }
        const { publicId, code } = await invite(tx, workspace, email, role);
        await record(tx, workspace, {
          events: [workspaceEvent("member.invited", { memberPublicId: publicId, role })],
        });
        return { publicId, invited: true, inviteLink: inviteLinkOf(tx, code) };
      }),
    ),

  setRole: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/workspaces/{workspacePublicId}/members/{memberPublicId}/role",
        tags,
        summary: "Change a member's role",
        description:
          "Works on pending members too. The last admin keeps its role (BAD_REQUEST). Someone made guest keeps only its board memberships, and its assignments on those boards. Needs `member:edit`.",
      },
    })
    .input(z.strictObject({ ...ofMember, role: Role }))
    .output(z.object({ publicId: z.string(), role: Role }))
    .mutation(({ ctx, input: { workspacePublicId, memberPublicId, role } }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, workspacePublicId, "member:edit");
        const target = await targetFor(tx, workspace, memberPublicId);
        const answer = { publicId: target.publicId, role };
        if (target.role === role) return answer;
        if (target.isLastAdmin) throw lastAdmin();
        await dropAssignments(tx, workspace, target, role);
        await record(tx, workspace, {
          events: [workspaceEvent("member.role.changed", { memberPublicId, from: target.role, to: role })],
          write: () => sql`
            update member set role = ${role}::text from next
            where workspace_id = ${workspace.workspaceId}::bigint and id = ${target.id}::bigint returning id`,
          also: told(tx, workspace, target, "workspace.role.changed"),
        });
        return answer;
      }),
    ),

  remove: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/workspaces/{workspacePublicId}/members/{memberPublicId}",
        tags,
        summary: "Delete a member from a workspace",
        description:
          "Ends a membership with its board memberships and assignments, or a pending one with its invitation; comments and activities stay. The last admin cannot leave or be removed (BAD_REQUEST). Needs `member:remove`, to leave oneself nothing.",
      },
    })
    .input(z.strictObject(ofMember))
    .output(Ok)
    .mutation(({ ctx, input: { workspacePublicId, memberPublicId } }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, workspacePublicId, "workspace:view");
        const mayRemove = may(workspace.role, "member:remove");
        const target = await targetFor(tx, workspace, memberPublicId).catch((error: unknown) => {
          throw mayRemove ? error : forbidden();
        });
        if (!mayRemove && target.id !== workspace.memberId) throw forbidden();
        if (target.isLastAdmin) throw lastAdmin();
        await tx.db.rows(sql`
          delete from board_favourite
          where workspace_id = ${workspace.workspaceId}::bigint and account_id = ${target.accountId}::bigint`);
        await record(tx, workspace, {
          events: [workspaceEvent("member.removed", { memberPublicId })],
          write: () => sql`
            delete from member using next
            where workspace_id = ${workspace.workspaceId}::bigint and id = ${target.id}::bigint returning id`,
          also: told(tx, workspace, target, "workspace.member.removed"),
        });
        return ok;
      }),
    ),
};

const told = (
  { db, user }: Signed<Transaction>,
  { workspaceId }: WorkspaceAccess,
  { accountId }: Target,
  type: "workspace.role.changed" | "workspace.member.removed",
) => telling(db, { type, workspaceId, accountId, actorId: user.accountId });

/** Takes a member off the cards of boards that its new role does not let it see. */
async function dropAssignments(
  tx: Signed<Transaction>,
  { workspaceId }: WorkspaceAccess,
  { id }: Target,
  role: RoleName,
) {
  await tx.db.rows(sql`
    delete from card_member cm using card c, board b
    where cm.workspace_id = ${workspaceId}::bigint and cm.member_id = ${id}::bigint
      and c.workspace_id = cm.workspace_id and c.id = cm.card_id and b.workspace_id = c.workspace_id and b.id = c.board_id
      and ${role}::text <> 'admin' and (${role}::text = 'guest' or b.visibility = 'private')
      and not exists (
        select from board_member bm
        where bm.workspace_id = b.workspace_id and bm.board_id = b.id and bm.member_id = cm.member_id)`);
}
