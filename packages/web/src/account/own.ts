// The reader's account, as its settings show it.

import { queryOptions } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { client } from "../client.js";
import { queryClient } from "../session/queryClient.js";
import type { Start } from "../session/start.js";

/** The account, how people sign in here, and the workspaces of the account. */
export interface Own {
  user: Start["user"];
  methods: Start["instance"]["methods"];
  workspaces: Start["workspaces"];
}

export const OwnContext = createContext<Own | null>(null);

export function useOwn(): Own {
  const own = useContext(OwnContext);
  if (own === null) throw new Error("No account is shown here");
  return own;
}

export const sessions = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => client.user.sessions.list.query(undefined, { signal }),
});

export const tokens = queryOptions({
  queryKey: ["tokens"],
  queryFn: ({ signal }) => client.user.tokens.list.query(undefined, { signal }),
});

export const identities = queryOptions({
  queryKey: ["identities"],
  queryFn: ({ signal }) => client.user.oidc.identities.query(undefined, { signal }),
});

export const notificationSettings = queryOptions({
  queryKey: ["notificationSettings"],
  queryFn: ({ signal }) => client.user.notificationSettings.get.query(undefined, { signal }),
});

/** Reads something of the account again. */
export const readAgain = ({ queryKey }: { queryKey: readonly unknown[] }) =>
  queryClient.invalidateQueries({ queryKey });
