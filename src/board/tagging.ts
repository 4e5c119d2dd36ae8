// Tags of the workspace on its boards.

import { sql } from "drizzle-orm";
import { z } from "zod";
import { boardFor, tagsIn } from "../access/guards.js";
import { change } from "../api/context.js";
import { PublicId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { boardEvent, record } from "../events/log.js";
import { ofBoard } from "./shapes.js";

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
          "Absent: added, `newTag: true`; present: removed, `newTag: false`. Works on archived boards too. Needs `board:edit`.",
      },
    })
    .input(z.strictObject({ ...ofBoard, tagPublicId: PublicId }))
    .output(z.object({ newTag: z.boolean() }))
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const board = await boardFor(tx, input.boardPublicId, "board:edit");
        const [tag] = await tagsIn(tx, board, [input.tagPublicId]);
        const link = sql`(${board.workspaceId}::bigint, ${board.boardId}::bigint, ${tag?.id ?? null}::bigint)`;
        const removed = await tx.db.rows(
          sql`delete from board_tag where (workspace_id, board_id, tag_id) = ${link} returning tag_id`,
        );
        const newTag = removed.length === 0;
        await record(tx, board, {
          events: [
            boardEvent(board, newTag ? "board.tag.added" : "board.tag.removed", {
              tagPublicId: tag?.publicId,
              name: tag?.name,
            }),
          ],
          ...(newTag && {
            write: () => sql`
              insert into board_tag (workspace_id, board_id, tag_id)
              select t.* from next, (values ${link}) as t returning tag_id`,
          }),
        });
        return { newTag };
      }),
    ),
};
