// Records what the service answers to a story, with everything that differs from run to run replaced: identifiers, secrets and
// times become the same ones in every run, so that a record can be compared and published.

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Operation, REST_BASE } from "../../../src/api/rest.js";
import type { Client, TestApp } from "../../helpers/app.js";
import { type Bearer, ok } from "../../helpers/requests.js";
import { operations } from "../../helpers/samples.js";
import { type Message, read } from "../../helpers/streams.js";

/** One request of an operation, split as REST carries it, its answer, and how a wrong request is refused. */
export interface Example {
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  /** Of a stream: a message of it as text. */
  answer: unknown;
  failure: { status: number; body: unknown };
}

type Input = Record<string, unknown>;

const FIRST_MOMENT = Date.parse("2026-11-20T09:30:00.000Z");
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How long things live that tell when they end: an answer's time may lie that far ahead of the call. */
const LIFETIMES_MS = [0, 7 * DAY_MS, 30 * DAY_MS];

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Text that looks random and is always the same. */
function text(seed: string, length: number): string {
  const bytes = createHash("sha512").update(seed).digest();
  return Array.from(bytes.subarray(0, length), (byte) => DIGITS[byte % DIGITS.length]).join("");
}

/** The kinds of text that differ in every run, where they stand, and how long their replacements are. */
const SECRETS = [
  { kind: "token", pattern: /(?<=\bwb_)[\w-]{43}/g, length: 43 },
  { kind: "webhook secret", pattern: /(?<=\bwhsec_)[\w+/=-]{20,}/g, length: 32 },
  { kind: "invite code", pattern: /(?<=\/invite\/)[0-9A-Za-z]{24}$/g, length: 24 },
  { kind: "state", pattern: /(?<=state(?:=|%3D))[\w-]{16,}/g, length: 32 },
];

/** The operation at a path of the router; undefined where there is none. */
const operationAt = (path: string) => operations.find((operation) => operation.path === path);

const isRecord = (value: unknown): value is Input =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Input as REST carries it: what the path names, and the rest. */
function split({ restPath }: Operation, input: Input) {
  const inPath = [...restPath.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const path = restPath.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name)));
  return { path, rest };
}

/** Values of which most fields refuse one, as a query or a body carries them. */
const WRONG = { query: [0, "?", ""], body: ["", -1, null] };

/** The input with one field that the schema refuses; undefined where no field of query or body can be wrong. */
function withWrongField(operation: Operation, input: Input, rest: Input): Input | undefined {
  const { path: _, rest: fields } = split(operation, operation.input.shape);
  const names = [...Object.keys(rest), ...Object.keys(fields)].filter((name) => name !== "lastEventId");
  const values = operation.method === "GET" ? WRONG.query : WRONG.body;
  for (const name of names) {
    for (const value of values) {
      // A query is text, which is read as a number where one is wanted; empty it is always refused.
      const read = operation.method === "GET" ? [value, String(value)] : [value];
      const isTaken = value !== "" || operation.method !== "GET";
      if (isTaken && read.some((one) => operation.input.safeParse({ ...input, [name]: one }).success)) continue;
      return { ...input, [name]: value };
    }
  }
  return undefined;
}

/** The input with the last identifier of its path replaced by one of nothing; undefined where the path has none. */
function withUnknown({ restPath }: Operation, input: Input): Input | undefined {
  const name = [...restPath.matchAll(/\{(\w+)\}/g)].at(-1)?.[1];
  return name === undefined ? undefined : { ...input, [name]: String(input[name]).replace(/.{7}$/, "0000000") };
}

function withQuery(path: string, rest: Input): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Where the webhooks of the examples lead; what really receives them listens elsewhere. */
const SHOWN_RECEIVER = "https://chat.example.org/hooks/engines";

/** Tells a story to an application, and keeps the example of each operation. */
export class Recording {
  readonly #app: Pick<TestApp, "as" | "anonymous">;
  readonly #url: TestApp["listening"];
  /** A URL that takes what webhooks send. */
  readonly receiver: string;
  readonly #examples = new Map<string, Example>();
  readonly #begun: number[] = [];
  readonly #replaced = new Map<string, string>();

  constructor(app: Pick<TestApp, "as" | "anonymous" | "listening">, receiver: string) {
    this.#app = app;
    this.#url = app.listening;
    this.receiver = receiver;
  }

  /** Whether there is such an operation. */
  knows(path: string): boolean {
    return operationAt(path) !== undefined;
  }

  /** Calls an operation without keeping it: what must have happened before the next example. */
  async call<Body = Record<string, string>>(path: string, input: Input = {}, by?: Bearer): Promise<Body> {
    const operation = operationAt(path);
    if (operation === undefined) throw new Error(`There is no operation ${path}`);
    const { answer } = await this.#send<Body>(operation, input, by);
    return ok(answer);
  }

