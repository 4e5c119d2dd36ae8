// One stream for all tabs of a browser, which allows six connections to a host. One tab, the leader, has the stream and passes on what comes. The
// others ask it every 2 s, and one takes its place when it no longer answers. Nothing is stored for a tab that missed something: the
// stream begins anew behind the lowest position, and replicas ignore events that they have.

import { doubtStreams, doubtsOf, globals, newKey, onNetworkChange, urlOf } from "../client.js";
import { type Notification, type NotificationReceiver, notificationsByOwnStream } from "./notificationStreams.js";
import { type Client, followByOwnStream, type Receiver } from "./streams.js";
import type { Event } from "./things.js";

/** The identifier of a board, or null: the notifications of the account. */
type Followed = string | null;

/** The messages that a follower takes: those of a board, or notifications. */
interface Receives extends Pick<Receiver, "reset">, Partial<Pick<Receiver, "event" | "connected">> {
  notification?: NotificationReceiver["notification"];
}

/** A replica of this tab, or its notifications. */
interface Follower {
  boardPublicId: Followed;
  position(): number;
  receiver: Receives;
  /** Follows the board by a stream of its own, which says why the shared one cannot. */
  openOwnStream(): void;
  isReading?: boolean;
}

/**
 * From a tab to the leader. `left`: some boards are not followed any more. `doubt`: a change has no answer, is the stream alive? `ask`:
 * is the leader there, and does it follow these boards?
 */
type Question =
  | { type: "left" }
  | { type: "doubt" }
  | { type: "ask"; boards: readonly (readonly [boardPublicId: Followed, position: number])[] };

/** From the leader: it is there, and these boards are live; it is not there any more; or a message of the stream. */
type News =
  | { type: "alive"; live: readonly Followed[] }
  | { type: "stepDown" }
  | { type: "event"; boardPublicIds: readonly string[]; event: Event }
  | { type: "notification"; notification: Notification; position: number }
  | { type: "reset"; boardPublicId: Followed }
  | { type: "end"; boardPublicId: Followed };

/** A leader counts its messages. Of two leaders, the one of the later term stays. */
interface Numbered {
  tab: string;
  term: number;
  count: number;
}

type Message = Question | (News & Numbered);

interface Channel {
  onmessage: ((event: { data: Message }) => void) | null;
  postMessage(message: Message): void;
  close(): void;
}

/** The parts of browsers that are used: this package is compiled without their types. */
interface Browser {
  BroadcastChannel?: new (name: string) => Channel;
  navigator?: { locks?: { request(name: string, options: object, run: () => Promise<unknown>): Promise<unknown> } };
}
const browser: Browser = Object(globalThis);

const RENEW_MS = 2000;
/** So many questions in a row have no answer before a tab takes the leader's place. A frozen tab counts none. */
const UNANSWERED = 3;
/** A tab that suspects that the leader is gone waits so long for an answer, or up to twice as long. */
const ANSWER_MS = 100;
/** So long a new leader waits for the boards of the other tabs. */
const COLLECT_MS = 50;
/** The service follows so many boards on one stream. */
const BOARDS_MAX = 50;

/** The number of the last notification, in the id of a message. */
const notificationsIn = (id: string): number => Number(/notifications:(\d+)/.exec(id)?.[1]);

class SharedStream {
  readonly #client: Client;
  readonly #channel: Channel;
  readonly #closing = new AbortController();
  readonly #followers = new Set<Follower>();
  readonly #id = newKey();
  /** The last message of the leader, which may be this tab. */
  #last: Numbered = { tab: "", term: 0, count: 0 };
  #unanswered = 0;
  /** Whether the leader was asked for messages that were missed. */
  #isBehind = false;
  #live: readonly Followed[] = [];
  /** Of the leader: each board, and the number of the last event of it that was passed on. */
  #positions = new Map<Followed, number>();
  #stream: { unsubscribe(): void } | null = null;
  #opening: ReturnType<typeof setTimeout> | undefined;

