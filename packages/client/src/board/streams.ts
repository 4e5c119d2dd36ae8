// The connection of a replica to the service.

import type { TRPCClient } from "@trpc/client";
import { type AppRouter, WorkBoardError } from "../client.js";
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

/** Follows a board by a stream of its own. */
export function followAlone(
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
