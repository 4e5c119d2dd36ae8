// The notifications of an account as they come, by the stream that the tabs of a browser share, or by one of their own.

import { type Notification, type NotificationReceiver, notificationsAlone } from "./notificationStreams.js";
import type { Client } from "./streams.js";

/** The caller of `followNotifications`, and what it does with what comes. */
export interface NotificationFollower {
  /** The identifier of the account for which the client acts. */
  account: string;
  /** Everything up to this number is known: the `notificationId` of `user.start`. */
  notificationId: number;
  /** Called with each notification and its number, in order. */
  received(notification: Notification, notificationId: number): void;
  /** Called when notifications were missed: reads them again, and resolves with the `notificationId` up to which they were read. */
  reset(): Promise<number>;
  /** Whether the tabs of a browser share one stream, if they act for the same account. False by default. */
  shared?: boolean;
}

function receiverOf({ notificationId, received, reset }: NotificationFollower): NotificationReceiver {
  let position = notificationId;
  return {
    position: () => position,
    notification(notification, at) {
      if (at <= position) return;
      position = at;
      received(notification, at);
    },
    async reset() {
      position = await reset();
    },
  };
}

/** Follows the notifications of all types of an account. Returns a function that ends that. */
export function followNotifications(client: Client, follower: NotificationFollower): () => void {
  const receiver = receiverOf(follower);
  const loading = follower.shared ? import("./sharedStream.js").catch(() => null) : Promise.resolve(null);
  let isStopped = false;
  let stop = () => {};
  void loading.then((together) => {
    if (isStopped) return;
    stop = together
      ? together.notificationsTogether(client, follower.account, receiver)
      : notificationsAlone(client, receiver);
  });
  return () => {
    isStopped = true;
    stop();
  };
}
