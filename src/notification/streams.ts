// One's notifications as they come (contract section 3, Live), by the numbers that they have for their account.

import { and, asc, eq, gt, sql } from "drizzle-orm";
import { z } from "zod";
import { isOpen } from "../access/openAccounts.js";
import type { Signed } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { LastEventId } from "../api/shapes.js";
import { itemMessage, type Message, type Stream, subscribed } from "../api/streams.js";
import { personalProcedure } from "../api/trpc.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { type Database, oncePer, oneOf } from "../db/client.js";
import { account, notification, notificationCounter } from "../db/schema/index.js";
import { commitSignalOf } from "../events/commitSignal.js";
import { FollowedLogs, type Page, stepsAfter } from "../events/followedLogs.js";
import { type Entry, Follower, isBarrier } from "../events/followers.js";
import { countNotifications } from "./numbering.js";
import {
  asSpecified,
  DEFAULT_TYPES,
  Notification,
  readNotifications,
  shownNotification,
  Types,
  type TypesAsked,
} from "./shownNotifications.js";

/** A follower of the notifications of an account: with a bound token, of those of one workspace; of the usual types, or of all. */
interface Reader {
  boundWorkspaceId: number | null;
  types: TypesAsked;
}

const PAGE = 100;

/** The last number of each of some accounts, whose notifications are numbered first. Accounts that are not open are left out. */
async function endsOf(db: Database, accountIds: readonly number[]): Promise<Map<number, number>> {
  await countNotifications(db, accountIds);
  const rows = await db
    .select({ id: account.id, end: sql<number>`coalesce(${notificationCounter.seq}, 0)` })
    .from(account)
    .leftJoin(notificationCounter, eq(notificationCounter.accountId, account.id))
    .where(and(oneOf(account.id, accountIds), isOpen()));
  return new Map(rows.map(({ id, end }) => [id, end]));
}

/** The keys of an account's notifications after a number, in whichever workspaces. */
const keysAfter = (db: Database, accountId: number, after: number) =>
  db
    .select({ workspaceId: notification.workspaceId, publicId: notification.publicId, seq: notification.seq })
    .from(notification)
    .where(
      and(
        acrossWorkspaces("notifications of an account", eq(notification.accountId, accountId)),
        gt(notification.seq, after),
      ),
    )
    .orderBy(asc(notification.seq))
    .limit(PAGE);

interface NotificationPage {
  entries: Entry<Notification>[];
  position: number;
  isWhole: boolean;
}

/** The notifications of an account after a number; null if it is closed. */
async function readOn(db: Database, accountId: number, after: number): Promise<NotificationPage | null> {
  const end = (await endsOf(db, [accountId])).get(accountId);
  if (end === undefined) return null;
  const keys = await keysAfter(db, accountId, after);
  const rows = await readNotifications(db, keys);
  const isWhole = keys.length < PAGE;
  const last = keys.at(-1)?.seq ?? 0;
  return {
    entries: rows.flatMap((row) =>
      row.seq === null ? [] : [{ position: row.seq, about: [row.workspaceId], item: shownNotification(row) }],
    ),
    position: isWhole ? Math.max(last, end) : last,
    isWhole,
  };
}

const pageFor = (reader: Reader, { entries, ...page }: NotificationPage): Page<Notification> => ({
  ...page,
  steps: entries
    .filter((entry) => isFor(entry, reader))
    .map((entry) => (reader.types === "all" ? entry : { ...entry, item: asSpecified(entry.item) })),
});

const isFor = ({ about, item }: Entry<Notification>, { boundWorkspaceId, types }: Reader) =>
  (boundWorkspaceId === null || about.includes(boundWorkspaceId)) &&
  (types === "all" || DEFAULT_TYPES.includes(item.type));

/** The accounts whose notifications somebody follows in this process. */
const followedLogsIn = oncePer((db) => {
  const followedLogs = new FollowedLogs<Notification, Reader>({
    read: async (accountId, after) => {
      const page = await readOn(db, accountId, after);
      return page && { ...page, stepsFor: (reader) => pageFor(reader, page).steps };
    },
    ends: (accountIds) => endsOf(db, accountIds),
  });
  commitSignalOf(db).subscribe(({ accounts }) => followedLogs.wake(accounts));
  return followedLogs;
});

/** The number of the last notification of an account. */
export const lastNotificationOf = async (db: Database, accountId: number): Promise<number> =>
  (await endsOf(db, [accountId])).get(accountId) ?? 0;

/** The notifications of a caller after a number as they come, each with its own. */
export async function* notificationsAfter(
  { db, user }: Signed<Database>,
  position: number,
  types: TypesAsked,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ position: number; notification: Notification }> {
  const { accountId } = user;
  const reader = { boundWorkspaceId: user.token.boundWorkspaceId, types };
  const readPage = async (after: number): Promise<Page<Notification>> => {
    const page = await readOn(db, accountId, after);
    if (page === null) throw notFound();
    return pageFor(reader, page);
  };
  const follower = new Follower<Notification>(signal);
  const following = { followedLogs: followedLogsIn(db), key: accountId, reader, position, readPage, follower };
  for await (const step of stepsAfter(following)) {
    if (!isBarrier(step)) yield { position: step.position, notification: step.item };
  }
}

/** The stream of a caller's notifications, from now on or after a given one. */
async function notificationStream(
  ctx: Signed<Database>,
  { lastEventId, types }: { lastEventId?: string | undefined; types?: TypesAsked },
  signal: AbortSignal | undefined,
): Promise<Stream> {
  const end = await lastNotificationOf(ctx.db, ctx.user.accountId);
  const position = lastEventId === undefined ? end : Number(lastEventId);
  if (position > end) throw badRequest("Must be the id of a notification of this stream", "lastEventId");
  async function* messages(): AsyncGenerator<Message> {
    for await (const next of notificationsAfter(ctx, position, types, signal)) {
      yield itemMessage(next.position, next.notification);
    }
  }
  return { position: String(position), [Symbol.asyncIterator]: messages };
}

export const streams = {
  stream: personalProcedure
    .meta({
      stream: Notification,
      openapi: {
        method: "GET",
        path: "/notifications/stream",
        tags: ["Notifications"],
        summary: "Follow my notifications",
        description:
          "Sends each new notification of the caller as Server-Sent Events, in order and once each, with `types=all` those of all types. The `id` of a message is a number. The first message has only an `id`, so that you can resume before any notification has arrived. With `Last-Event-ID` the stream starts with every notification after that one. The line `: heartbeat` is sent every 15 seconds. When the account is closed or the token ends, the last message has the type `end` and holds the error. Reconnect after any other end, for example when the connection accepted no data for 15 seconds. A token bound to a workspace gets the notifications of that workspace. At most 20 open streams per user. Requires any valid token. Swagger UI waits for the end of a response and therefore cannot show a stream: use `curl -N` or a client for Server-Sent Events. The example shows one message.",
        successDescription: "The stream is open.",
      },
    })
    .input(z.strictObject({ types: Types, lastEventId: LastEventId.optional() }))
    .subscription(async ({ ctx, input, signal }) =>
      subscribed<Notification>(await notificationStream(ctx, input, signal)),
    ),
};
