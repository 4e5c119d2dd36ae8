// The tags of a workspace, which can be put on its boards (specification 4.16).

import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { type Named, namedFields, workspaceFor } from "../access/guards.js";
import { change, type Tx } from "../api/change.js";
import { definedOf } from "../api/defined.js";
import { badRequest, notFound } from "../api/errors.js";
import { byName, Colour, Name, Ok, ok, Tag, TagId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { nameKey } from "../db/nameKey.js";
import { tag } from "../db/schema/index.js";
import { addRows } from "../db/unitOfWork.js";
import { boardsOfTag, sharedEvent } from "../events/boards.js";
import { changesTo, workspaceEvent } from "../events/log.js";
import { ofWorkspace } from "./workspaceShapes.js";

const TagName = Name(64);
const group = ["Board tags"];
const ofTag = { ...ofWorkspace, tagPublicId: TagId };

/** Adds tags to the workspace, each with its event. Their names must be new in it. */
export function addTags(tx: Tx, wanted: readonly Pick<Named, "name" | "colourCode">[]): Named[] {
  const keys = () => ({ id: tx.newRowId(), publicId: tx.newPublicId() });
  const made = wanted.map(({ name, colourCode }) => ({ ...keys(), name, colourCode }));
  const rows = made.map((one) => ({ ...one, nameKey: nameKey(one.name) }));
  addRows(tx, tag, rows);
  for (const { publicId, name, colourCode } of made) {
    tx.log(workspaceEvent("tag.created", { tagPublicId: publicId, name, colourCode }));
  }
  return made;
}

/** A tag of the workspace. @throws NOT_FOUND for one that is unknown or of another workspace. */
export async function tagFor(tx: Tx, publicId: string): Promise<Named> {
  const [row] = await tx.db
    .select(namedFields(tag))
    .from(tag)
    .where(and(eq(tag.workspaceId, tx.workspaceId), eq(tag.publicId, publicId)));
  if (row === undefined) throw notFound();
  return row;
}

/** Refuses a name that another tag of the workspace has, in any case of letters. */
async function tagMustBeNew(tx: Tx, name: string, ownId?: number): Promise<void> {
  const taken = await tx.db
    .select({ id: tag.id })
    .from(tag)
    .where(and(eq(tag.workspaceId, tx.workspaceId), eq(tag.nameKey, nameKey(name))));
  if (taken.some(({ id }) => id !== ownId)) throw badRequest("The workspace already has a tag with this name", "name");
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
          "Lists the tags of the workspace, sorted by name, whether or not a board has them. Requires `workspace:view`.",
        successDescription: "The tags.",
      },
    })
    .input(z.strictObject(ofWorkspace))
    .output(z.array(Tag))
    .query(async ({ ctx, input }) => {
      const { workspaceId } = await workspaceFor(ctx, input.workspacePublicId, "workspace:view");
      const rows = await ctx.db
        .select({ publicId: tag.publicId, name: tag.name, colourCode: tag.colourCode })
        .from(tag)
        .where(eq(tag.workspaceId, workspaceId));
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
          "Adds a tag to the workspace. A name that another tag has, in any case of letters, is BAD_REQUEST. Requires `tag:edit`.",
        successDescription: "The tag was created.",
      },
    })
    .input(z.strictObject({ ...ofWorkspace, name: TagName, colourCode: Colour }))
    .output(Tag)
    .mutation(({ ctx, input: { workspacePublicId, name, colourCode } }) =>
      change(ctx, workspacePublicId, workspaceFor, "tag:edit", async (tx) => {
        await tagMustBeNew(tx, name);
        const [made] = addTags(tx, [{ name, colourCode }]);
        if (made === undefined) throw new Error("A tag was not made");
        return { publicId: made.publicId, name, colourCode };
      }),
    ),

  update: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/workspaces/{workspacePublicId}/tags/{tagPublicId}",
        tags: group,
        summary: "Update a board tag",
        description:
          "Changes the name or colour of a tag on every board that has it. A name that another tag has, in any case of letters, is BAD_REQUEST. Requires `tag:edit`.",
        successDescription: "The tag after the update.",
      },
    })
    .input(z.strictObject({ ...ofTag, name: TagName.optional(), colourCode: Colour.optional() }))
    .output(Tag)
    .mutation(({ ctx, input: { workspacePublicId, tagPublicId, ...fields } }) =>
      change(ctx, workspacePublicId, workspaceFor, "tag:edit", async (tx) => {
        const { id, ...current } = await tagFor(tx, tagPublicId);
        const changes = changesTo<z.output<typeof Tag>>(current, fields);
        if (changes === null) return current;
        const { name, colourCode } = { ...current, ...definedOf(fields) };
        await tagMustBeNew(tx, name, id);
        const boards = await boardsOfTag(tx, id);
        tx.set(tag, { id }, { name, nameKey: nameKey(name), colourCode });
        tx.log(sharedEvent("tag.updated", { tagPublicId, name, changes }, boards));
        return { publicId: tagPublicId, name, colourCode };
      }),
    ),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/workspaces/{workspacePublicId}/tags/{tagPublicId}",
        tags: group,
        summary: "Delete a board tag",
        description: "Deletes a tag and removes it from every board, including archived boards. Requires `tag:edit`.",
        successDescription: "The tag was deleted.",
      },
    })
    .input(z.strictObject(ofTag))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, input.workspacePublicId, workspaceFor, "tag:edit", async (tx) => {
        const { id, publicId, name, colourCode } = await tagFor(tx, input.tagPublicId);
        const boards = await boardsOfTag(tx, id);
        tx.remove(tag, { id });
        tx.log(sharedEvent("tag.deleted", { tagPublicId: publicId, name, colourCode }, boards));
        return ok;
      }),
    ),
};
