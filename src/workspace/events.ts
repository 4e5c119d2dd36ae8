// The events of a workspace, read by cursor (contract section 5).

import { z } from "zod";
import { workspaceFor } from "../access/guards.js";
import { onReplica } from "../access/replicaReads.js";
import { eventsForgotten } from "../api/errors.js";
import { BoardId, CardId, pageInput } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { Event } from "../events/eventShapes.js";
import { eventsFor } from "../events/shownEvents.js";
import { ofWorkspace } from "./workspaceShapes.js";

const Cursor = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const EventPage = z
  .object({
    items: z.array(Event),
    nextCursor: Cursor.meta({ description: "The `after` of the next page." }),
    hasMore: z.boolean().meta({ description: "Whether there are events behind this page now, under the same filter." }),
  })
  .meta({ id: "EventPage", description: "A page of the events of a workspace." });

export const events = {
  events: protectedProcedure
    .meta({
      weight: 8,
      fails: ["PRECONDITION_FAILED"],
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/events",
        tags: ["Events"],
        summary: "List the events of a workspace",
        description:
          "Lists the events after the event with the number `after`, oldest first, in the order of their commits. `nextCursor` is the next `after`; if there is nothing new, it is `after` itself, and it is never null: `hasMore` says whether to read on at once. A reader that follows the cursor misses nothing. If the operator keeps events for a time only, a given `after` before the oldest event that is kept is PRECONDITION_FAILED, and the issue names that event; read the boards again then. The caller gets the events of the boards that it can see now and, unless it is a guest, those of the workspace itself. A `card.moved` between boards has no `to`, or no `from`, for readers who cannot see the other board. Only admins get the events of invitations, of webhooks and of deleted boards, so other readers see gaps in `id`. A board or card that the caller cannot see gives an empty list. Requires `workspace:view`.",
        successDescription: "A page of events, the oldest first.",
      },
    })
    .input(
      z.strictObject({
        ...ofWorkspace,
        after: Cursor.meta({
          description:
            "The `id` of the last event that you have. Leave it out to start at the oldest event that is kept.",
        }).optional(),
        limit: pageInput.limit,
        boardPublicId: BoardId.meta({ description: "Only events on this board." }).optional(),
        cardPublicId: CardId.meta({ description: "Only events of this card." }).optional(),
      }),
    )
    .output(EventPage)
    .query(async ({ ctx, input: { workspacePublicId, ...filter } }) => {
      const workspace = await workspaceFor(ctx, workspacePublicId, "workspace:view");
      const { replica, reader } = await onReplica(ctx, workspace);
      const { items, hasMore, forgotten } = await eventsFor(replica, reader, { ...filter, after: filter.after ?? 0 });
      if (filter.after !== undefined && filter.after < forgotten) throw eventsForgotten(forgotten + 1, "after");
      return { items, nextCursor: items.at(-1)?.id ?? filter.after ?? forgotten, hasMore };
    }),
};
