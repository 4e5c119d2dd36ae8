// The ways in: the workspace's invite link, and accepting a code of either kind (specification 4.10, 4.15).

import { sql } from "drizzle-orm";
import { z } from "zod";
import { workspaceFor } from "../access/guards.js";
import { issueSession } from "../access/tokens.js";
import { type Context, change } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { Ok, ok, PublicId, Role, Text, Timestamp } from "../api/shapes.js";
import { protectedProcedure, publicProcedure } from "../api/trpc.js";
import type { Transaction } from "../db/client.js";
import { newInviteCode, newPublicId } from "../db/ids.js";
import { account } from "../db/schema/index.js";
import { record, workspaceEvent } from "../events/log.js";
import { joinByCode, notToJoinWith } from "../user/joining.js";
import { INVITE_LIFE, inviteLinkOf } from "./invitations.js";

const tags = ["Members"];
const ofWorkspace = { workspacePublicId: PublicId };
const InviteCode = Text(1, 64);

const Invite = z.object({
  publicId: z.string(),
  inviteCode: z.string(),
  inviteLink: z.string(),
  expiresAt: Timestamp,
});

interface InviteRow {
  publicId: string;
  inviteCode: string;
  expiresAt: string;
}

export const invites = {
  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/workspaces/{workspacePublicId}/invites",
        tags,
        summary: "Create invite link for workspace",
        description:
          "A link by which signed-in people join as members; it lives 7 days and works many times. A workspace has one live link: a new one revokes the old. Needs `member:invite`.",
      },
    })
    .input(z.strictObject(ofWorkspace))
    .output(Invite)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, input.workspacePublicId, "member:invite");
        const { workspaceId } = workspace;
        await tx.db.rows(sql`delete from invite where workspace_id = ${workspaceId}::bigint and member_id is null`);
        const [made] = await record<InviteRow>(tx, workspace, {
          events: [workspaceEvent("invite.created", {})],
          write: () => sql`
            insert into invite (workspace_id, public_id, code, created_by, expires_at)
            select ${workspaceId}::bigint, ${newPublicId()}::text, ${newInviteCode()}::text, ${tx.user.accountId}::bigint,
              now() + ${INVITE_LIFE}
            from next returning public_id as "publicId", code as "inviteCode", expires_at as "expiresAt"`,
        });
        if (made === undefined) throw new Error("The insert of an invite returned no row");
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
        description: "The live link, or null. Needs `member:invite`.",
      },
    })
    .input(z.object(ofWorkspace))
    .output(z.object({ invite: Invite.nullable() }))
    .query(async ({ ctx, input }) => {
      const { workspaceId } = await workspaceFor(ctx, input.workspacePublicId, "member:invite");
      const [live] = await ctx.db.rows<InviteRow>(sql`
        select public_id as "publicId", code as "inviteCode", expires_at as "expiresAt" from invite
        where workspace_id = ${workspaceId}::bigint and member_id is null and expires_at > now()`);
      return { invite: live === undefined ? null : { ...live, inviteLink: inviteLinkOf(ctx, live.inviteCode) } };
    }),

  revoke: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/workspaces/{workspacePublicId}/invites",
        tags,
        summary: "Revoke the invite link of a workspace",
        description: "Ends the live link; without one nothing changes. Needs `member:invite`.",
      },
    })
    .input(z.strictObject(ofWorkspace))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, input.workspacePublicId, "member:invite");
        const revoked = await tx.db.rows(sql`
          delete from invite where workspace_id = ${workspace.workspaceId}::bigint and member_id is null returning id`);
        if (revoked.length > 0) await record(tx, workspace, { events: [workspaceEvent("invite.revoked", {})] });
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
          "What a code of a link or of an e-mail invitation opens, for whoever holds it. A used, expired, revoked or unknown one is NOT_FOUND.",
      },
    })
    .input(z.object({ inviteCode: InviteCode }))
    .output(z.object({ workspaceName: z.string(), workspaceSlug: z.string(), role: Role, expiresAt: Timestamp }))
    .query(async ({ ctx, input }) => {
      const [found] = await ctx.db.rows<{
        workspaceName: string;
        workspaceSlug: string;
        role: z.output<typeof Role>;
        expiresAt: string;
      }>(sql`
        select w.name as "workspaceName", w.slug as "workspaceSlug", coalesce(m.role, 'member') as role, i.expires_at as "expiresAt"
        from invite i
        join workspace w on w.id = i.workspace_id
        left join member m on m.workspace_id = i.workspace_id and m.id = i.member_id
        where i.code = ${input.inviteCode}::text and i.expires_at > now()`);
      if (found === undefined) throw notFound();
      return found;
    }),

  accept: publicProcedure
    .meta({
      authLimit: true,
      openapi: {
        method: "POST",
        path: "/invites/accept",
        protect: false,
        tags,
        summary: "Accept an invite link",
        description:
          "With a token its user joins: by a link as `member`, by an e-mail invitation with its role and the boards that wait with it. Without one an accountless guest is made and joins; its token comes in the header `X-Access-Token`. A member already: success, nothing changes but that an e-mail invitation is merged into it, the higher role kept. A code that is unknown, expired, used or revoked is BAD_REQUEST, and so is a token that is not valid, read-only or bound to another workspace.",
      },
    })
    .input(z.strictObject({ inviteCode: InviteCode }))
    .output(Ok.extend({ workspacePublicId: z.string(), workspaceSlug: z.string() }))
    .mutation(async ({ ctx, input }) => {
      if (ctx.hasCredentials) return { ...ok, ...(await joinAs(ctx, input.inviteCode)) };
      if (ctx.config.signUp === "closed") throw badRequest("Joining without an account is closed here");
      const { token, joined } = await ctx.db.transaction((tx) => joinAsGuest(tx, input.inviteCode));
      ctx.terms.setHeader("x-access-token", token);
      return { ...ok, ...joined };
    }),
};

/** Joins the caller; its token must be one that could change the workspace. */
async function joinAs({ db, caller }: Context, code: string) {
  if (caller === null || caller.token.scope === "read") throw notToJoinWith();
  return db.transaction((tx) => joinByCode(tx, caller, code, caller.token.boundWorkspaceId));
}

/** Makes an accountless guest that joins, with a session of its own. */
async function joinAsGuest(tx: Transaction, code: string) {
  const [guest] = await tx
    .insert(account)
    .values({ publicId: newPublicId(), name: "Guest", isGuest: true })
    .returning({ accountId: account.id });
  if (guest === undefined) throw new Error("The insert of an account returned no row");
  const { accessToken } = await issueSession(tx, guest.accountId);
  const joined = await joinByCode(tx, { ...guest, isGuest: true }, code, null);
  return { token: accessToken, joined };
}
