// The queries of the settings of workspaces, besides people.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { client, type RouterOutputs } from "../client.js";
import { pagesOf } from "../parts/pages.js";

export type Webhook = RouterOutputs["workspace"]["webhooks"]["list"][number];
export type Delivery = RouterOutputs["workspace"]["webhooks"]["deliveries"]["items"][number];

export const tags = (workspacePublicId: string) =>
  queryOptions({
    queryKey: ["tags", workspacePublicId],
    queryFn: ({ signal }) => client.workspace.tags.list.query({ workspacePublicId }, { signal }),
  });

export const webhooks = (workspacePublicId: string) =>
  queryOptions({
    queryKey: ["webhooks", workspacePublicId],
    queryFn: ({ signal }) => client.workspace.webhooks.list.query({ workspacePublicId }, { signal }),
  });

const PENDING_MS = 2000;

/** The deliveries of a webhook, the newest first, read again while one is on its way. */
export const deliveries = (workspacePublicId: string, webhookPublicId: string) =>
  infiniteQueryOptions({
    ...pagesOf(["deliveries", workspacePublicId, webhookPublicId], (from, options) =>
      client.workspace.webhooks.deliveries.query({ workspacePublicId, webhookPublicId, ...from }, options),
    ),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.items.some(({ status, attempts }) => status === "pending" && attempts === 0)
        ? PENDING_MS
        : false,
  });

export const archivedBoards = (workspacePublicId: string) =>
  queryOptions({
    queryKey: ["archivedBoards", workspacePublicId],
    queryFn: ({ signal }) => client.board.list.query({ workspacePublicId, archived: true }, { signal }),
    staleTime: 0,
  });
