// Joining a workspace: its invite link, and accepting a code of a link or an invitation (specification 4.10, 4.15).

import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { workspaceFor } from "../access/guards.js";
import { handingOver } from "../access/sessionCookies.js";
import { addSession } from "../access/tokens.js";
import { type Acting, type Actor, actingIn, originOf } from "../api/acting.js";
import { change } from "../api/change.js";
import type { Context } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { setOperationHeaders } from "../api/idempotency.js";
import { Ok, ok, Role, Text, Timestamp } from "../api/shapes.js";
import { protectedProcedure, publicProcedure } from "../api/trpc.js";
import { newInviteCodeIn, newPublicId, newPublicIdIn, workspaceOfCode } from "../db/ids.js";
import { account, invite, member, workspace } from "../db/schema/index.js";
import { selection } from "../db/selections.js";
import type { UnitOfWork } from "../db/unitOfWork.js";
import { workspaceEvent } from "../events/log.js";
import { LINK_LIFETIMES } from "../mail/linkLifetimes.js";
import { logActIn } from "../user/auditLog.js";
import { staysValid } from "../user/closing.js";
import { invitationOf, type Joined, joinBy, notToJoinWith, workspaceInvitedTo } from "../user/joining.js";
import { SessionForm } from "../user/userShapes.js";
import { inviteEnd, inviteLinkOf, revokeLink } from "./invitations.js";
import { ofWorkspace } from "./workspaceShapes.js";

const tags = ["Members"];
const InviteCode = Text(1, 64).meta({
  description: "The code at the end of an invite link.",
  examples: ["4kTq8hJ3sVbNRw6yLpDXc5nG"],
});

const Invite = z
  .object({
    publicId: z.string(),
    inviteCode: z.string().meta({ description: "The code at the end of the link." }),
    inviteLink: z.string().meta({ description: "The link to share." }),
    expiresAt: Timestamp.meta({ description: "When the link expires." }),
  })
  .meta({ id: "Invite", description: "The invite link of a workspace." });

const CurrentInvite = z
  .object({ invite: Invite.nullable().meta({ description: "Null if the workspace has no valid link." }) })
  .meta({ id: "CurrentInvite", description: "The invite link of a workspace, if it has one." });

const InvitePreview = z
  .object({
    workspaceName: z.string(),
    workspaceSlug: z.string(),
    role: Role.meta({ description: "The role that a person with an account gets." }),
    expiresAt: Timestamp.meta({ description: "When the invitation expires." }),
  })
  .meta({ id: "InvitePreview", description: "What an invitation gives access to." });

const AcceptedInvite = z
  .object({ success: z.literal(true), workspacePublicId: z.string(), workspaceSlug: z.string() })
  .meta({ id: "AcceptedInvite", description: "The workspace that the caller belongs to now." });