  /** Calls an operation and keeps request and answer as its example. */
  async example<Body = Record<string, string>>(path: string, input: Input = {}, by?: Bearer): Promise<Body> {
    const operation = operationAt(path);
    if (operation === undefined) throw new Error(`There is no operation ${path}`);
    if (this.#examples.has(path)) throw new Error(`${path} has an example already`);
    const failure = await this.#refusal(operation, input, by);
    const { rest, answer } = await this.#send<Body>(operation, input, by);
    const body = ok(answer);
    const isEmpty = Object.keys(rest).length === 0;
    this.#examples.set(path, {
      ...(!isEmpty && { [operation.method === "GET" ? "query" : "body"]: this.#stable(rest) }),
      answer: this.#stable(body),
      failure,
    });
    return body;
  }

  /** Follows a stream from its beginning up to the first item of a type, and keeps that message as its example. */
  async stream(path: string, input: Input, by: Bearer, type: string): Promise<void> {
    const operation = operationAt(path);
    if (operation === undefined) throw new Error(`There is no operation ${path}`);
    const failure = await this.#refusal(operation, input, by);
    const reading = await read(`${await this.#url()}${REST_BASE}${split(operation, input).path}`, by.token, "0");
    const typeOf = ({ data, event }: Message) => data !== undefined && event === undefined && JSON.parse(data).type;
    await reading.until(() => reading.messages.some((message) => typeOf(message) === type));
    const { id, data = "" } = reading.messages.find((message) => typeOf(message) === type) ?? {};
    reading.leave();
    const item = JSON.stringify(this.#stable(JSON.parse(data)));
    this.#examples.set(path, { answer: `id: ${id}\ndata: ${item}\n\n`, failure });
  }

  /** How the service refuses a call with a wrong field, else of something unknown, else without a token. */
  async #refusal(operation: Operation, input: Input, by: Bearer | undefined): Promise<Example["failure"]> {
    const wrong = withWrongField(operation, input, split(operation, input).rest) ?? withUnknown(operation, input);
    const { answer } = await this.#send<object>(operation, wrong ?? input, wrong === undefined ? undefined : by);
    if (answer.status < 400) throw new Error(`${operation.path} takes ${JSON.stringify(wrong)}`);
    return { status: answer.status, body: this.#stable(answer.body) };
  }

  /** Every example, in the order of the router. */
  get examples(): Record<string, Example> {
    const paths = operations.map(({ path }) => path).filter((path) => this.#examples.has(path));
    return Object.fromEntries(
      paths.map((path) => [path, this.#examples.get(path) ?? { answer: null, failure: { status: 0, body: null } }]),
    );
  }

  async #send<Body>(operation: Operation, input: Input, by: Bearer | undefined) {
    // Each call begins in a millisecond of its own, by which times of answers are told apart.
    await sleep(2);
    this.#begun.push(Date.now());
    const client: Client = by === undefined ? this.#app.anonymous : this.#app.as(by);
    const { path, rest } = split(operation, input);
    const isEmpty = Object.keys(rest).length === 0;
    const answer =
      operation.method === "GET"
        ? await client.get<Body>(withQuery(path, rest))
        : await client.call(operation.method)<Body>(path, isEmpty ? undefined : rest);
    return { rest, answer };
  }

  /** The same value with the same replacements in every run. */
  #stable(value: unknown, key = ""): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#stable(item, key));
    if (isRecord(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#stable(inner, name)]));
    }
    if (typeof value !== "string") return value;
    if (INSTANT.test(value)) return this.#moment(value);
    if (/publicIds?$/i.test(key)) return this.#replacement("identifier", value, 12);
    if (key === "nextCursor") return this.#replacement("cursor", value, 20);
    if (key === "inviteCode") return this.#replacement("invite code", value, 24);
    let stable = value
      .replaceAll(this.receiver, SHOWN_RECEIVER)
      .replace(/\b[0-9A-Za-z]{12}\b/g, (word) => this.#replaced.get(word) ?? word);
    for (const { kind, pattern, length } of SECRETS) {
      stable = stable.replace(pattern, (found) => this.#replacement(kind, found, length));
    }
    return stable;
  }

  #replacement(kind: string, found: string, length: number): string {
    const replacement = this.#replaced.get(found) ?? text(`${kind} ${this.#replaced.size}`, length);
    this.#replaced.set(found, replacement);
    return replacement;
  }

  /** A time that the service took from its clock becomes the minute of the call in which it did; any other stays. */
  #moment(value: string): string {
    const at = Date.parse(value);
    for (const lifetime of LIFETIMES_MS) {
      const call = this.#begun.findLastIndex((begun) => begun <= at - lifetime);
      const isNow = call !== -1 && at - lifetime <= Date.now();
      if (isNow) return new Date(FIRST_MOMENT + call * MINUTE_MS + lifetime).toISOString();
    }
    return value;
  }
}
