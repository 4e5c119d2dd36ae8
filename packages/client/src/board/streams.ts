// The connection of a replica to the service, and what its failures mean.

import type { TRPCClient } from "@trpc/client";
import { type AppRouter, responseOf, WorkBoardError, waitMs } from "../client.js";
import type { ChangePath } from "./changePaths.js";
import type { Event } from "./things.js";

export type Client = TRPCClient<AppRouter>;

/** The messages of the connection to a replica. */
export interface Receiver {
  event(event: Event): void;
  /** Events are missing: the board must be read again. Resolves when it was. */
  reset(): Promise<void>;
  connected(isConnected: boolean): void;
  ended(error: unknown): void;
}

/** The failure of a call; null for any other error. */
export const problemOf = (error: unknown) => (error instanceof WorkBoardError ? error : null);

/** Whether a failed query fails again: what it asked for is gone, or the caller has no access to it, or no session. */
export const hasEnded = (error: unknown): boolean =>
  ["NOT_FOUND", "FORBIDDEN", "UNAUTHORIZED", "BAD_REQUEST"].includes(problemOf(error)?.code ?? "");

/** Whether the board is gone, or the caller has no access to it any more: no change can be sent to it. */
export const isUnavailable = (error: unknown): boolean =>
  ["NOT_FOUND", "FORBIDDEN"].includes(problemOf(error)?.code ?? "");

/** Failures that say nothing about a change: it waits, and is sent again under the same key. */
export const TEMPORARY: readonly (string | null)[] = [null, "TOO_MANY_REQUESTS", "SERVICE_UNAVAILABLE", "UNAUTHORIZED"];

/** The wait before the second try, in milliseconds. */
export const FIRST_WAIT_MS = 500;

/** The wait before a failed query is made again: longer after each try, and at least as long as its response asks. */
export function waitAfter(error: unknown, tries: number): number {
  const problem = problemOf(error);
  return waitMs(tries, FIRST_WAIT_MS, problem === null ? undefined : responseOf(problem));
}

/** A procedure of the client, by its path. */
export function mutationOf(client: Client, path: ChangePath): (input: object, options: object) => Promise<object> {
  const procedure = path.split(".").reduce<unknown>((outer, name) => Reflect.get(Object(outer), name), client);
  return Reflect.get(Object(procedure), "mutate");
}

/** Follows a board by a stream of its own. */
export function followByOwnStream(
  client: Client,
  boardPublicId: string,
  position: () => number,
  receiver: Receiver,
): () => void {
  let isStopped = false;
  const open = (): { unsubscribe(): void } => {
    const input = { boardPublicId, lastEventId: String(position()) };
    return client.board.stream.subscribe(input, {
      onData: ({ data }) => data.type !== "snapshot" && receiver.event(data),
      onConnectionStateChange: ({ state }) => receiver.connected(state === "pending"),
      onError: async (error) => {
        if (error instanceof WorkBoardError && error.code !== "PRECONDITION_FAILED") return receiver.ended(error);
        // From the old position, the stream would be refused again.
        await receiver.reset();
        if (!isStopped) stream = open();
      },
    });
  };
  let stream = open();
  return () => {
    isStopped = true;
    stream.unsubscribe();
  };
}
