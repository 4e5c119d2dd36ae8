// `followBoard`: a replica with its connection and its subscribers.

import { reported } from "../client.js";
import type { FollowedState } from "./followedState.js";
import type { ChangePath, InputOf, OutputOf } from "./ownChanges.js";
import type { ChangeOptions } from "./queue.js";
import { Replica } from "./replica.js";
import type { BoardStorage } from "./storedQueue.js";
import { type Client, followAlone } from "./streams.js";

/** A followed board. */
export interface FollowedBoard {
  /** The board with the caller's unconfirmed changes. The same object until something changes. */
  state(): FollowedState;
  /** Calls a function after changes of the state, at most once per task. Returns a function that ends that. */
  subscribe(listener: () => void): () => void;
  /**
   * Makes a change: it is shown at once, and its promise resolves with the answer of the service, or rejects. It rejects at once, and
   * nothing is shown, if the board was not read yet or has ended. A change that would be the 501st to wait is refused, and so are
   * changes that wait when the board is deleted or closed to the user.
   */
  change<Path extends ChangePath>(path: Path, input: InputOf<Path>, options?: ChangeOptions): Promise<OutputOf<Path>>;
  /** Gives a card its `details`, until the function that it returns is called. */
  openCard(cardPublicId: string): () => void;
  /** Reads more of an open card's earlier comments. */
  readEarlier(cardPublicId: string): Promise<void>;
  /** Takes a change out of `refused`. */
  dismiss(key: string): void;
  /**
   * Goes on after the board ended with UNAUTHORIZED, once the client has a token of the same account again. What waits is sent. Does
   * nothing for a board that goes on.
   */
  resume(): void;
  /** Ends the connection. Changes that were not sent wait in the storage, if there is one, for the next follower of the board. */
  close(): void;
}

/** A stream without subscribers is closed after so long. */
const LINGER_MS = 5000;

export interface FollowOptions {
  /** Stores the changes that were not answered, and the refused ones until they are dismissed, across reloads: `indexedDb()`, for example. */
  storage?: BoardStorage;
  /** Whether the tabs of a browser share one stream, if they act for the same account. False by default. */
  shared?: boolean;
}

/** Follows a board: reads it, applies its events, and makes changes of it. */
export function followBoard(
  client: Client,
  boardPublicId: string,
  { storage, shared = false }: FollowOptions = {},
): FollowedBoard {
  const listeners = new Set<() => void>();
  let isChanged = false;
  let isHeld = false;
  // The events of one chunk of a stream come in one task.
  const notify = () => {
    isHeld = isChanged;
    if (!isChanged) return;
    isChanged = false;
    setTimeout(notify);
    for (const listener of listeners) reported(listener);
  };
  const replica = new Replica(client, boardPublicId, storage, () => {
    isChanged = true;
    if (isHeld) return;
    isHeld = true;
    queueMicrotask(notify);
  });

  let stop: (() => void) | null = null;
  let lingering: ReturnType<typeof setTimeout> | undefined;
  let reading = replica.read();
  // Without the file, as offline or after an upgrade of the page, a board has a stream of its own.
  const loading = shared ? import("./sharedStream.js").catch(() => null) : null;
  const connect = async () => {
    const together = await loading;
    await reading;
    if (isClosed || isIdle || stop !== null || replica.state().status === "ended") return;
    const position = () => replica.position;
    stop = together
      ? together.followTogether(client, replica.account, boardPublicId, position, replica)
      : followAlone(client, boardPublicId, position, replica);
  };
  const disconnect = () => {
    stop?.();
    stop = null;
    replica.connected(false);
  };
  let isClosed = false;
  /** Whether the last subscriber left more than `LINGER_MS` ago. */
  let isIdle = false;
  void connect();

  return {
    state: () => replica.state(),
    subscribe(listener) {
      clearTimeout(lingering);
      isIdle = false;
      listeners.add(listener);
      void connect();
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return;
        lingering = setTimeout(() => {
          isIdle = true;
          disconnect();
        }, LINGER_MS);
      };
    },
    change: (path, input, options) => replica.change(path, input, options),
    openCard: (cardPublicId) => replica.openCard(cardPublicId),
    readEarlier: (cardPublicId) => replica.readEarlier(cardPublicId),
    dismiss: (key) => replica.dismiss(key),
    resume() {
      if (isClosed || !replica.revive()) return;
      disconnect();
      reading = replica.read();
      void connect();
    },
    close() {
      isClosed = true;
      clearTimeout(lingering);
      disconnect();
      replica.close();
    },
  };
}
