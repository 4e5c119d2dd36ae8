// One's notifications as they come (contract section 3, Live), by the numbers that they have for their account.

import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Signed } from "../api/context.js";
import { badRequest } from "../api/errors.js";
import { LastEventId } from "../api/shapes.js";
import { personalProcedure } from "../api/trpc.js";
import { bigints, type Database, oncePer } from "../db/client.js";
import { feedOf } from "../events/feed.js";
import { Follower, streamOf } from "../events/followers.js";
import { entriesAfter, type Page, Tails } from "../events/tails.js";
import { Notification, readNotifications, shownNotification } from "./reading.js";

/** Who follows what an account is told: all of it, or with a bound token what comes from one workspace. */
interface Reader {
  boundWorkspaceId: number | null;
}

const PAGE = 100;

/** How many things each of some accounts was told; those that are closed are left out. */
async function endsOf(db: Database, accountIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.rows<{ id: number; end: number }>(sql`
    select a.id, coalesce(k.seq, 0) as "end" from account a left join notification_counter k on k.account_id = a.id
    where a.id = any(${bigints(accountIds)}) and a.deleted_at is null`);
  return new Map(rows.map(({ id, end }) => [id, end]));
}

/** What an account was told after a number; null when it is closed. */
async function readOn(db: Database, accountId: number, after: number): Promise<Page<Notification> | null> {
  const end = (await endsOf(db, [accountId])).get(accountId);
  if (end === undefined) return null;
  const rows = await readNotifications(
    db,
    sql`
      select * from notification
      where account_id = ${accountId}::bigint and seq > ${after}::bigint and seq <= ${end}::bigint
      order by seq limit ${PAGE}::int`,
    sql`n.seq`,
  );
  const isWhole = rows.length < PAGE;
  return {
    entries: rows.map((row) => ({ position: row.seq, about: row.workspaceId, item: shownNotification(row) })),
    position: isWhole ? end : (rows.at(-1)?.seq ?? end),
    isWhole,
  };
}

const isFor = ({ about }: { about: string | number | null }, { boundWorkspaceId }: Reader) =>
  boundWorkspaceId === null || about === boundWorkspaceId;

/** The accounts whose notifications somebody follows in this process. */
const tailsIn = oncePer((db) => {
  const tails = new Tails<Notification, Reader>({
    read: async (accountId, after) => {
      const page = await readOn(db, accountId, after);
      return page && { ...page, barred: new Map() };
    },
    isFor,
    ends: (accountIds) => endsOf(db, accountIds),
  });
  feedOf(db).subscribe((_workspaceIds, accountIds) => tails.wake(accountIds));
  return tails;
});

/** The stream of what a caller is told, from now on or from a notification on. */
async function notificationStream(
  { db, user }: Signed<Database>,
  { lastEventId }: { lastEventId?: string | undefined },
  signal: AbortSignal | undefined,
) {
  const { accountId } = user;
  const end = (await endsOf(db, [accountId])).get(accountId) ?? 0;
  const position = lastEventId === undefined ? end : Number(lastEventId);
  if (position > end) throw badRequest("Is not the id of a notification of this stream", "lastEventId");

  const follower = new Follower<Notification>(signal);
  const reader = { boundWorkspaceId: user.token.boundWorkspaceId };
  const readPage = async (after: number): Promise<Page<Notification>> => {
    const page = await readOn(db, accountId, after);
    if (page === null) return { entries: [], position: after, isWhole: true };
    return { ...page, entries: page.entries.filter((entry) => isFor(entry, reader)) };
  };
  const following = { tails: tailsIn(db), key: accountId, reader, position, readPage, follower };
  return streamOf(position, follower, () => entriesAfter(following));
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
          "Server-Sent Events: each new notification of the caller, in order, each once, as JSON under a number as its `id`. The first message has an id alone, so that a reader who has got nothing yet can resume too. With `Last-Event-ID` everything after that notification is sent first. A comment comes every 15 seconds. The stream ends with a message of the type `end`, which holds a failure's body, when the account is closed or the token ends; any other end, as of a reader that is too slow, is one to come back from. A bound token gets those of its workspace. At most 20 open streams a user. Any token.",
      },
    })
    .input(z.object({ lastEventId: LastEventId.optional() }))
    .subscription(({ ctx, input, signal }) => notificationStream(ctx, input, signal)),
};
