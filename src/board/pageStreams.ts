// One stream for a page (clients section 1): boards of any workspaces, and notifications, on one connection.

import { z } from "zod";
import type { CallContext } from "../api/context.js";
import { badRequest, Failure, forbidden, notFound } from "../api/errors.js";
import { encoded, type Message, type Stream, subscribed } from "../api/streams.js";
import { personalProcedure } from "../api/trpc.js";
import { workspaceOf } from "../db/ids.js";
import { Event } from "../events/eventShapes.js";
import { boundsOf } from "../events/logBounds.js";
import { Notification, Types, type TypesAsked } from "../notification/shownNotifications.js";
import { lastNotificationOf, notificationsAfter } from "../notification/streams.js";
import { type BoardsReader, beginningsOf, boardSteps } from "./followedBoards.js";
import { merged } from "./mergedSources.js";

const MAX_BOARDS = 50;
/** The name of the notifications in an id, where boards go by their identifiers. */
const NOTIFICATIONS = "notifications";
const BOARD = "[0-9A-Za-z]{12}";
const NUMBER = "(?:0|[1-9][0-9]{0,14})";
const listOf = (entry: string) => new RegExp(`^${entry}(?:,${entry})*$`);

/** The entries of a list with the number after which each is followed; null: from the end on. Of two, the smaller counts. */
function entriesIn(list: string | undefined): Map<string, number | null> {
  const entries = new Map<string, number | null>();
  for (const entry of list?.split(",") ?? []) {
    const [name = "", number] = entry.split(":");
    const position = number === undefined ? null : Number(number);
    const before = entries.get(name) ?? null;
    entries.set(name, before === null ? position : Math.min(before, position ?? before));
  }
  return entries;
}

/** The number of each board, and of the notifications, up to which a reader has everything. */
type Positions = Map<string, number>;

const idOf = (positions: Positions) => [...positions].map(([name, position]) => `${name}:${position}`).join(",");

/** Forgets an entry that ended, except for the last one: an empty id would be none to clients. */
function forget(positions: Positions, name: string): void {
  if (positions.size > 1) positions.delete(name);
  else if (positions.size === 0) positions.set(name, 0);
}

/** A message, and which entries stand at which position when the reader has it, or why they are no longer followed. */
interface PageStep extends Omit<Message, "id"> {
  names: readonly string[];
  position: number | Failure;
}

const resetOf = (name: string, position: number): PageStep => ({
  names: [name],
  position,
  type: "reset",
  json: JSON.stringify({ boardPublicId: name === NOTIFICATIONS ? null : name }),
});

const endOf = (boardPublicId: string, failure: Failure): PageStep => ({
  names: [boardPublicId],
  position: failure,
  type: "end",
  json: JSON.stringify({ boardPublicId, ...failure.body }),
});

interface Wanted {
  boards?: string | undefined;
  notifications: boolean;
  types?: TypesAsked;
  lastEventId?: string | undefined;
}

/** A stream as it begins. */
interface Beginning {
  positions: Positions;
  /** The resets, and the ends of boards that cannot be followed. */
  steps: PageStep[];
  readers: { workspaceId: number; reader: BoardsReader }[];
  /** The number of the notification behind which they are followed. */
  notified: number;
}

/** Begins to follow boards of one workspace. */
async function beginIn(
  { db, user }: CallContext,
  workspaceId: number | null,
  wanted: readonly [boardPublicId: string, after: number | null][],
  { positions, steps, readers }: Beginning,
): Promise<void> {
  const { accountId, token } = user;
  // Read before the boards are found: if one is deleted meanwhile, `board.deleted` comes after this end.
  const bounds = workspaceId === null ? null : await boundsOf(db, workspaceId);
  if (workspaceId === null || bounds === null) {
    for (const [boardPublicId] of wanted) steps.push(endOf(boardPublicId, notFound()));
    return;
  }
  const isElsewhere = token.boundWorkspaceId !== null && token.boundWorkspaceId !== workspaceId;
  const viewers = wanted.map(([boardPublicId]) => ({ accountId, boardPublicId }));
  const beginnings = await beginningsOf(db, workspaceId, viewers);
  const boards: Positions = new Map();
  for (const [index, [boardPublicId, after]] of wanted.entries()) {
    const barrier = beginnings[index]?.barrier ?? (isElsewhere ? forbidden() : null);
    const position = after ?? bounds.end;
    const isLost = position < bounds.forgotten || position > bounds.end;
    if (barrier !== null) steps.push(endOf(boardPublicId, barrier));
    else {
      // The reset moves its reader to the end.
      positions.set(boardPublicId, position);
      if (isLost) steps.push(resetOf(boardPublicId, bounds.end));
      boards.set(boardPublicId, isLost ? bounds.end : position);
    }
  }
  const memberPublicId = beginnings[0]?.memberPublicId ?? null;
  if (boards.size > 0 && memberPublicId !== null)
    readers.push({ workspaceId, reader: { accountId, memberPublicId, boards } });
}

