// The connection of a follower of notifications to the service.

import { type RouterOutputs, WorkBoardError } from "../client.js";
import type { Client } from "./streams.js";

/** A notification, as lists of them have it. */
export type Notification = RouterOutputs["notification"]["list"][number];

/** A follower with the number of the last notification that it has. */
export interface NotificationReceiver {
  position(): number;
  notification(notification: Notification, position: number): void;
  reset(): Promise<void>;
}

/** Follows notifications by a stream of their own. It ends when the account no longer has a session. */
export function notificationsByOwnStream(client: Client, receiver: NotificationReceiver): () => void {
  let isStopped = false;
  const open = (): { unsubscribe(): void } =>
    client.notification.stream.subscribe(
      { types: "all", lastEventId: String(receiver.position()) },
      {
        onData: ({ id, data }) => receiver.notification(data, Number(id)),
        onError: async (error) => {
          // A position beyond the end, as after a backup was restored, is refused.
          if (isStopped || !(error instanceof WorkBoardError) || error.code !== "BAD_REQUEST") return;
          await receiver.reset();
          if (!isStopped) stream = open();
        },
      },
    );
  let stream = open();
  return () => {
    isStopped = true;
    stream.unsubscribe();
  };
}
