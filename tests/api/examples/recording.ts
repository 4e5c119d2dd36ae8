// Records what the service answers to a story, with everything that differs from run to run replaced: identifiers, secrets and
// times become the same ones in every run, so that a record can be compared and published.

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Operation } from "../../../src/api/rest.js";
import type { Client, TestApp } from "../../helpers/app.js";
import { type Bearer, ok } from "../../helpers/requests.js";
import { operations } from "../../helpers/samples.js";

/** One request of an operation, split as REST carries it, and its answer. */
export interface Example {
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  answer: unknown;
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
  /** A URL that takes what webhooks send. */
  readonly receiver: string;
  readonly #examples = new Map<string, Example>();
  readonly #begun: number[] = [];
  readonly #replaced = new Map<string, string>();

  constructor(app: Pick<TestApp, "as" | "anonymous">, receiver: string) {
    this.#app = app;
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
    const { body } = await this.#send<Body>(operation, input, by);
    return body;
  }

  /** Calls an operation and keeps request and answer as its example. */
  async example<Body = Record<string, string>>(path: string, input: Input = {}, by?: Bearer): Promise<Body> {
    const operation = operationAt(path);
    if (operation === undefined) throw new Error(`There is no operation ${path}`);
    if (this.#examples.has(path)) throw new Error(`${path} has an example already`);
    const { rest, body } = await this.#send<Body>(operation, input, by);
    const isEmpty = Object.keys(rest).length === 0;
    this.#examples.set(path, {
      ...(!isEmpty && { [operation.method === "GET" ? "query" : "body"]: this.#settled(rest) }),
      answer: this.#settled(body),
    });
    return body;
  }

  /** Every example, in the order of the router. */
  get examples(): Record<string, Example> {
    const paths = operations.map(({ path }) => path).filter((path) => this.#examples.has(path));
    return Object.fromEntries(paths.map((path) => [path, this.#examples.get(path) ?? { answer: null }]));
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
    return { rest, body: ok(answer) };
  }

  /** The same value with the same replacements in every run. */
  #settled(value: unknown, key = ""): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#settled(item, key));
    if (isRecord(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#settled(inner, name)]));
    }
    if (typeof value !== "string") return value;
    if (INSTANT.test(value)) return this.#moment(value);
    if (/publicIds?$/i.test(key)) return this.#replacement("identifier", value, 12);
    if (key === "inviteCode") return this.#replacement("invite code", value, 24);
    let settled = value
      .replaceAll(this.receiver, SHOWN_RECEIVER)
      .replace(/\b[0-9A-Za-z]{12}\b/g, (word) => this.#replaced.get(word) ?? word);
    for (const { kind, pattern, length } of SECRETS) {
      settled = settled.replace(pattern, (found) => this.#replacement(kind, found, length));
    }
    return settled;
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
