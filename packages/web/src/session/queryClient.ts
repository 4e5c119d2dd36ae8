// The answers that the page holds, and when it reads them again.

import { QueryClient } from "@tanstack/react-query";
import { failureOf } from "../client.js";

const RETRIES = 2;

// Without a network, a call fails with a reason instead of waiting in silence.
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: "always",
      refetchOnReconnect: true,
      staleTime: 30_000,
      retry: (times, error) => navigator.onLine && failureOf(error).code === null && times < RETRIES,
    },
    mutations: { networkMode: "always" },
  },
});

/** The time after which what failed is read again. */
export const AGAIN_MS = 5000;

/**
 * Reads a failed query again by itself, except without a session. What concerns all workspaces fails while any server of a distributed
 * database is away.
 */
export const again = {
  refetchInterval: ({ state: { error } }: { state: { error: Error | null } }) =>
    error !== null && failureOf(error).code !== "UNAUTHORIZED" && AGAIN_MS,
};
