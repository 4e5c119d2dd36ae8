// The first query of the page: the account, and its boards and notifications in short.

import { queryOptions, useQuery } from "@tanstack/react-query";
import { client, type RouterOutputs } from "../client.js";
import { sessionKeys } from "./keys.js";
import { again } from "./queryClient.js";

export type Start = RouterOutputs["user"]["start"];

/** The account, its workspaces, its favourite and recent boards, and the number of its unread notifications. */
export const start = queryOptions({
  ...again,
  queryKey: sessionKeys.start,
  queryFn: ({ signal }): Promise<Start> => client.user.start.query({ types: "all" }, { signal }),
});

/** The number of the reader's unread notifications. */
export const useUnread = (): number =>
  useQuery({ ...start, select: ({ unreadCount }) => unreadCount, refetchOnMount: false }).data ?? 0;

/** Whether the reader runs this instance; undefined until that is known. */
export const useIsInstanceAdmin = () => useQuery(start).data?.user.isAdmin;