/** Begins a stream where the id of its reader says; boards that the id does not know begin as they are asked for. */
async function begin(ctx: CallContext, input: Wanted): Promise<Beginning> {
  const known = entriesIn(input.lastEventId);
  const beginning: Beginning = { positions: new Map(), steps: [], readers: [], notified: 0 };
  const wanted = new Map<number | null, [boardPublicId: string, after: number | null][]>();
  for (const [boardPublicId, after] of entriesIn(input.boards)) {
    const workspaceId = workspaceOf(boardPublicId);
    const ofWorkspace = wanted.get(workspaceId) ?? [];
    wanted.set(workspaceId, [...ofWorkspace, [boardPublicId, known.get(boardPublicId) ?? after]]);
  }
  for (const [workspaceId, ofWorkspace] of wanted) await beginIn(ctx, workspaceId, ofWorkspace, beginning);
  if (input.notifications) {
    const end = await lastNotificationOf(ctx.db, ctx.user.accountId);
    const position = known.get(NOTIFICATIONS) ?? end;
    beginning.positions.set(NOTIFICATIONS, position);
    if (position > end) beginning.steps.push(resetOf(NOTIFICATIONS, end));
    beginning.notified = Math.min(position, end);
  }
  return beginning;
}

/** The events of followed boards of a workspace, and their ends. */
async function* boardSource(
  { db }: CallContext,
  { workspaceId, reader }: Beginning["readers"][number],
  signal: AbortSignal | undefined,
): AsyncGenerator<PageStep, void> {
  for await (const step of boardSteps(db, workspaceId, reader, signal)) {
    if (step.kind === "end") yield endOf(step.boardPublicId, step.failure);
    else {
      const { position, boardPublicIds, event } = step;
      // Every earlier event of these boards was sent: the reader has all of them up to here.
      const names = [...reader.boards].flatMap(([boardPublicId, floor]) => (floor < position ? boardPublicId : []));
      const json = `{"boardPublicIds":${JSON.stringify(boardPublicIds)},"event":${encoded(event)}}`;
      yield { names, position, type: "event", json };
    }
  }
}

async function* notificationSource(
  ctx: CallContext,
  after: number,
  types: TypesAsked,
  signal: AbortSignal | undefined,
): AsyncGenerator<PageStep, void> {
  for await (const { position, notification } of notificationsAfter(ctx, after, types, signal)) {
    const json = encoded(notification);
    yield { names: [NOTIFICATIONS], position, type: "notification", json, field: "notification" };
  }
}

/** The stream of a page. If nothing is left to follow, it ends with the error of the last board. */
async function pageStream(ctx: CallContext, input: Wanted, signal: AbortSignal | undefined): Promise<Stream> {
  if (input.boards === undefined && !input.notifications)
    throw badRequest("Required without `notifications`", "boards");
  const { positions, steps, readers, notified } = await ctx.inTurn(1, () => begin(ctx, input));

  async function* allSteps(): AsyncGenerator<PageStep, void> {
    yield* steps;
    yield* merged([
      ...readers.map((reader) => boardSource(ctx, reader, signal)),
      ...(input.notifications ? [notificationSource(ctx, notified, input.types, signal)] : []),
    ]);
  }
  async function* messages(): AsyncGenerator<Message, void> {
    let failure: Failure | undefined;
    for await (const { names, position, ...message } of allSteps()) {
      for (const name of names) {
        if (position instanceof Failure) forget(positions, name);
        else positions.set(name, position);
      }
      if (position instanceof Failure) failure = position;
      yield { id: idOf(positions), ...message };
    }
    if (failure !== undefined && signal?.aborted !== true) throw failure;
  }
  return { position: idOf(positions), [Symbol.asyncIterator]: messages };
}

const PageEvent = z
  .object({
    boardPublicIds: z.array(z.string()).meta({ description: "The followed boards that get the event." }),
    event: Event,
  })
  .meta({ description: "An event of one or several followed boards." });

