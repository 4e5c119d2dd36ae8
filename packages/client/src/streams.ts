// Streams: an EventSource over `fetch`, which reads with the token of the moment, notices dead connections, and connects again at
// once when the network or the page comes back.

import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";
import { isTemporary, SERVICE_VERSION, WrongUrl } from "./errors.js";
import { isOnline, onNetworkChange, pause, waitMs } from "./network.js";
import type { Send } from "./requests.js";

/** The options of a stream: it is read through `send`, from the service at `url`. */
export interface StreamOptions {
  send: Send;
  url: string;
  /** Whether another token may be there when the one in use has ended. */
  canRenew: boolean;
  /** Whether the service has answered at its address. If something else answers then, it is in between, such as a captive portal. */
  hasAnswered: () => boolean;
  /** Called when somebody doubts that the streams of the client are alive. */
  doubts: Set<() => void>;
}

/** Three heartbeats of a stream: without data for this long, the connection counts as dead. */
const SILENCE_MS = 45_000;
/** A heartbeat and a little more: a page that comes back doubts a connection that was silent for so long. */
const DOUBT_MS = 20_000;
/** A stream that somebody doubts is asked unless it was heard, or began to connect, so lately. */
const LATELY_MS = 1500;
/** It has so long to answer. */
const ANSWER_MS = 3000;
/** The wait before connecting again, unless the service names another one; it doubles so often while nothing connects. */
const WAIT_MS = 1000;
const DOUBLINGS = 4;

const OPEN = 1;
const CLOSED = 2;

type Listener = (event: object) => void;

/** The stream that a response is; null for anything else. */
const streamIn = ({ ok, headers, body }: Response) =>
  ok && headers.get("content-type")?.startsWith("text/event-stream") ? body : null;

/** The error with which the service refuses a stream; null for a body of somebody else. */
function refusalIn(body: unknown): object | null {
  const error = typeof body === "object" && body !== null && "error" in body ? body.error : null;
  return typeof error === "object" ? error : null;
}

/** The status of the error with which a message ends the stream; null for any other message. */
const failureIn = ({ event, data }: EventSourceMessage): number | null =>
  event === "serialized-error" ? (JSON.parse(data)?.data?.httpStatus ?? null) : null;

/** A connection that is opened again until it is refused or closed. */
export class ResumedStream {
  readonly CONNECTING = 0;
  readonly OPEN = OPEN;
  readonly CLOSED = CLOSED;
  readyState = 0;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #closing = new AbortController();
  readonly #forget: () => void;
  #attempt = new AbortController();
  #lastEventId = "";
  #waitMs = WAIT_MS;
  /** When something was heard, or the connection began. */
  #heardAt = 0;
  /** Whether somebody doubts the connection, and no other one is open yet. */
  #isDoubted = false;
  /** Whether nothing has arrived since another token was asked for. */
  #isRenewed = false;

