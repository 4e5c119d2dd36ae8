// The people of a workspace: listed, invited, given roles, removed (specification 4.13).

import { and, eq, exists, gt, isNotNull, ne, or, sql } from "drizzle-orm";
import { z } from "zod";
import { type WorkspaceAccess, workspaceFor } from "../access/guards.js";
import { may } from "../access/permissions.js";
import { personFields, shownMember } from "../access/shownPeople.js";
import { change, type Tx } from "../api/change.js";
import type { Signed } from "../api/context.js";
import { badRequest, forbidden, notFound } from "../api/errors.js";
import { Member, MemberId, Ok, ok, Role } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { account, aliases, boardMember, invite as inviteTable, member, workspace } from "../db/schema/index.js";
import { LINK_LIFETIMES } from "../mail/linkLifetimes.js";
import { remember } from "../user/joining.js";
import { leave } from "../user/leaving.js";
import { Email } from "../user/userShapes.js";
import { invite, inviteLinkOf, logInvited, memberAt, revokeLink } from "./invitations.js";
import { MAILED, mailInvitation } from "./invitingByMail.js";
import { changeRole, type MemberWithRole, notifyMember } from "./roles.js";
import { ofWorkspace } from "./workspaceShapes.js";

const tags = ["Members"];
const inviteLink = z.string().nullable().meta({
  description: "The link of a pending invitation; null if there is none, or if the caller lacks `member:invite`.",
});

const WorkspaceMember = z
  .object({ ...Member.shape, inviteLink })
  .meta({ id: "WorkspaceMember", description: "A member of a workspace, with the link of a pending invitation." });

const Invited = z
  .object({
    publicId: z.string().meta({ description: "The identifier of the member." }),
    invited: z.boolean().meta({ description: "Whether this call created the invitation." }),
    inviteLink,
    mailed: z.boolean().meta({ description: MAILED }),
  })
  .meta({ id: "Invited", description: "The member that an address belongs to." });

const MemberRole = z
  .object({ publicId: z.string(), role: Role })
  .meta({ id: "MemberRole", description: "A member's role." });

const ofMember = { ...ofWorkspace, memberPublicId: MemberId };

const { ownPlace } = aliases;

/** The members that the caller may see: a guest sees itself and the people on its boards. */
function membersSeenBy({ db }: Signed, { workspaceId, memberId, role }: WorkspaceAccess) {
  const onOwnBoards = db
    .select({ memberId: boardMember.memberId })
    .from(ownPlace)
    .innerJoin(
      boardMember,
      and(eq(boardMember.workspaceId, ownPlace.workspaceId), eq(boardMember.boardId, ownPlace.boardId)),
    )
    .where(
      and(eq(ownPlace.workspaceId, workspaceId), eq(ownPlace.memberId, memberId), eq(boardMember.memberId, member.id)),
    );
  return db
    .select({ ...personFields, code: inviteTable.code, showEmailsToMembers: workspace.showEmailsToMembers })
    .from(member)
    .innerJoin(workspace, eq(workspace.id, member.workspaceId))
    .leftJoin(account, eq(account.id, member.accountId))
    .leftJoin(
      inviteTable,
      and(
        eq(inviteTable.workspaceId, member.workspaceId),
        eq(inviteTable.memberId, member.id),
        gt(inviteTable.expiresAt, sql`now()`),
      ),
    )
    .where(
      and(
        eq(member.workspaceId, workspaceId),
        or(sql`${role}::text <> 'guest'`, eq(member.id, memberId), exists(onOwnBoards)),
      ),
    )
    .orderBy(member.id);
}

/** A member of the workspace, active or pending. */
async function targetFor(tx: Tx, publicId: string): Promise<MemberWithRole> {
  const [row] = await tx.db
    .select({ memberId: member.id, memberPublicId: member.publicId, role: member.role, accountId: member.accountId })
    .from(member)
    .where(and(eq(member.workspaceId, tx.workspaceId), eq(member.publicId, publicId)));
  if (row === undefined) throw notFound();
  return row;
}

