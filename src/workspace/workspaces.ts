// Workspaces: created, listed, read, changed, deleted, and the caller's permissions in them (specification 4.4, 4.17).

import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { accessFields, guardInWorkspace, verifyBy, type WorkspaceAccess, workspaceFor } from "../access/guards.js";
import { callerKey } from "../access/lookups.js";
import { meIn } from "../access/membership.js";
import { type Permission, permissionsOf } from "../access/permissions.js";
import { change, type Tx } from "../api/change.js";
import type { Signed } from "../api/context.js";
import { definedOf } from "../api/defined.js";
import { forbidden, unauthorized } from "../api/errors.js";
import { byName, Ok, ok, Role, Slug } from "../api/shapes.js";
import { personalProcedure, protectedProcedure } from "../api/trpc.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import type { Queries, Transaction } from "../db/client.js";
import { newPublicIdIn, newWorkspaceKey } from "../db/ids.js";
import { member, workspace, workspaceCounter } from "../db/schema/index.js";
import { type RowOf, selection } from "../db/selections.js";
import { changesTo, workspaceEvent } from "../events/log.js";
import { changeAccount } from "../user/accountChanges.js";
import { logAct } from "../user/auditLog.js";
import { staysOpen } from "../user/closing.js";
import { cardPrefixFrom } from "./cardPrefixes.js";
import { isReservedWorkspaceSlug, lawfulSlug, madeSlug, storingSlug } from "./slugs.js";
import {
  CardPrefix,
  OwnWorkspace,
  ofWorkspace,
  SlugCheck,
  WeekStartDay,
  Workspace,
  WorkspaceDescription,
  WorkspaceName,
  WorkspaceSummary,
} from "./workspaceShapes.js";

const tags = ["Workspaces"];

const Permissions = z
  .object({ permissions: z.array(z.string()).meta({ description: "Sorted by name." }), role: Role })
  .meta({ id: "Permissions", description: "What the caller may do in a workspace." });

type Own = z.output<typeof OwnWorkspace>;

/** The visible fields of a workspace itself. */
const shownFields = {
  publicId: workspace.publicId,
  name: workspace.name,
  slug: workspace.slug,
  description: workspace.description,
  plan: workspace.plan,
  showEmailsToMembers: workspace.showEmailsToMembers,
  weekStartDay: workspace.weekStartDay,
  cardPrefix: workspace.cardPrefix,
};
const ownFields = { ...accessFields, ...shownFields };
const wholeFor = guardInWorkspace<WorkspaceAccess & RowOf<typeof ownFields>>(selection(ownFields));

/** A workspace with its key and its visible columns. */
async function ownFor(ctx: Signed, publicId: string, permission: Permission) {
  const row = await wholeFor(ctx, publicId, permission);
  const { workspaceId, workspacePublicId: _, memberId: __, memberPublicId, ...fields } = row;
  const own: Own = { ...fields, me: meIn(ctx, { memberPublicId, role: fields.role }) };
  return { workspaceId, own };
}
ownFor.early = wholeFor.early;

/** The workspaces of the caller, by name; of a bound token its own. */
export async function workspacesOf(ctx: Signed): Promise<z.output<typeof WorkspaceSummary>[]> {
  const { boundWorkspaceId } = ctx.user.token;
  const { publicId, name, slug, description, plan } = workspace;
  const rows = await ctx.db
    .select({ publicId, name, slug, description, plan, role: member.role, memberPublicId: member.publicId })
    .from(member)
    .innerJoin(workspace, eq(workspace.id, member.workspaceId))
    .where(
      and(
        acrossWorkspaces("workspaces of an account", sql`${member.accountId} = ${callerKey(ctx)}`),
        boundWorkspaceId === null ? undefined : eq(workspace.id, boundWorkspaceId),
      ),
    );
  verifyBy(ctx, rows.length > 0);
  return rows
    .map(({ memberPublicId, ...row }) => ({ ...row, me: meIn(ctx, { memberPublicId, role: row.role }) }))
    .sort(byName);
}

