// The queries of the account: its sessions, tokens, identities and notification settings.

import { queryOptions } from "@tanstack/react-query";
import { client } from "../client.js";
import { queryClient } from "../session/queryClient.js";

const accountKeys = {
  sessions: ["sessions"],
  tokens: ["tokens"],
  identities: ["identities"],
  notificationSettings: ["notificationSettings"],
};

export const sessions = queryOptions({
  queryKey: accountKeys.sessions,
  queryFn: ({ signal }) => client.user.sessions.list.query(undefined, { signal }),
});

export const tokens = queryOptions({
  queryKey: accountKeys.tokens,
  queryFn: ({ signal }) => client.user.tokens.list.query(undefined, { signal }),
});

export const identities = queryOptions({
  queryKey: accountKeys.identities,
  queryFn: ({ signal }) => client.user.oidc.identities.query(undefined, { signal }),
});

export const notificationSettings = queryOptions({
  queryKey: accountKeys.notificationSettings,
  queryFn: ({ signal }) => client.user.notificationSettings.get.query(undefined, { signal }),
});

/** Reads something of the account again. */
export const readAgain = ({ queryKey }: { queryKey: readonly unknown[] }) =>
  queryClient.invalidateQueries({ queryKey });
