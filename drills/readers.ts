// Writers and readers of one board's stream: the writers know how many events there must be, the readers which they got.

import { Agent, get, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, type Send, sender, signUp } from "./calls.js";
import type { Run } from "./harness.js";

/** A board that some people may follow. */
export interface Place {
  owner: string;
  boardPublicId: string;
  listPublicId: string;
  /** Tokens of the owner and of members. */
  tokens: string[];
}

interface Lists {
  lists: { publicId: string }[];
}

/** Makes a board and as many people who see it. */
export async function makePlace(url: string, people: number): Promise<Place> {
  const owner = await signUp(url);
  const send = sender(url, owner);
  const workspace = String((await send("POST", "/workspaces", { name: "Drill" })).body.publicId);
  const board = await send("POST", `/workspaces/${workspace}/boards`, { name: "Streamed", lists: ["Only"] });
  const boardPublicId = String(board.body.publicId);
  const { body } = await send("GET", `/boards/${boardPublicId}`);
  const invite = await send("POST", `/workspaces/${workspace}/invites`);
  const tokens = [owner];
  while (tokens.length < people) {
    const token = await signUp(url);
    await sender(url, token)("POST", "/invites/accept", { inviteCode: invite.body.inviteCode });
    tokens.push(token);
  }
  const [list] = (body as unknown as Lists).lists;
  return { owner, boardPublicId, listPublicId: list?.publicId ?? "", tokens };
}

/** Writes one event a call: makes cards, and renames them. */
export class Writer {
  readonly answers: { sentAt: number; answeredAt: number; answer: Answer }[] = [];
  readonly #random: () => number;
  readonly #place: Place;
  readonly #cards: string[] = [];
  #send: Send;

  constructor(random: () => number, place: Place, url: string) {
    this.#random = random;
    this.#place = place;
    this.#send = sender(url, place.owner);
  }

  /** Goes on writing to another process. */
  moveTo(url: string): void {
    this.#send = sender(url, this.#place.owner);
  }

  get acknowledged(): number {
    return this.answers.filter(({ answer }) => answer.status === 200).length;
  }

  async write(): Promise<Answer> {
    const card = this.#cards[Math.floor(this.#random() * this.#cards.length)];
    const title = `Change ${this.answers.length}, ${this.#random()}`;
    const sentAt = performance.now();
    const isNew = card === undefined || this.#random() < 0.2;
    const answer = isNew
      ? await this.#send("POST", "/cards", { title, listPublicId: this.#place.listPublicId })
      : await this.#send("PUT", `/cards/${card}`, { title });
    this.answers.push({ sentAt, answeredAt: performance.now(), answer });
    if (isNew && answer.status === 200) this.#cards.push(String(answer.body.publicId));
    return answer;
  }
}

const RETRY_MS = 100;

/** Follows a board for as long as it is told to, and comes back from wherever the stream ended. */
export class Reader {
  /** The numbers of the events, in the order in which they arrived, and when. */
  readonly ids: number[] = [];
  readonly arrivals: number[] = [];
  opened = 0;
  /** The answer in place of a stream. */
  readonly refusals = new Map<string, number>();
  readonly #token: string;
  readonly #path: string;
  readonly #where: () => string;
  /** One connection a stream, never one that was used before. */
  readonly #agent = new Agent({ keepAlive: false });
  #lastId: string | undefined;
  #response: IncomingMessage | undefined;
  #isStopped = false;
  #done: Promise<void> = Promise.resolve();
  #onFirst = () => {};

  constructor(token: string, boardPublicId: string, where: () => string) {
    this.#token = token;
    this.#path = `/api/v1/boards/${boardPublicId}/stream`;
    this.#where = where;
  }

  /** The number after which it began to read. */
  startedAfter = 0;

  /** Opens the stream; resolves once it has its first id. */
  start(): Promise<void> {
    const first = new Promise<void>((resolve) => {
      this.#onFirst = resolve;
    });
    this.#done = this.#follow();
    return first;
  }

  /** Goes away without a word; it comes back by itself. */
  disconnect(): void {
    this.#response?.destroy();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.disconnect();
    await this.#done;
  }

  async #follow(): Promise<void> {
    while (!this.#isStopped) {
      const cameIn = await this.#open();
      if (!cameIn) await sleep(RETRY_MS);
    }
  }

  #open(): Promise<boolean> {
    return new Promise((resolve) => {
      const headers = {
        authorization: `Bearer ${this.#token}`,
        ...(this.#lastId !== undefined && { "last-event-id": this.#lastId }),
      };
      const refused = (why: string) => {
        this.refusals.set(why, (this.refusals.get(why) ?? 0) + 1);
        resolve(false);
      };
      get(this.#where() + this.#path, { agent: this.#agent, headers }, (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          return refused(String(response.statusCode));
        }
        this.opened += 1;
        this.#response = response;
        this.#take(response);
        response.on("close", () => resolve(true)).on("error", () => {});
        // It was told to stop while it connected.
        if (this.#isStopped) response.destroy();
      }).on("error", (error: Error & { code?: string }) => refused(error.code ?? error.message));
    });
  }

  /** A block that is not whole when the connection ends did not arrive. */
  #take(response: IncomingMessage): void {
    let rest = "";
    response.setEncoding("utf8").on("data", (chunk: string) => {
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) this.#note(block);
    });
  }

  #note(block: string): void {
    const id = /^id: (\d+)$/m.exec(block)?.[1];
    if (id === undefined) return;
    if (this.#lastId === undefined) {
      this.startedAfter = Number(id);
      this.#onFirst();
    }
    this.#lastId = id;
    if (!/^data: /m.test(block)) return;
    this.ids.push(Number(id));
    this.arrivals.push(performance.now());
  }
}

const PATIENCE_MS = 30_000;

/** Waits until every reader has got as many events as there must be, or no more come for long. */
export async function caughtUp(readers: readonly Reader[], events: number): Promise<void> {
  const count = () => readers.reduce((sum, { ids }) => sum + ids.length, 0);
  let [last, since] = [count(), performance.now()];
  while (readers.some(({ ids }) => ids.length < events) && performance.now() - since < PATIENCE_MS) {
    await sleep(20);
    if (count() !== last) [last, since] = [count(), performance.now()];
  }
}

/** Judges what readers got: every number after the one they began with, once, in order. */
export function judge(run: Run, name: string, readers: readonly Reader[], events: number): void {
  let [missed, twice, unordered] = [0, 0, 0];
  for (const { ids, startedAfter } of readers) {
    const distinct = new Set(ids);
    for (let id = startedAfter + 1; id <= startedAfter + events; id += 1) if (!distinct.has(id)) missed += 1;
    twice += ids.length - distinct.size;
    unordered += ids.filter((id, index) => index > 0 && id <= (ids[index - 1] ?? 0)).length;
  }
  const counts = readers.map(({ ids }) => ids.length);
  run.report(`${name}, events`, events);
  run.report(
    `${name}, events each of ${readers.length} readers got`,
    `${Math.min(...counts)} to ${Math.max(...counts)}`,
  );
  run.report(
    `${name}, times a stream was opened`,
    readers.reduce((sum, { opened }) => sum + opened, 0),
  );
  run.some(
    `${name}, events received`,
    readers.reduce((sum, { ids }) => sum + ids.length, 0),
  );
  run.none(`${name}, events missed`, missed);
  run.none(`${name}, events received twice`, twice);
  run.none(`${name}, events out of order`, unordered);
}
