// The notifications of an account as they come, by the stream that the tabs of a browser share, or by one of their own.

import { pause, reported, waitMs } from "../client.js";
import { type Notification, type NotificationReceiver, notificationsByOwnStream } from "./notificationStreams.js";
import type { Client } from "./streams.js";

/** The caller of `followNotifications`, and what it does with what comes. */
export interface NotificationFollower {
  /** The identifier of the account for which the client acts. */
  account: string;
  /** Everything up to this number is known: the `notificationId` of `user.start`. */
  notificationId: number;
  /** Called with each notification and its number, in order. */
  received(notification: Notification, notificationId: number): void;
  /**
   * Called when notifications were missed: reads them again, and resolves with the `notificationId` up to which they were read. Called
   * again after a while if it rejects.
   */
  reset(): Promise<number>;
  /** Whether the tabs of a browser share one stream, if they act for the same account. False by default. */
  shared?: boolean;
}

const FIRST_WAIT_MS = 500;

function receiverOf(
  { notificationId, received, reset }: NotificationFollower,
  ended: AbortSignal,
): NotificationReceiver {
  let position = notificationId;
  return {
    position: () => position,
    notification(notification, at) {
      if (at <= position) return;
      position = at;
      reported(() => received(notification, at));
    },
    async reset() {
      for (let tries = 0; !ended.aborted; tries += 1) {
        try {
          position = await reset();
          return;
        } catch {
          await pause(waitMs(tries, FIRST_WAIT_MS), ended);
        }
      }
    },
  };
}

/** Follows the notifications of all types of an account. Returns a function that ends that. */
export function followNotifications(client: Client, follower: NotificationFollower): () => void {
  const ended = new AbortController();
  const receiver = receiverOf(follower, ended.signal);
  const loading = follower.shared ? import("./sharedStream.js").catch(() => null) : Promise.resolve(null);
  let stop = () => {};
  void loading.then((together) => {
    if (ended.signal.aborted) return;
    stop = together
      ? together.notificationsBySharedStream(client, follower.account, receiver)
      : notificationsByOwnStream(client, receiver);
  });
  return () => {
    ended.abort();
    stop();
  };
}
