// The events of a workspace, read by cursor (contract section 5).

import { z } from "zod";
import { workspaceFor } from "../access/guards.js";
import { onReplica } from "../access/lagging.js";
import { BoardId, CardId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { Event, eventsFor } from "../events/reading.js";
import { ofWorkspace } from "./shapes.js";

const Cursor = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const events = {
  events: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/events",
        tags: ["Events"],
        summary: "List the events of a workspace",
        description:
          "What changed, once and in the order of the commits, oldest first, after the event with the number `after`. `nextCursor` is the number to ask on from, which is `after` itself when nothing is new: who follows it misses nothing. The caller sees the events of the boards it sees now, and unless it is a guest the workspace's own; those of invitations, of webhooks and of deleted boards admins alone see, so that others see gaps in `id`. A board or card that the caller cannot see gives an empty answer. Needs `workspace:view`.",
      },
    })
    .input(
      z.object({
        ...ofWorkspace,
        after: Cursor.default(0),
        limit: z.int().min(1).max(100).default(50),
        boardPublicId: BoardId.optional(),
        cardPublicId: CardId.optional(),
      }),
    )
    .output(z.object({ items: z.array(Event), nextCursor: Cursor }))
    .query(async ({ ctx, input: { workspacePublicId, ...filter } }) => {
      const workspace = await workspaceFor(ctx, workspacePublicId, "workspace:view");
      const { replica, reader } = await onReplica(ctx, workspace);
      const items = await eventsFor(replica, reader, filter);
      return { items, nextCursor: items.at(-1)?.id ?? filter.after };
    }),
};
