// Adds and removes tags of the workspace on its boards.

import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { boardFor } from "../access/guards.js";
import { change, type Tx } from "../api/change.js";
import { TagId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { boardTag } from "../db/schema/index.js";
import { boardEvent } from "../events/log.js";
import { tagFor } from "../workspace/tags.js";
import { ofBoard } from "./boardShapes.js";

const tags = ["Boards"];

export const tagging = {
  toggleTag: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/boards/{boardPublicId}/tags/{tagPublicId}",
        tags,
        summary: "Add or remove a tag from a board",
        description:
          "Adds the tag if the board does not have it (`newTag` is true), otherwise removes it (`newTag` is false). Works on archived boards too. Requires `board:edit`.",
        successDescription: "The tag was added or removed.",
      },
    })
    .input(z.strictObject({ ...ofBoard, tagPublicId: TagId }))
    .output(
      z
        .object({ newTag: z.boolean().meta({ description: "Whether the board has the tag now." }) })
        .meta({ id: "ToggledTag", description: "Whether the tag was added or removed." }),
    )
    .mutation(({ ctx, input: { boardPublicId, tagPublicId } }) =>
      change(ctx, boardPublicId, boardFor, "board:edit", async (tx, board) => {
        const tag = await tagFor(tx, tagPublicId);
        const link = { boardId: board.boardId, tagId: tag.id };
        const newTag = !(await isTagged(tx, link));
        if (newTag) tx.add(boardTag, link);
        else tx.remove(boardTag, link);
        const { name, colourCode } = tag;
        tx.log(boardEvent(board, newTag ? "board.tag.added" : "board.tag.removed", { tagPublicId, name, colourCode }));
        return { newTag };
      }),
    ),
};

async function isTagged({ db, workspaceId }: Tx, { boardId, tagId }: { boardId: number; tagId: number }) {
  const isIt = and(eq(boardTag.boardId, boardId), eq(boardTag.tagId, tagId));
  return (await db.$count(boardTag, and(eq(boardTag.workspaceId, workspaceId), isIt))) > 0;
}