  constructor(url: string, options?: StreamOptions) {
    if (options === undefined) throw new TypeError("A stream needs its options");
    const forget = onNetworkChange((change) => {
      const isDoubtful = this.readyState === OPEN && performance.now() - this.#heardAt > DOUBT_MS;
      if (change === "offline" || change === "resumed" || isDoubtful) this.#attempt.abort();
    });
    options.doubts.add(this.#doubt);
    this.#forget = () => {
      forget();
      options.doubts.delete(this.#doubt);
    };
    void this.#run(url, options);
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  /** Ends the stream; nothing is dispatched any more. */
  close(): void {
    this.readyState = CLOSED;
    this.#forget();
    this.#closing.abort();
    this.#attempt.abort();
  }

  /** Asks whether the service is there, by another connection in place of this one. */
  #doubt = (): void => {
    if (performance.now() - this.#heardAt < LATELY_MS) return;
    this.#isDoubted = true;
    this.#attempt.abort();
  };

  #dispatch(type: string, event: Parameters<Listener>[0]): void {
    if (this.#closing.signal.aborted) return;
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }

  async #run(url: string, options: StreamOptions): Promise<void> {
    for (let tries = 0; !this.#closing.signal.aborted; tries += 1) {
      this.#attempt = new AbortController();
      const response = await this.#connect(url, options, tries).catch(() => undefined);
      const body = response === undefined ? null : streamIn(response);
      if (body !== null) {
        tries = 0;
        await this.#read(body, options).catch(() => {});
      } else if (response !== undefined && (await this.#isRefused(response, options))) return;
      if (this.#closing.signal.aborted) return;
      this.readyState = this.CONNECTING;
      // A stream that is only asked has a moment to answer.
      if (body === null || !this.#isDoubted || !isOnline()) this.#dispatch("error", {});
      // A connection that was given up is replaced at once.
      if (this.#attempt.signal.aborted && isOnline()) continue;
      await pause(waitMs(Math.min(tries, DOUBLINGS), this.#waitMs, response), this.#closing.signal);
    }
  }

  async #connect(url: string, { send }: StreamOptions, tries: number): Promise<Response> {
    const headers = {
      accept: "text/event-stream",
      ...(this.#lastEventId !== "" && { "last-event-id": this.#lastEventId }),
    };
    this.#heardAt = performance.now();
    const ms = this.#isDoubted ? Math.min(SILENCE_MS, ANSWER_MS * 2 ** (tries - 1)) : SILENCE_MS;
    return this.#inTime(send(url, { headers, signal: this.#attempt.signal }), ms);
  }

  /** Waits for something of the connection. Rejects when it is given up, as it is if this takes too long. */
  #inTime<T>(work: Promise<T>, ms = SILENCE_MS): Promise<T> {
    const attempt = this.#attempt;
    const { signal } = attempt;
    return new Promise<T>((resolve, reject) => {
      const silence = setTimeout(() => attempt.abort(), ms);
      // A body that has arrived whole does not fail by itself.
      const giveUp = () => reject(signal.reason);
      if (signal.aborted) giveUp();
      signal.addEventListener("abort", giveUp);
      work.then(resolve, reject).finally(() => {
        clearTimeout(silence);
        signal.removeEventListener("abort", giveUp);
      });
    });
  }

  /**
   * Reads a body to its end, or to an error that passes. If its token ends, the connection is given up, and the next one asks for
   * another token.
   */
  async #read(body: ReadableStream<Uint8Array>, { canRenew }: StreamOptions): Promise<void> {
    const onRetry = (ms: number) => {
      this.#waitMs = ms;
    };
    const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream({ onRetry }));
    const reader = messages.getReader();
    this.readyState = OPEN;
    this.#isDoubted = false;
    this.#dispatch("open", {});
    try {
      for (;;) {
        this.#heardAt = performance.now();
        const { done, value } = await this.#inTime(reader.read());
        if (done) return;
        const failure = failureIn(value);
        if (failure !== null && isTemporary(failure)) return;
        if (canRenew && !this.#isRenewed && failure === 401) {
          this.#isRenewed = true;
          this.#attempt.abort();
          return;
        }
        this.#isRenewed = false;
        if (value.id !== undefined) this.#lastEventId = value.id;
        this.#dispatch(value.event ?? "message", { data: value.data, lastEventId: this.#lastEventId });
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  /** Ends the stream with the error of a response, unless that passes. */
  async #isRefused(response: Response, { url, hasAnswered }: StreamOptions): Promise<boolean> {
    if (isTemporary(response.status)) return false;
    const refusal = refusalIn(await response.json().catch(() => null));
    if (refusal === null && hasAnswered() && !response.headers.has(SERVICE_VERSION)) return false;
    if (refusal !== null) this.#dispatch("serialized-error", { data: JSON.stringify(refusal) });
    this.readyState = CLOSED;
    this.#forget();
    if (refusal === null) this.#dispatch("error", new WrongUrl(url));
    return true;
  }
}