const PageReset = z
  .object({
    boardPublicId: z.string().nullable().meta({ description: "The board; null for the notifications." }),
  })
  .meta({ description: "Something was missed: read the board, or the notifications, again." });

const PageEnd = z
  .object({
    boardPublicId: z.string(),
    code: z.enum(["FORBIDDEN", "NOT_FOUND"]).meta({ description: "The code of the error." }),
    message: z.string().meta({ description: "The message of that code." }),
    issues: z.array(z.unknown()).meta({ description: "Always empty." }),
  })
  .meta({ description: "A board that the caller cannot see, or can no longer see, with the error." });

/** The data of each message over REST, where the message has the type. */
const PageMessage = z.union([PageEvent, Notification, PageReset, PageEnd]).meta({
  description: "The data of a message of the types `event`, `notification`, `reset` or `end`.",
});

/** A notification over tRPC. A schema, so that the client's declarations hold the fields themselves. */
const PageNotification = z.object({ type: z.literal("notification"), notification: Notification });

/** An item over tRPC. */
type PageItem =
  | ({ type: "event" } & z.output<typeof PageEvent>)
  | z.output<typeof PageNotification>
  | ({ type: "reset" } & z.output<typeof PageReset>)
  | ({ type: "end" } & z.output<typeof PageEnd>);

export const pageStreams = {
  stream: personalProcedure
    .meta({
      stream: PageMessage,
      openapi: {
        method: "GET",
        path: "/stream",
        tags: ["Events"],
        summary: "Follow boards and notifications",
        description: `Sends the events of up to ${MAX_BOARDS} boards of any workspaces, and the caller's notifications, on one connection as Server-Sent Events.

- **Messages**: \`event\` with \`{ boardPublicIds, event }\`, once if several of the boards get it; \`notification\` with the notification; \`reset\` with \`{ boardPublicId }\`, null for the notifications; \`end\` with \`{ boardPublicId, code, message, issues }\`. Over tRPC they are \`{ type: "event", boardPublicIds, event }\`, \`{ type: "notification", notification }\`, \`{ type: "reset", boardPublicId }\` and \`{ type: "end", boardPublicId, code, message, issues }\`. Each board gets the events that \`GET /boards/{boardPublicId}/stream\` sends.
- **Resuming**: the \`id\` of a message stands for all boards and the notifications. Its form can change. The first message has only an \`id\`. With \`Last-Event-ID\`, each board starts with the events that follow, and boards that the \`id\` does not know start as \`boards\` says: you can reconnect with other boards.
- **Reset**: if events that follow are no longer kept, or a number is beyond the end, \`reset\` comes first for that board: read it again, and go on with the events that follow.
- **End**: a board that you cannot see, or can no longer see, gets \`end\`, and the others go on. When nothing is left to follow, or when your token ends, the last message has the type \`end\`, no \`boardPublicId\`, and holds the error. Reconnect after any other end of the stream.
- **Heartbeats**: the line \`: heartbeat\` is sent every 15 seconds.
- **Limits**: it counts as one of the at most 20 open streams per user.

Requires any valid token; one that is bound to a workspace gets \`end\` for boards of others. Swagger UI waits for the end of a response and therefore cannot show a stream: use \`curl -N\` or a client for Server-Sent Events. The example shows one message.`,
        successDescription: "The stream is open.",
      },
    })
    .input(
      z.strictObject({
        boards: z
          .string()
          .regex(
            listOf(`${BOARD}(?::${NUMBER})?`),
            "Must be identifiers of boards, each with `:` and a number or without",
          )
          .refine((boards) => entriesIn(boards).size <= MAX_BOARDS, `Must have at most ${MAX_BOARDS} boards`)
          .meta({
            description: `Up to ${MAX_BOARDS} boards, separated by commas: \`publicId:eventId\` starts with the events after that number, such as the \`eventId\` of the board that you have read, and \`publicId\` starts now. Required without \`notifications\`.`,
          })
          .optional(),
        notifications: z.boolean().default(false).meta({ description: "If true, the stream has the notifications." }),
        types: Types,
        lastEventId: z
          .string()
          .regex(listOf(`(?:${BOARD}|${NOTIFICATIONS}):${NUMBER}`), "Must be the id of a message of this stream")
          .optional(),
      }),
    )
    .subscription(async ({ ctx, input, signal }) => subscribed<PageItem>(await pageStream(ctx, input, signal))),
};
