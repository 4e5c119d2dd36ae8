// Reads Server-Sent Events as a third party would, over a socket.

import { setTimeout as sleep } from "node:timers/promises";

/** A message as it arrived: `data` is undefined where there was none, as in a comment or an id alone. */
export interface Message {
  id?: string;
  event?: string;
  data?: string;
  comment?: string;
}

/** An event of a board's stream, as far as tests look at it. */
export interface StreamedEvent {
  id: number;
  type: string;
  cardPublicId: string | null;
  data: Record<string, unknown>;
}

export interface Reading {
  status: number;
  headers: Headers;
  messages: Message[];
  lastId(): string | undefined;
  /** The items, in the order in which they arrived. */
  items<T = StreamedEvent>(): T[];
  /** Resolves once a condition holds; throws when the stream ends before, or after 10 s. */
  until(condition: () => boolean): Promise<void>;
  /** Resolves when the other side has ended the stream, or cut it. */
  ended: Promise<void>;
  /** What was answered instead of a stream. */
  body: () => Promise<{ code: string; message: string; issues: object[] }>;
  leave(): void;
}

function messageOf(block: string): Message {
  const message: Message = {};
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^(\w*): ?(.*)$/.exec(line) ?? [];
    if (name === "") message.comment = value;
    if (name === "id" || name === "event" || name === "data") message[name] = value;
  }
  return message;
}

/** Opens a stream at an address with a token, after an id where one is given. */
export async function read(url: string, token: string | null, lastEventId?: string): Promise<Reading> {
  const leaving = new AbortController();
  const response = await fetch(url, {
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    },
    signal: leaving.signal,
  });
  const messages: Message[] = [];
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const ended = isStream ? take(response, messages) : Promise.resolve();
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  return {
    status: response.status,
    headers: response.headers,
    messages,
    lastId: () => messages.findLast(({ id }) => id !== undefined)?.id,
    items: <T>() =>
      messages.flatMap(({ data, event }): T[] => (data === undefined || event !== undefined ? [] : [JSON.parse(data)])),
    until: async (condition) => {
      const deadline = Date.now() + 10_000;
      while (!condition()) {
        if (isOver && !condition()) throw new Error(`the stream ended first: ${JSON.stringify(messages)}`);
        if (Date.now() > deadline) throw new Error(`nothing came: ${JSON.stringify(messages)}`);
        await sleep(5);
      }
    },
    ended,
    body: () => response.json() as Promise<{ code: string; message: string; issues: object[] }>,
    leave: () => leaving.abort(),
  };
}

async function take(response: Response, messages: Message[]): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of response.body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      messages.push(...blocks.map(messageOf));
    }
  } catch {
    // Cut off, or left.
  }
}
