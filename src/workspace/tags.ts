// The tags of a workspace, which its boards are marked with (specification 4.16).

import { sql } from "drizzle-orm";
import { z } from "zod";
import { type Named, type WorkspaceAccess, workspaceFor } from "../access/guards.js";
import { change, type Signed } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { byName, Colour, Label, Name, Ok, ok, PublicId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import type { Transaction } from "../db/client.js";
import { violates } from "../db/failures.js";
import { newPublicId } from "../db/ids.js";
import { nameKey } from "../db/nameKey.js";
import { changesTo, record, workspaceEvent } from "../events/log.js";

type Tag = z.output<typeof Label>;

const TagName = Name(64);
const group = ["Board tags"];
const ofWorkspace = { workspacePublicId: PublicId };
const ofTag = { ...ofWorkspace, tagPublicId: PublicId };

/**
 * A tag of the workspace, locked. FOR UPDATE, because a new name and a deletion both need that much: taken after the counter it
 * would deadlock with whoever puts the tag on a board.
 * @throws NOT_FOUND for one that is unknown or of another workspace.
 */
async function tagFor(tx: Signed<Transaction>, { workspaceId }: WorkspaceAccess, publicId: string): Promise<Named> {
  const [tag] = await tx.db.rows<Named>(sql`
    select id, public_id as "publicId", name, colour_code as "colourCode" from tag
    where workspace_id = ${workspaceId}::bigint and public_id = ${publicId}::text for update`);
  if (tag === undefined) throw notFound();
  return tag;
}

function refuseTakenName(error: unknown): never {
  throw violates(error, "tag_name") ? badRequest("Another tag has this name", "name") : error;
}

export const tags = {
  list: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/tags",
        tags: group,
        summary: "Get all board tags",
        description:
          "The workspace's tags by name, whether or not a board has them. Anyone who belongs to the workspace.",
      },
    })
    .input(z.object(ofWorkspace))
    .output(z.array(Label))
    .query(async ({ ctx, input }) => {
      const { workspaceId } = await workspaceFor(ctx, input.workspacePublicId, "workspace:view");
      const rows = await ctx.db.rows<Tag>(sql`
        select public_id as "publicId", name, colour_code as "colourCode" from tag where workspace_id = ${workspaceId}::bigint`);
      return rows.sort(byName);
    }),

  create: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/workspaces/{workspacePublicId}/tags",
        tags: group,
        summary: "Create a board tag",
        description:
          "Adds a tag to the workspace. A name that another tag has, in any case of letters, is BAD_REQUEST. Needs `tag:edit`.",
      },
    })
    .input(z.strictObject({ ...ofWorkspace, name: TagName, colourCode: Colour }))
    .output(Label)
    .mutation(({ ctx, input: { workspacePublicId, name, colourCode } }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, workspacePublicId, "tag:edit");
        const tag: Tag = { publicId: newPublicId(), name, colourCode };
        await record(tx, workspace, {
          events: [workspaceEvent("tag.created", { tagPublicId: tag.publicId, name, colourCode })],
          write: () => sql`
            insert into tag (workspace_id, public_id, name, name_key, colour_code)
            select ${workspace.workspaceId}::bigint, ${tag.publicId}::text, ${name}::text, ${nameKey(name)}::text,
              ${colourCode}::text
            from next returning id`,
        });
        return tag;
      }).catch(refuseTakenName),
    ),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/workspaces/{workspacePublicId}/tags/{tagPublicId}",
        tags: group,
        summary: "Update a board tag",
        description:
          "Changes name or colour, on every board that has the tag. A name that another tag has, in any case of letters, is BAD_REQUEST. Needs `tag:edit`.",
      },
    })
    .input(z.strictObject({ ...ofTag, name: TagName.optional(), colourCode: Colour.optional() }))
    .output(Label)
    .mutation(({ ctx, input: { workspacePublicId, tagPublicId, ...fields } }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, workspacePublicId, "tag:edit");
        const { id, ...current } = await tagFor(tx, workspace, tagPublicId);
        const changes = changesTo<Tag>(current, fields);
        if (changes === null) return current;
        const { name = current.name, colourCode = current.colourCode } = fields;
        await record(tx, workspace, {
          events: [workspaceEvent("tag.updated", { tagPublicId: current.publicId, name, changes })],
          write: () => sql`
            update tag set name = ${name}::text, name_key = ${nameKey(name)}::text, colour_code = ${colourCode}::text
            from next where workspace_id = ${workspace.workspaceId}::bigint and id = ${id}::bigint
            returning id`,
        });
        return { publicId: current.publicId, name, colourCode };
      }).catch(refuseTakenName),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/workspaces/{workspacePublicId}/tags/{tagPublicId}",
        tags: group,
        summary: "Delete a board tag",
        description: "Deletes the tag and takes it off every board, archived ones too. Needs `tag:edit`.",
      },
    })
    .input(z.strictObject(ofTag))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, input.workspacePublicId, "tag:edit");
        const { id, publicId, name, colourCode } = await tagFor(tx, workspace, input.tagPublicId);
        await record(tx, workspace, {
          events: [workspaceEvent("tag.deleted", { tagPublicId: publicId, name, colourCode })],
          write: () => sql`
            delete from tag using next where workspace_id = ${workspace.workspaceId}::bigint and id = ${id}::bigint
            returning id`,
        });
        return ok;
      }),
    ),
};