export const invites = {
  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/workspaces/{workspacePublicId}/invites",
        tags,
        summary: "Create invite link for workspace",
        description: `Creates a link by which people with an account join as members. The link is valid for ${LINK_LIFETIMES.invitation.text} and can be used many times. A workspace has one valid link: a new link revokes the previous one. Requires \`member:invite\`.`,
        successDescription: "The link was created.",
      },
    })
    .input(z.strictObject(ofWorkspace))
    .output(Invite)
    .mutation(({ ctx, input }) =>
      change(ctx, input.workspacePublicId, workspaceFor, "member:invite", async (tx) => {
        const inviteCode = newInviteCodeIn(tx.workspaceId);
        const made = { publicId: tx.newPublicId(), inviteCode, expiresAt: inviteEnd(tx.now) };
        await revokeLink(tx);
        tx.add(invite, {
          id: tx.newRowId(),
          publicId: made.publicId,
          code: inviteCode,
          createdBy: tx.user.accountId,
          expiresAt: made.expiresAt,
        });
        tx.log(workspaceEvent("invite.created", {}));
        await logActIn(tx, "invite.created");
        return { ...made, inviteLink: inviteLinkOf(tx, made.inviteCode) };
      }),
    ),

  get: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/invites",
        tags,
        summary: "Get the invite link of a workspace",
        description: "Returns the valid invite link of the workspace, or null. Requires `member:invite`.",
        successDescription: "The link, or null.",
      },
    })
    .input(z.strictObject(ofWorkspace))
    .output(CurrentInvite)
    .query(async ({ ctx, input }) => {
      const { workspaceId } = await workspaceFor(ctx, input.workspacePublicId, "member:invite");
      const [live] = await ctx.db
        .select({ publicId: invite.publicId, inviteCode: invite.code, expiresAt: invite.expiresAt })
        .from(invite)
        .where(and(eq(invite.workspaceId, workspaceId), isNull(invite.memberId), gt(invite.expiresAt, sql`now()`)));
      return { invite: live === undefined ? null : { ...live, inviteLink: inviteLinkOf(ctx, live.inviteCode) } };
    }),

  revoke: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/workspaces/{workspacePublicId}/invites",
        tags,
        summary: "Revoke the invite link of a workspace",
        description: "Revokes the invite link. Without a valid link nothing changes. Requires `member:invite`.",
        successDescription: "The workspace has no valid link now.",
      },
    })
    .input(z.strictObject(ofWorkspace))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, input.workspacePublicId, workspaceFor, "member:invite", async (tx) => {
        await revokeLink(tx);
        return ok;
      }),
    ),

  preview: publicProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/invites/{inviteCode}",
        protect: false,
        tags,
        summary: "Preview an invitation",
        description:
          "Shows the workspace that the code of an invite link or of an email invitation belongs to. A used, expired, revoked or unknown code is NOT_FOUND. Requires no token.",
        successDescription: "The invitation.",
      },
    })
    .input(z.strictObject({ inviteCode: InviteCode }))
    .output(InvitePreview)
    .query(async ({ ctx, input: { inviteCode } }) => {
      const workspaceId = workspaceOfCode(inviteCode);
      if (workspaceId === null) throw notFound();
      const [row] = await ctx.db
        .select({
          workspaceName: workspace.name,
          workspaceSlug: workspace.slug,
          role: member.role,
          expiresAt: invite.expiresAt,
        })
        .from(invite)
        .innerJoin(workspace, eq(workspace.id, workspaceId))
        .leftJoin(member, and(eq(member.workspaceId, workspaceId), eq(member.id, invite.memberId)))
        .where(and(eq(invite.workspaceId, workspaceId), eq(invite.code, inviteCode), gt(invite.expiresAt, sql`now()`)));
      if (row === undefined) throw notFound();
      return { ...row, role: row.role ?? "member" };
    }),

  accept: publicProcedure
    .meta({
      answerHeaders: ["X-Access-Token", "Set-Cookie"],
      authLimit: true,
      openapi: {
        method: "POST",
        path: "/invites/accept",
        protect: false,
        tags,
        summary: "Accept an invite link",
        description:
          "Joins the workspace of an invitation. A caller with a token joins with its account: by invite link as `member`, by email invitation with the role and the boards of the invitation. Without a token the service creates an accountless guest, whose token is in the header `X-Access-Token`, or in a cookie if `session` is `cookie`. If the caller is already a member, nothing changes, except that an email invitation is merged into the membership, which gets the higher of the two roles. BAD_REQUEST for a code that is unknown, expired, used or revoked, and for a token that is invalid, read-only or bound to another workspace.",
        successDescription: "The caller is a member of the workspace.",
      },
    })
    .input(z.strictObject({ inviteCode: InviteCode, session: SessionForm }))
    .output(AcceptedInvite)
    .mutation(async ({ ctx, input: { inviteCode, session } }) => {
      const handOver = handingOver(ctx, session);
      if (ctx.hasCredentials) return { ...ok, ...(await joinAs(ctx, inviteCode)) };
      if (ctx.config.signUp === "closed") throw badRequest("Sign-up is closed: joining requires an account");
      const { token, joined } = await joinAsGuest(ctx, inviteCode);
      const { accessToken } = handOver({ accessToken: token });
      if (accessToken !== undefined) ctx.requestOptions.setHeader("x-access-token", accessToken);
      return { ...ok, ...joined };
    }),
};

/**
 * Runs a change of a workspace by somebody who need not belong to it, in its turn, as its one writer. `run` authorises the change and
 * names the actor, whose account it may have created.
 */
async function changeAsStranger<T>(
  ctx: Context,
  { workspaceId, accountId }: { workspaceId: number; accountId: number | null },
  run: (unit: UnitOfWork, as: (actor: Actor) => Acting) => Promise<T>,
): Promise<T> {
  const operationPublicId = newPublicIdIn(workspaceId);
  const { answer, lastEvent } = await ctx.db.change(workspaceId, { accountId }, async (unit) => {
    const answer = await run(unit, (actor) => actingIn(unit, actor, operationPublicId, ctx));
    return { answer, lastEvent: unit.lastEvent };
  });
  setOperationHeaders(ctx, operationPublicId, lastEvent);
  return answer;
}

/** Joins the caller; its token must be one that could change the workspace, and valid once its turn has come. */
async function joinAs(ctx: Context, code: string): Promise<Joined> {
  const { caller } = ctx;
  if (caller === null || caller.token.scope === "read") throw notToJoinWith();
  const { accountId, isGuest, token, claim } = caller;
  const workspaceId = workspaceInvitedTo(code);
  const isElsewhere = token.boundWorkspaceId !== null && token.boundWorkspaceId !== workspaceId;
  return changeAsStranger(ctx, { workspaceId, accountId }, async (unit, as) => {
    if (!(await staysValid(unit.db, claim.tokenHash))) throw notToJoinWith();
    const invitation = await invitationOf(unit.db, code);
    if (isElsewhere) throw notToJoinWith();
    return joinBy(as({ accountId, origin: originOf(caller) }), { accountId, isGuest }, invitation);
  });
}

const newAccount = selection({ id: account.id });

/** Creates an accountless guest that joins, with a session of its own. */
async function joinAsGuest(ctx: Context, code: string): Promise<{ token: string; joined: Joined }> {
  const workspaceId = workspaceInvitedTo(code);
  return changeAsStranger(ctx, { workspaceId, accountId: null }, async (unit, as) => {
    const invitation = await invitationOf(unit.db, code);
    // A separate statement, because rows of the workspace refer to the account.
    const added = unit.db
      .insert(account)
      .values({ publicId: newPublicId(), name: "Guest", isGuest: true, createdAt: unit.now })
      .returning({ id: account.id });
    const [guest] = newAccount.decode(await unit.write(added.getSQL()));
    if (guest === undefined) throw new Error("The insert of an account returned no row");
    const { id: accountId } = guest;
    const token = addSession(unit, accountId, ctx.client);
    const joined = await joinBy(as({ accountId, origin: "user" }), { accountId, isGuest: true }, invitation);
    return { token, joined };
  });
}