  /** `closed` is called when nobody follows anything any more. */
  constructor(client: Client, name: string, channel: Channel, closed: () => void) {
    this.#client = client;
    this.#channel = channel;
    channel.onmessage = ({ data }) => this.#onMessage(data);
    const timer = setInterval(() => this.#renew(), RENEW_MS);
    const forget = onNetworkChange((change) => change !== "offline" && this.#checkLeader());
    const doubts = doubtsOf(client);
    doubts.add(this.#doubt);
    globals.addEventListener?.("pagehide", this.#leave);
    const { signal } = this.#closing;
    signal.addEventListener("abort", () => {
      clearInterval(timer);
      forget();
      doubts.delete(this.#doubt);
      globals.removeEventListener?.("pagehide", this.#leave);
      this.#leave();
      channel.close();
      closed();
    });
    // A lock goes over to the next tab at once when its tab is gone, also if that crashed.
    const locked = () => {
      if (!this.#isLeader) this.#lead();
      return new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    browser.navigator?.locks?.request(name, { signal }, locked).catch(() => {});
    this.#checkLeader();
  }

  add(follower: Follower): void {
    this.#followers.add(follower);
    this.#ask([follower]);
  }

  remove(follower: Follower): void {
    if (!this.#followers.delete(follower)) return;
    if (this.#followers.size === 0) this.#closing.abort();
    else if (this.#isLeader) this.#lead();
    else this.#channel.postMessage({ type: "left" });
  }

  get #isLeader(): boolean {
    return this.#last.tab === this.#id;
  }

  #leave = (): void => {
    if (this.#isLeader) this.#stepDown();
    else this.#channel.postMessage({ type: "left" });
  };

  /** Passes a doubt on. The leader has the stream, which is asked by itself. */
  #doubt = (): void => {
    if (!this.#isLeader) this.#channel.postMessage({ type: "doubt" });
  };

  // A tab and the leader.

  #ask(followers: Iterable<Follower>): void {
    const boards = [...followers].flatMap((one) =>
      one.isReading ? [] : [[one.boardPublicId, one.position()] as const],
    );
    if (this.#isLeader) this.#openBehind(boards);
    else this.#channel.postMessage({ type: "ask", boards });
  }

  #renew(): void {
    if (this.#isLeader) return;
    this.#unanswered += 1;
    if (this.#unanswered > UNANSWERED) this.#lead();
    else this.#ask([]);
  }

  /** Receives the place of the leader unless it answers soon. Of several tabs, the first one does. */
  #checkLeader(): void {
    if (this.#isLeader) return;
    const last = this.#last;
    this.#ask([]);
    setTimeout(
      () => this.#last === last && !this.#closing.signal.aborted && this.#lead(),
      ANSWER_MS * (1 + Math.random()),
    );
  }

  #onMessage(message: Message): void {
    if (message.type === "ask" || message.type === "left" || message.type === "doubt") {
      if (this.#isLeader) this.#onQuestion(message);
      return;
    }
    const { tab, term, count } = message;
    const last = this.#last;
    const isLater = term > last.term || (term === last.term && tab >= last.tab);
    if (!isLater) {
      // It was frozen, and does not know yet that another tab is the leader.
      if (this.#isLeader) this.#broadcast({ type: "alive", live: this.#live });
      return;
    }
    if (this.#isLeader) this.#stop();
    this.#last = { tab, term, count };
    this.#unanswered = 0;
    // Another leader, or one of whom something was missed. What follows on that would hide it, until the leader has begun anew.
    const isNext = tab === last.tab && term === last.term && count === last.count + 1;
    if (message.type === "alive" || !isNext) this.#isBehind = !isNext;
    if (!this.#isBehind || !("event" in message || "notification" in message)) this.#deliver(message);
    if (message.type === "stepDown") this.#checkLeader();
    else if (!isNext) this.#ask(this.#followers);
  }

  /** Gives a message of the stream to the replicas of this tab. */
  #deliver(news: News): void {
    const followers = [...this.#followers];
    const of = (followed: Followed) => followers.filter((one) => one.boardPublicId === followed);
    if (news.type === "alive") {
      this.#live = news.live;
      for (const { receiver, boardPublicId } of followers) receiver.connected?.(news.live.includes(boardPublicId));
    } else if (news.type === "event") {
      for (const { receiver } of news.boardPublicIds.flatMap(of)) receiver.event?.(news.event);
    } else if (news.type === "notification") {
      for (const { receiver } of of(null)) receiver.notification?.(news.notification, news.position);
    } else if (news.type === "reset") {
      for (const one of of(news.boardPublicId)) void this.#reset(one);
    } else if (news.type === "end") {
      for (const one of of(news.boardPublicId)) one.openOwnStream();
    }
  }

  async #reset(follower: Follower): Promise<void> {
    follower.isReading = true;
    await follower.receiver.reset();
    follower.isReading = false;
    if (this.#followers.has(follower)) this.#ask([follower]);
  }

  // The leader.

  #onQuestion(question: Question): void {
    if (question.type === "ask") {
      this.#openBehind(question.boards);
      this.#broadcast({ type: "alive", live: this.#live });
    } else if (question.type === "left") this.#lead();
    else doubtStreams(this.#client);
  }

  #broadcast(news: News): void {
    this.#last = { ...this.#last, count: this.#last.count + 1 };
    this.#channel.postMessage({ ...news, ...this.#last });
    this.#deliver(news);
  }

  /** Becomes the leader, or begins anew with the boards that are still followed. */
  #lead(): void {
    this.#stop();
    this.#positions = new Map();
    if (!this.#isLeader) this.#live = [];
    this.#last = { tab: this.#id, term: this.#last.term + 1, count: 0 };
    this.#unanswered = 0;
    this.#broadcast({ type: "alive", live: this.#live });
    this.#ask(this.#followers);
  }

  /** Follows boards, each from behind a number, as soon as all tabs have named theirs. */
  #openBehind(boards: Extract<Question, { type: "ask" }>["boards"]): void {
    for (const [boardPublicId, position] of boards) {
      const known = this.#positions.get(boardPublicId);
      if (known !== undefined && known <= position) continue;
      if (known === undefined && this.#positions.size === BOARDS_MAX) {
        this.#broadcast({ type: "end", boardPublicId });
        continue;
      }
      this.#positions.set(boardPublicId, position);
      this.#stream?.unsubscribe();
      this.#stream = null;
      this.#opening ??= setTimeout(() => this.#open(), COLLECT_MS);
    }
  }

  #open(): void {
    this.#opening = undefined;
    const live = [...this.#positions.keys()];
    const boards = [...this.#positions].flatMap(([id, position]) => (id === null ? [] : [`${id}:${position}`]));
    const notificationId = this.#positions.get(null);
    this.#stream = this.#client.user.stream.subscribe(
      {
        ...(boards.length > 0 && { boards: boards.join(",") }),
        ...(notificationId !== undefined && {
          notifications: true,
          types: "all",
          lastEventId: `notifications:${notificationId}`,
        }),
      },
      {
        onData: ({ id, data }) =>
          this.#onItem(data.type === "notification" ? { ...data, position: notificationsIn(id) } : data),
        onConnectionStateChange: ({ state, error }) => {
          if (state === "pending") this.#broadcast({ type: "alive", live });
          else if (error) this.#broadcast({ type: "alive", live: [] });
        },
        onError: () => this.#onRefusal(),
      },
    );
  }

  #onItem(news: Exclude<News, { type: "alive" | "stepDown" }>): void {
    if (news.type === "event") for (const id of news.boardPublicIds) this.#positions.set(id, news.event.id);
    else if (news.type === "notification") this.#positions.set(null, news.position);
    // Those who follow it ask again when they have read it.
    else this.#positions.delete(news.boardPublicId);
    this.#broadcast(news);
  }

  /** The stream was refused, which may be this tab's fault. */
  #onRefusal(): void {
    // Its boards have ended, one by one.
    if (this.#positions.size === 0) return;
    this.#stepDown();
    for (const one of [...this.#followers]) one.openOwnStream();
  }

  #stepDown(): void {
    this.#stop();
    this.#broadcast({ type: "stepDown" });
    this.#last = { ...this.#last, tab: "" };
  }

  #stop(): void {
    clearTimeout(this.#opening);
    this.#opening = undefined;
    this.#stream?.unsubscribe();
    this.#stream = null;
  }
}

/** The shared streams of each client, by their accounts: another account has another stream. */
const streams = new WeakMap<Client, Map<string, SharedStream>>();

function sharedBy(client: Client, account: string): SharedStream | undefined {
  const { BroadcastChannel } = browser;
  const own = streams.get(client) ?? new Map<string, SharedStream>();
  streams.set(client, own);
  if (BroadcastChannel !== undefined && !own.has(account)) {
    // Tabs of versions with other messages have another channel.
    const name = `work-board stream 4 ${JSON.stringify([urlOf(client), account])}`;
    own.set(account, new SharedStream(client, name, new BroadcastChannel(name), () => own.delete(account)));
  }
  return own.get(account);
}

/** Follows something by the shared stream of an account, or else by a stream of its own. */
function follow(
  client: Client,
  account: string,
  one: Omit<Follower, "openOwnStream">,
  alone: () => () => void,
): () => void {
  const shared = sharedBy(client, account);
  if (shared === undefined) return alone();
  let stop = () => shared.remove(follower);
  const follower: Follower = {
    ...one,
    openOwnStream() {
      stop();
      stop = alone();
    },
  };
  shared.add(follower);
  return () => stop();
}

/** Follows a board by the stream that the tabs of this browser share in which the account follows boards. */
export const followBySharedStream = (
  client: Client,
  account: string,
  boardPublicId: string,
  position: () => number,
  receiver: Receiver,
): (() => void) =>
  follow(client, account, { boardPublicId, position, receiver }, () =>
    followByOwnStream(client, boardPublicId, position, receiver),
  );

/** Follows the notifications of an account by that stream. */
export const notificationsBySharedStream = (
  client: Client,
  account: string,
  receiver: NotificationReceiver,
): (() => void) =>
  follow(client, account, { boardPublicId: null, position: receiver.position, receiver }, () =>
    notificationsByOwnStream(client, receiver),
  );
