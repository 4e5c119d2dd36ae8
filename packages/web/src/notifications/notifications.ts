// The reader's notifications: what was read of them, what came since, and which are read.

import { infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";
import { followNotifications, type Notification } from "work-board-client/board";
import { client } from "../client.js";
import { AGAIN_MS, queryClient } from "../session/queryClient.js";
import { start } from "../session/start.js";

export type { Notification };

const PAGE = 50;

const notificationKeys = {
  all: ["notifications"],
  list: (isUnread: boolean) => [...notificationKeys.all, isUnread],
};

/** The notifications, newest first: all, or those that are unread when they are read. */
export const notifications = (isUnread: boolean) =>
  infiniteQueryOptions({
    queryKey: notificationKeys.list(isUnread),
    queryFn: ({ pageParam, signal }) =>
      client.notification.list.query(
        { types: "all", limit: PAGE, ...(isUnread && { unread: true }), ...(pageParam && { before: pageParam }) },
        { signal },
      ),
    initialPageParam: "",
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.publicId),
  });

interface Read {
  pages: Notification[][];
  pageParams: unknown[];
}

const readQueries = (): [QueryKey, Read | undefined][] =>
  queryClient.getQueriesData<Read>({ queryKey: notificationKeys.all });

function changePages(change: (pages: Notification[][]) => Notification[][]): void {
  for (const [key, read] of readQueries())
    if (read !== undefined) queryClient.setQueryData(key, { ...read, pages: change(read.pages) });
}

function changeCount(change: (count: number) => number, notificationId?: number): void {
  queryClient.setQueryData(
    start.queryKey,
    (first) =>
      first && {
        ...first,
        unreadCount: Math.max(0, change(first.unreadCount)),
        notificationId: notificationId ?? first.notificationId,
      },
  );
}

/** Adds a notification that has come to what was read. */
function received(notification: Notification, notificationId: number): void {
  const first = queryClient.getQueryData(start.queryKey);
  // The answer that holds the number of unread ones may be younger than the stream.
  if (first !== undefined && notificationId > first.notificationId) changeCount((count) => count + 1, notificationId);
  const isKnown = (pages: Notification[][]) =>
    pages.some((page) => page.some((one) => one.publicId === notification.publicId));
  changePages((pages) => {
    const [newest = [], ...others] = pages;
    return isKnown(pages) ? pages : [[notification, ...newest], ...others];
  });
}

async function readAgain(): Promise<number> {
  void queryClient.invalidateQueries({ queryKey: notificationKeys.all });
  return (await queryClient.fetchQuery({ ...start, staleTime: 0 })).notificationId;
}

/** The page itself is loaded first; nothing is missed meanwhile. */
const FOLLOW_MS = 1000;

/** Follows the notifications of an account from behind what the page read first. Returns a function that ends that. */
export function followOwn(account: string): () => void {
  let stop = () => {};
  const follow = async () => {
    const { notificationId } = await queryClient.fetchQuery({ ...start, staleTime: Number.POSITIVE_INFINITY });
    if (!ended.signal.aborted)
      stop = followNotifications(client, { account, notificationId, received, reset: readAgain, shared: true });
  };
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const followIn = (ms: number) => {
    timer = setTimeout(() => {
      follow().catch(() => {
        if (!ended.signal.aborted) followIn(AGAIN_MS);
      });
    }, ms);
  };
  followIn(FOLLOW_MS);
  return () => {
    ended.abort();
    clearTimeout(timer);
    stop();
  };
}

/** Marks notifications as read at once; if the service does not, they are read again. */
function marked(isMarked: (notification: Notification) => boolean, call: () => Promise<unknown>): Promise<void> {
  const readAt = new Date().toISOString();
  changePages((pages) =>
    pages.map((page) => page.map((one) => (one.readAt === null && isMarked(one) ? { ...one, readAt } : one))),
  );
  return call().then(
    () => {},
    () => void readAgain(),
  );
}

/** Marks some notifications as read. */
export function markRead(some: readonly Notification[]): Promise<void> {
  const unread = some.filter(({ readAt }) => readAt === null).map(({ publicId }) => publicId);
  changeCount((count) => count - unread.length);
  return marked(
    ({ publicId }) => unread.includes(publicId),
    () => Promise.all(unread.map((notificationPublicId) => client.notification.read.mutate({ notificationPublicId }))),
  );
}

/** Marks all as read. */
export function markAllRead(): Promise<void> {
  changeCount(() => 0);
  return marked(
    () => true,
    () => client.notification.readAll.mutate({ types: "all" }),
  );
}
