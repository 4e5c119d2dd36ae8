// The queries of the settings of workspaces, besides people.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { client, type RouterOutputs } from "../client.js";
import { pagesOf } from "../parts/pages.js";

export type Webhook = RouterOutputs["workspace"]["webhooks"]["list"][number];
export type Delivery = RouterOutputs["workspace"]["webhooks"]["deliveries"]["items"][number];

const settingsKeys = {
  tags: (workspacePublicId: string) => ["tags", workspacePublicId],
  webhooks: (workspacePublicId: string) => ["webhooks", workspacePublicId],
  deliveries: (workspacePublicId: string, webhookPublicId: string) => [
    "deliveries",
    workspacePublicId,
    webhookPublicId,
  ],
  archivedBoards: (workspacePublicId: string) => ["archivedBoards", workspacePublicId],
};

export const tags = (workspacePublicId: string) =>
  queryOptions({
    queryKey: settingsKeys.tags(workspacePublicId),
    queryFn: ({ signal }) => client.workspace.tags.list.query({ workspacePublicId }, { signal }),
  });

export const webhooks = (workspacePublicId: string) =>
  queryOptions({
    queryKey: settingsKeys.webhooks(workspacePublicId),
    queryFn: ({ signal }) => client.workspace.webhooks.list.query({ workspacePublicId }, { signal }),
  });

const PENDING_MS = 2000;

/** The deliveries of a webhook, the newest first, read again while one is on its way. */
export const deliveries = (workspacePublicId: string, webhookPublicId: string) =>
  infiniteQueryOptions({
    ...pagesOf(settingsKeys.deliveries(workspacePublicId, webhookPublicId), (from, options) =>
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
    queryKey: settingsKeys.archivedBoards(workspacePublicId),
    queryFn: ({ signal }) => client.board.list.query({ workspacePublicId, archived: true }, { signal }),
    staleTime: 0,
  });