/** Refuses to take the role of the only active admin. */
async function mustLeaveAnAdmin(tx: Tx, { memberId, role, accountId }: MemberWithRole): Promise<void> {
  if (role !== "admin" || accountId === null) return;
  const isOther = and(eq(member.role, "admin"), isNotNull(member.accountId), ne(member.id, memberId));
  const others = await tx.db.$count(member, and(eq(member.workspaceId, tx.workspaceId), isOther));
  if (others === 0) throw badRequest("A workspace must have at least one admin", "memberPublicId");
}

/** Prevents a member who was removed or given a lower role from rejoining by a link as more than a guest. */
async function denyRejoining(tx: Tx, { accountId }: MemberWithRole): Promise<void> {
  if (accountId === null) return;
  await revokeLink(tx);
  await remember(tx, accountId);
}

export const members = {
  list: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/members",
        tags,
        summary: "List members",
        description:
          "Lists the members of the workspace and the people invited by address, in the order in which they were added. `email` follows the settings of the workspace. `inviteLink` is shown to callers with `member:invite`. A guest sees only itself and the people on its boards. Requires `workspace:view`.",
        successDescription: "The members.",
      },
    })
    .input(z.strictObject(ofWorkspace))
    .output(z.array(WorkspaceMember))
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
        description: `Invites an address to the workspace: creates a pending member and a link to share. The link can be used once and is valid for ${LINK_LIFETIMES.invitation.text}. \`invited\` is true only if this call created the invitation; an existing member or a valid invitation stays unchanged. The link is also sent to the address if the operator configured a mail server. Requires \`member:invite\`.`,
        successDescription: "The address belongs to a member or a pending member now.",
      },
    })
    .input(z.strictObject({ ...ofWorkspace, email: Email, role: Role.default("member") }))
    .output(Invited)
    .mutation(({ ctx, input: { workspacePublicId, email, role } }) =>
      change(ctx, workspacePublicId, workspaceFor, "member:invite", async (tx, workspace) => {
        const present = await memberAt(tx, workspace, email);
        if (present !== null && (present.isActive || present.code !== null)) {
          const inviteLink = present.code === null ? null : inviteLinkOf(tx, present.code);
          return { publicId: present.publicId, invited: false, inviteLink, mailed: false };
        }
        const invited = await invite(tx, workspace, email, role);
        await logInvited(tx, invited);
        const { publicId, code } = invited;
        const mailed = await mailInvitation(tx, { email, code });
        return { publicId, invited: true, inviteLink: inviteLinkOf(tx, code), mailed };
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
          "Changes the role of a member or pending member. The last admin cannot lose the role (BAD_REQUEST). A member who becomes a guest keeps only its board memberships and the assignments on those boards. Requires `member:edit`.",
        successDescription: "The role was changed.",
      },
    })
    .input(z.strictObject({ ...ofMember, role: Role }))
    .output(MemberRole)
    .mutation(({ ctx, input: { workspacePublicId, memberPublicId, role } }) =>
      change(ctx, workspacePublicId, workspaceFor, "member:edit", async (tx) => {
        const target = await targetFor(tx, memberPublicId);
        if (target.role === role) return { publicId: memberPublicId, role };
        await mustLeaveAnAdmin(tx, target);
        if (role === "guest") await denyRejoining(tx, target);
        await changeRole(tx, target, role);
        return { publicId: memberPublicId, role };
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
          "Removes a member with its board memberships and assignments, or a pending member with its invitation. Comments and activities stay. The last admin cannot leave or be removed (BAD_REQUEST). Requires `member:remove`. Leaving a workspace yourself requires no permission.",
        successDescription: "The member was removed.",
      },
    })
    .input(z.strictObject(ofMember))
    .output(Ok)
    .mutation(({ ctx, input: { workspacePublicId, memberPublicId } }) =>
      change(ctx, workspacePublicId, workspaceFor, "workspace:view", async (tx, { memberId, role }) => {
        const mayRemove = may(role, "member:remove");
        const target = await targetFor(tx, memberPublicId).catch((error: unknown) => {
          throw mayRemove ? error : forbidden();
        });
        const isOneself = target.memberId === memberId;
        if (!mayRemove && !isOneself) throw forbidden();
        await mustLeaveAnAdmin(tx, target);
        if (!isOneself) await denyRejoining(tx, target);
        await leave(tx, target);
        notifyMember(tx, target, "workspace.member.removed");
        return ok;
      }),
    ),
};
