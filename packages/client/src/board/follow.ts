// `followBoard`: a replica with its connection and its subscribers.

import { reported } from "../client.js";
import type { ChangePath, InputOf, OutputOf } from "./changePaths.js";
import type { FollowedState } from "./followedState.js";
import type { ChangeOptions } from "./queue.js";
import { Replica } from "./replica.js";
import type { BoardStorage } from "./storedQueue.js";
import { type Client, followByOwnStream } from "./streams.js";

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

/** The functions to call after changes: `changed` calls each at most once per task, since the events of one chunk of a stream come in one. */
function listenersOf() {
  const listeners = new Set<() => void>();
  let isChanged = false;
  let isScheduled = false;
  const notify = () => {
    isScheduled = isChanged;
    if (!isChanged) return;
    isChanged = false;
    setTimeout(notify);
    for (const listener of listeners) reported(listener);
  };
  const changed = () => {
    isChanged = true;
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(notify);
  };
  return { listeners, changed };
}

/** The connection of a replica: open once the board was read, unless it has ended or is not needed. */
function connectionOf(client: Client, boardPublicId: string, replica: Replica, shared: boolean) {
  let stop: (() => void) | null = null;
  let isNeeded = true;
  let reading = replica.read();
  // Without the file, as offline or after an upgrade of the page, a board has a stream of its own.
  const loading = shared ? import("./sharedStream.js").catch(() => null) : null;
  const connect = async () => {
    isNeeded = true;
    const sharedStream = await loading;
    await reading;
    if (!isNeeded || stop !== null || replica.state().status === "ended") return;
    const position = () => replica.position;
    stop = sharedStream
      ? sharedStream.followBySharedStream(client, replica.account, boardPublicId, position, replica)
      : followByOwnStream(client, boardPublicId, position, replica);
  };
  const disconnect = () => {
    isNeeded = false;
    stop?.();
    stop = null;
    replica.connected(false);
  };
  const reconnect = () => {
    const wasNeeded = isNeeded;
    disconnect();
    reading = replica.read();
    if (wasNeeded) void connect();
  };
  return { connect, disconnect, reconnect };
}

/** Follows a board: reads it, applies its events, and makes changes of it. */
export function followBoard(
  client: Client,
  boardPublicId: string,
  { storage, shared = false }: FollowOptions = {},
): FollowedBoard {
  const { listeners, changed } = listenersOf();
  const replica = new Replica(client, boardPublicId, storage, changed);
  const { connect, disconnect, reconnect } = connectionOf(client, boardPublicId, replica, shared);
  let lingering: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  void connect();
  return {
    state: () => replica.state(),
    subscribe(listener) {
      clearTimeout(lingering);
      listeners.add(listener);
      if (!isClosed) void connect();
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) lingering = setTimeout(disconnect, LINGER_MS);
      };
    },
    change: (path, input, options) => replica.change(path, input, options),
    openCard: (cardPublicId) => replica.openCard(cardPublicId),
    readEarlier: (cardPublicId) => replica.readEarlier(cardPublicId),
    dismiss: (key) => replica.dismiss(key),
    resume() {
      if (!isClosed && replica.resumeAfterSignIn()) reconnect();
    },
    close() {
      isClosed = true;
      clearTimeout(lingering);
      disconnect();
      replica.close();
    },
  };
}