export const workspaces = {
  list: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces",
        tags,
        summary: "List my workspaces",
        description:
          "Lists the workspaces that the caller belongs to, sorted by name, with the role of the caller. A token bound to a workspace lists only that one. Requires any valid token.",
        successDescription: "The workspaces of the caller.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(z.array(WorkspaceSummary))
    .query(({ ctx }) => workspacesOf(ctx)),

  create: personalProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/workspaces",
        tags,
        summary: "Create a workspace",
        description:
          "Creates a workspace. The caller becomes its admin and only member. If `slug` is left out, it is derived from the name; a slug that is taken or reserved is BAD_REQUEST. Slugs are stored in lower case. If `cardPrefix` is left out, it is also derived from the name: the first three letters of one word, or the initials of several. Accountless guests and tokens bound to a workspace get FORBIDDEN.",
        successDescription: "The workspace was created.",
      },
    })
    .input(
      z.strictObject({
        name: WorkspaceName,
        slug: Slug.optional(),
        description: WorkspaceDescription.default(""),
        cardPrefix: CardPrefix.optional(),
      }),
    )
    .output(OwnWorkspace)
    .mutation(({ ctx, input }) => {
      if (ctx.user.isGuest || ctx.user.token.boundWorkspaceId !== null) throw forbidden();
      return storingSlug(input.slug, (attempt) => changeAccount(ctx, (tx) => createWorkspace(tx, input, attempt)));
    }),

  get: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}",
        tags,
        summary: "Get a workspace",
        description: "Returns the workspace with its settings and the role of the caller. Requires `workspace:view`.",
        successDescription: "The workspace.",
      },
    })
    .input(z.strictObject(ofWorkspace))
    .output(OwnWorkspace)
    .query(async ({ ctx, input }) => (await ownFor(ctx, input.workspacePublicId, "workspace:view")).own),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/workspaces/{workspacePublicId}",
        tags,
        summary: "Update a workspace",
        description:
          "Changes the given fields. Slugs are stored in lower case; a slug that is taken or reserved is BAD_REQUEST. If `showEmailsToMembers` is false, only admins see the addresses of other people. A new `cardPrefix` changes how all cards are quoted. Requires `workspace:edit`.",
        successDescription: "The workspace after the update.",
      },
    })
    .input(
      z.strictObject({
        ...ofWorkspace,
        name: WorkspaceName.optional(),
        slug: Slug.optional(),
        description: WorkspaceDescription.optional(),
        showEmailsToMembers: z
          .boolean()
          .meta({ description: "Whether members see the email addresses of others." })
          .optional(),
        weekStartDay: WeekStartDay.optional(),
        cardPrefix: CardPrefix.optional(),
      }),
    )
    .output(Workspace)
    .mutation(({ ctx, input: { workspacePublicId, ...fields } }) =>
      storingSlug(fields.slug, () =>
        change(ctx, workspacePublicId, ownFor, "workspace:edit", async (tx, { own }) => {
          const wanted = { ...fields, slug: fields.slug === undefined ? undefined : lawfulSlug(fields.slug) };
          const changes = changesTo<Own>(own, wanted);
          if (changes === null) return own;
          const values = definedOf(wanted);
          tx.set(workspace, { id: tx.workspaceId }, values);
          tx.log(workspaceEvent("workspace.updated", { changes }));
          return { ...own, ...values };
        }),
      ),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/workspaces/{workspacePublicId}",
        tags,
        summary: "Delete a workspace",
        description:
          "Permanently deletes the workspace with its boards, cards, members, invitations and events, and revokes the tokens bound to it. The slug can be used again. Requires `workspace:delete`.",
        successDescription: "The workspace was deleted.",
      },
    })
    .input(z.strictObject(ofWorkspace))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, input.workspacePublicId, workspaceFor, "workspace:delete", deleteWorkspace, { alone: true }),
    ),

  checkSlug: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/check-slug-availability",
        tags,
        summary: "Check if a workspace slug is available",
        description:
          "Checks whether the workspace can take a slug. `isReserved` is true if another workspace has the slug, in any case of letters, or if the service reserves it. The workspace's own slug is usable. Requires `workspace:edit`.",
        successDescription: "Whether the slug can be used.",
      },
    })
    .input(z.strictObject({ ...ofWorkspace, workspaceSlug: Slug }))
    .output(SlugCheck)
    .query(async ({ ctx, input }) => {
      const { own } = await ownFor(ctx, input.workspacePublicId, "workspace:edit");
      return { isReserved: await isReservedWorkspaceSlug(ctx.db, input.workspaceSlug, own.slug) };
    }),

  permissions: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/permissions/me",
        tags,
        summary: "Get my permissions",
        description:
          "Lists what the role of the caller permits in the workspace, sorted by name. The permissions of a guest apply only on boards that it is a member of. A `read` token cannot change anything, whatever this list says. Requires `workspace:view`.",
        successDescription: "The role and permissions of the caller.",
      },
    })
    .input(z.strictObject(ofWorkspace))
    .output(Permissions)
    .query(async ({ ctx, input }) => {
      const { role } = await workspaceFor(ctx, input.workspacePublicId, "workspace:view");
      return { permissions: [...permissionsOf(role)], role };
    }),
};

interface NewWorkspace {
  name: string;
  slug?: string | undefined;
  description: string;
  cardPrefix?: string | undefined;
}

async function deleteWorkspace(tx: Tx) {
  tx.removeWorkspace();
  return ok;
}

/** Stores a workspace under a key that no other has: `draw` gives one, and another if it is taken. */
export async function storeWorkspace(
  db: Queries,
  fields: Omit<typeof workspace.$inferInsert, "id" | "publicId">,
  draw: () => number = newWorkspaceKey,
) {
  for (;;) {
    const id = draw();
    const [stored] = await db
      .insert(workspace)
      .values({ ...fields, id, publicId: newPublicIdIn(id) })
      .onConflictDoNothing({ target: workspace.id })
      .returning({ workspaceId: workspace.id, ...shownFields });
    if (stored !== undefined) return stored;
  }
}

/** Creates a workspace with its counter and its first admin. */
async function createWorkspace(tx: Signed<Transaction>, fields: NewWorkspace, attempt: number) {
  if (!(await staysOpen(tx.db, tx.user))) throw unauthorized();
  const { name, description, cardPrefix = cardPrefixFrom(name) } = fields;
  const slug = fields.slug === undefined ? await madeSlug(tx.db, name, attempt) : lawfulSlug(fields.slug);
  const { workspaceId, ...stored } = await storeWorkspace(tx.db, { name, slug, description, cardPrefix });
  const rowId = 1;
  const role = "admin" as const;
  const memberPublicId = newPublicIdIn(workspaceId);
  await tx.db.insert(workspaceCounter).values({ workspaceId, rowId });
  await tx.db.insert(member).values({
    workspaceId,
    id: rowId,
    publicId: memberPublicId,
    accountId: tx.user.accountId,
    role,
  });
  const target = { kind: "workspace", publicId: stored.publicId, name } as const;
  await logAct(tx.db, tx.client, { type: "workspace.created", actorId: tx.user.accountId, target });
  return { ...stored, role, me: meIn(tx, { memberPublicId, role }) };
}
