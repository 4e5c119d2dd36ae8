// A board as it changes (contract section 3, Live; clients section 1).

import { z } from "zod";
import { boardFor } from "../access/guards.js";
import type { CallContext } from "../api/context.js";
import { eventsForgotten, notFound } from "../api/errors.js";
import { BoardId, LastEventId } from "../api/shapes.js";
import { itemMessage, type Message, type Stream, subscribed } from "../api/streams.js";
import { protectedProcedure } from "../api/trpc.js";
import { workspaceOf } from "../db/ids.js";
import { Event } from "../events/eventShapes.js";
import { boundsOf } from "../events/logBounds.js";
import { Board } from "./boardShapes.js";
import { weightOfRead } from "./boards.js";
import { boardSteps } from "./followedBoards.js";
import { renderedBoard } from "./wholeBoards.js";

interface Wanted {
  boardPublicId: string;
  lastEventId?: string | undefined;
  snapshot: boolean;
}

/** The board as the first message of its stream, and its number. Reading it weighs on the caller until the message was taken. */
async function snapshotOf(ctx: CallContext, boardPublicId: string, taken: Promise<void>) {
  const weight = weightOfRead({ boardPublicId }, ctx);
  const { rendered, eventId } = await ctx.inTurn(weight, () => renderedBoard(ctx, boardPublicId, {}), taken);
  return { eventId, message: { id: String(eventId), type: "snapshot", json: rendered, field: "board" } };
}

/** Resolves when the function beside it is called, or the reader is gone. */
function takenOnce(signal: AbortSignal | undefined): [taken: Promise<void>, take: () => void] {
  let take = () => {};
  const taken = new Promise<void>((resolve) => {
    take = resolve;
  });
  if (signal?.aborted) take();
  signal?.addEventListener("abort", take, { once: true });
  return [taken, take];
}

/** The stream of a board for a caller: from the end of its log, from an event on, or from a snapshot. */
async function boardStream(
  ctx: CallContext,
  { boardPublicId, lastEventId, snapshot }: Wanted,
  signal: AbortSignal | undefined,
): Promise<Stream> {
  // Read before the board is found: if the board is deleted meanwhile, `board.deleted` comes after this end.
  const workspaceId = workspaceOf(boardPublicId);
  const bounds = workspaceId === null ? null : await boundsOf(ctx.db, workspaceId);
  const { memberPublicId } = await boardFor(ctx, boardPublicId, "board:view");
  if (workspaceId === null || bounds === null) throw notFound();
  const { end, forgotten } = bounds;
  const wanted = lastEventId === undefined ? end : Number(lastEventId);
  const isLost = wanted < forgotten || wanted > end;
  const [taken, take] = takenOnce(signal);
  const first = snapshot && (lastEventId === undefined || isLost) ? await snapshotOf(ctx, boardPublicId, taken) : null;
  const position = first?.eventId ?? (isLost ? end : wanted);

  async function* messages(): AsyncGenerator<Message> {
    if (first !== null) yield first.message;
    take();
    const { accountId } = ctx.user;
    const reader = { accountId, memberPublicId, boards: new Map([[boardPublicId, position]]) };
    for await (const step of boardSteps(ctx.db, Number(workspaceId), reader, signal)) {
      if (step.kind === "end") throw step.failure;
      yield itemMessage(step.position, step.event);
    }
  }
  return {
    position: first === null ? String(position) : null,
    ...(isLost && { reset: eventsForgotten(forgotten + 1, "lastEventId") }),
    [Symbol.asyncIterator]: messages,
  };
}

/** The first item over tRPC of a stream with a snapshot. A schema, so that the client's declarations hold the fields themselves. */
const Snapshot = z.object({ type: z.literal("snapshot"), board: Board });
type Snapshot = z.output<typeof Snapshot>;

export const streams = {
  stream: protectedProcedure
    .meta({
      stream: Event,
      fails: ["PRECONDITION_FAILED"],
      openapi: {
        method: "GET",
        path: "/boards/{boardPublicId}/stream",
        tags: ["Events"],
        summary: "Follow a board",
        description: `Sends every event of the board as Server-Sent Events, in order and once each.

- **Events**: the stream also has \`member.added\`, \`member.updated\`, \`member.role.changed\`, \`member.removed\`, \`tag.updated\` and \`tag.deleted\` for people and tags on the board, and \`member.role.changed\` for yourself: a copy of the board that applies each event equals the board that you read next.
- **Not followed**: the name, slug and card prefix of the workspace, e-mail addresses, and what differs by caller, such as \`isFavourite\`. Read the board again, or follow \`workspace.updated\` in \`GET /workspaces/{workspacePublicId}/events\`.
- **Resuming**: the first message has only an \`id\`, so that you can resume before any event has arrived. With \`Last-Event-ID\` the stream starts with every event after that one. If some of those are no longer kept, or the number is beyond the end of the log, a message of the type \`reset\` comes first: read the board again, and go on with the events that follow. Over tRPC that is PRECONDITION_FAILED.
- **Snapshot**: with \`snapshot=true\` the first message has the type \`snapshot\` and the board as data, as \`GET /boards/{boardPublicId}\` answers it, and its \`eventId\` as \`id\`. A stream that resumes sends one only after \`reset\`. Over tRPC the item is \`{ type: "snapshot", board }\`. It is not compressed.
- **Heartbeats**: the line \`: heartbeat\` is sent every 15 seconds.
- **End**: if the board is deleted, an admin receives \`board.deleted\`, and then every stream of the board ends. When you can no longer see the board, or when your token ends, the last message has the type \`end\` and holds the error. Reconnect after any other end, for example when the connection accepted no data for 15 seconds.
- **Limits**: at most 20 open streams per user.

Archived boards can be followed. Requires \`board:view\`. Swagger UI waits for the end of a response and therefore cannot show a stream: use \`curl -N\` or a client for Server-Sent Events. The example shows one message.`,
        successDescription: "The stream is open.",
      },
    })
    .input(
      z.strictObject({
        boardPublicId: BoardId,
        lastEventId: LastEventId.optional(),
        snapshot: z.boolean().default(false).meta({
          description: "If true, the stream begins with the whole board, as a message of the type `snapshot`.",
        }),
      }),
    )
    .subscription(async ({ ctx, input, signal }) =>
      subscribed<Event | Snapshot>(await boardStream(ctx, input, signal)),
    ),
};
