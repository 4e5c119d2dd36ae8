// Records what the service answers to a story, with everything that differs from run to run replaced: identifiers, secrets and
// times become the same ones in every run, so that a record can be compared and published.

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { COMMAND_LINE, personAt, updatePerson } from "../../../src/admin/administeredAccounts.js";
import { type Operation, REST_BASE } from "../../../src/api/rest.js";
import type { MailKind } from "../../../src/mail/newMail.js";
import type { Client, TestApp } from "../../helpers/app.js";
import { mailedToken } from "../../helpers/recovery.js";
import { type Bearer, ok } from "../../helpers/requests.js";
import { operations } from "../../helpers/samples.js";
import { type Message, read } from "../../helpers/streams.js";

/** One request of an operation, split as REST carries it, its answer, and how a wrong request is refused. */
export interface Example {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  /** Of a stream: a message of it as text. */
  answer: unknown;
  failures: unknown[];
}

type Input = Record<string, unknown>;

const FIRST_MOMENT = Date.parse("2026-11-20T09:30:00.000Z");
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How long things live that tell when they end: an answer's time may lie that far ahead of the call. */
const LIFETIMES_MS = [0, 10 * MINUTE_MS, 60 * MINUTE_MS, 7 * DAY_MS, 30 * DAY_MS];

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const RECOVERY_CODE = /^[2-9a-z]{4}(?:-[2-9a-z]{4}){3}$/;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Text that looks random and is always the same. */
function text(seed: string, length: number): string {
  const bytes = createHash("sha512").update(seed).digest();
  return Array.from(bytes.subarray(0, length), (byte) => DIGITS[byte % DIGITS.length]).join("");
}

/** The kinds of text that differ in every run, where they stand, and how long their replacements are. */
const SECRETS = [
  { kind: "secret", pattern: /(?<=[?&]secret=)[A-Z2-7]{32}/g, length: 32 },
  { kind: "token", pattern: /(?<=\bwb_)[\w-]{43}/g, length: 43 },
  { kind: "link", pattern: /(?<=#token=)[\w-]{43}$/g, length: 44 },
  { kind: "webhook secret", pattern: /(?<=\bwhsec_)[\w+/=-]{20,}/g, length: 32 },
  { kind: "invite code", pattern: /(?<=\/invite\/)[0-9A-Za-z]{24}$/g, length: 24 },
  { kind: "state", pattern: /(?<=state(?:=|%3D))[\w-]{16,}/g, length: 32 },
  { kind: "nonce", pattern: /(?<=nonce=)[\w-]{16,}/g, length: 43 },
  { kind: "challenge", pattern: /(?<=code_challenge=)[\w-]{16,}/g, length: 43 },
  { kind: "code", pattern: /(?<=[?&]code=)[\w-]{16,}/g, length: 32 },
];

const operationAt = (path: string) => operations.find((operation) => operation.path === path);

/** The identifiers that the document shows as examples of parameters, by name. */
const SHOWN_IDENTIFIERS = new Map(
  operations.flatMap(({ input }) =>
    Object.entries<z.ZodType>(input.shape).flatMap(([name, schema]) => {
      const [shown] = schema.meta()?.examples ?? [];
      return /PublicId$/.test(name) && typeof shown === "string" ? [[name, shown] as const] : [];
    }),
  ),
);

/** How many characters of an identifier say which workspace it belongs to. */
const PREFIX_LENGTH = 5;

const isRecord = (value: unknown): value is Input =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const namesIn = (restPath: string) => [...restPath.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");

function split({ restPath }: Operation, input: Input) {
  const inPath = namesIn(restPath);
  const path = restPath.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name)));
  const named = Object.fromEntries(inPath.map((name) => [name, input[name]]));
  return { path, rest, named };
}

/** Values of which most fields refuse one, as a query or a body carries them. */
const WRONG = { query: [0, "?", ""], body: ["", -1, null] };

/** The input with one field that the schema refuses; undefined where no field can be wrong. */
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
  return withShortIdentifier(operation, input);
}

/** The input with an identifier in its path that is too short; undefined where the path has none. */
function withShortIdentifier({ restPath, input: schema }: Operation, input: Input): Input | undefined {
  const wrong = namesIn(restPath).map((name) => ({ ...input, [name]: "4kTq8" }));
  return wrong.findLast((one) => !schema.safeParse(one).success);
}

function withQuery(path: string, rest: Input): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** What differs between machines, databases and versions, by the name of the field. */
const MEASURED: Readonly<Record<string, unknown>> = { postgresVersion: "18.1", databaseBytes: 52_428_800, applied: 12 };

/** Where the webhooks of the examples lead; what really receives them listens elsewhere. So does the provider that signs people in. */
const SHOWN_RECEIVER = "https://chat.example.org/hooks/engines";
const SHOWN_ISSUER = "https://id.example.org";

/** What listens beside the service while the story is told, by its URL. */
export interface Surroundings {
  receiver: string;
  issuer: string;
}

/** Tells a story to an application, and keeps the example of each operation. */
export class Recording {
  readonly #app: Pick<TestApp, "as" | "anonymous" | "db">;
  readonly #url: TestApp["listening"];
  readonly #surroundings: Surroundings;
  readonly #db: TestApp["db"];
  /** Made at the end, when it is known which things of the story the document's identifiers stand for. */
  readonly #examples = new Map<string, () => Example>();
  readonly #begun: number[] = [];
  readonly #replaced = new Map<string, string>();
  /** What the identifiers of a workspace begin with. */
  readonly #prefixes = new Map<string, string>();

  constructor(app: Pick<TestApp, "as" | "anonymous" | "listening" | "db">, surroundings: Surroundings) {
    this.#app = app;
    this.#url = app.listening;
    this.#db = app.db;
    this.#surroundings = surroundings;
  }

  get receiver(): string {
    return this.#surroundings.receiver;
  }

  /** Makes the account with an address an instance admin, as the command does. */
  async grant(email: string): Promise<void> {
    await this.#app.db.transaction(async (tx) =>
      updatePerson(tx, COMMAND_LINE, await personAt(tx, email), { isAdmin: true }),
    );
  }

  /** Waits until the first use of somebody's session was noted, which happens behind an answer. */
  async noted(by: Bearer): Promise<void> {
    const client = this.#app.as(by);
    const isNoted = async () =>
      ok(await client.get<{ isCurrent: boolean; lastUsedAt: string | null }[]>("/users/me/sessions")).some(
        ({ isCurrent, lastUsedAt }) => isCurrent && lastUsedAt !== null,
      );
    while (!(await isNoted())) await sleep(20);
    // A call that looked the token up before is noted once more, with the uses of the next 100 ms.
    await sleep(200);
  }

  knows(path: string): boolean {
    return operationAt(path) !== undefined;
  }

  mailedToken(address: string, kind: MailKind): Promise<string> {
    return mailedToken(this.#db, address, kind);
  }

  /**
   * Says which things of the story the identifiers stand for that the document shows as examples of parameters, by the names of the
   * parameters. Of a kind that is not mentioned, it is the thing that the story names first.
   */
  introduce(things: Input): void {
    for (const [name, value] of Object.entries(things)) {
      const shown = SHOWN_IDENTIFIERS.get(name);
      if (shown === undefined || typeof value !== "string" || this.#replaced.has(value)) continue;
      if ([...this.#replaced.values()].includes(shown)) continue;
      this.#replaced.set(value, shown);
      this.#prefixes.set(value.slice(0, PREFIX_LENGTH), shown.slice(0, PREFIX_LENGTH));
    }
  }

  /** Calls an operation without keeping it: what must have happened before the next example. */
  async call<Body = Record<string, string>>(path: string, input: Input = {}, by?: Bearer): Promise<Body> {
    const operation = operationAt(path);
    if (operation === undefined) throw new Error(`There is no operation ${path}`);
    this.introduce(input);
    const { answer } = await this.#send<Body>(operation, input, by);
    return ok(answer);
  }

  /** Calls an operation and keeps request and answer as its example. */
  async example<Body = Record<string, string>>(path: string, input: Input = {}, by?: Bearer): Promise<Body> {
    const operation = operationAt(path);
    if (operation === undefined) throw new Error(`There is no operation ${path}`);
    if (this.#examples.has(path)) throw new Error(`${path} has an example already`);
    this.introduce(input);
    const failures = await this.#refusals(operation, input, by);
    const { answer } = await this.#send<Body>(operation, input, by);
    const body = ok(answer);
    this.#keep(operation, input, () => ({ answer: this.#stable(body), failures: this.#failures(failures) }));
    return body;
  }

  /** Follows a stream up to the first item of a type, and keeps that message as its example. */
  async stream(path: string, input: Input, by: Bearer, type: string, lastEventId?: string): Promise<void> {
    const operation = operationAt(path);
    if (operation === undefined) throw new Error(`There is no operation ${path}`);
    this.introduce(input);
    const failures = await this.#refusals(operation, input, by);
    const { path: restPath, rest } = split(operation, input);
    const url = `${await this.#url()}${REST_BASE}${withQuery(restPath, rest)}`;
    const reading = await read(url, by.token, lastEventId);
    const typeOf = ({ data = "{}" }: Message) => {
      const item = JSON.parse(data);
      return item.event?.type ?? item.type;
    };
    await reading.until(() => reading.messages.some((message) => typeOf(message) === type));
    const { id, event, data = "" } = reading.messages.find((message) => typeOf(message) === type) ?? {};
    reading.leave();
    const item = () => JSON.stringify(this.#stable(JSON.parse(data)));
    this.#keep(operation, input, () => ({
      answer: `${event === undefined ? "" : `event: ${event}\n`}id: ${this.#stable(id)}\ndata: ${item()}\n\n`,
      failures: this.#failures(failures),
    }));
  }

  /** Calls an operation that answers with a file, which is no example of a document. */
  async file(path: string, by: Bearer): Promise<void> {
    const operation = operationAt(path);
    if (operation === undefined) throw new Error(`There is no operation ${path}`);
    const failures = await this.#refusals(operation, {}, by);
    ok((await this.#send(operation, {}, by)).answer);
    this.#keep(operation, {}, () => ({ answer: null, failures: this.#failures(failures) }));
  }

  /** How the service refuses a call with a wrong field; nothing where no field can be wrong. */
  async #refusals(operation: Operation, input: Input, by: Bearer | undefined): Promise<unknown[]> {
    const wrong = withWrongField(operation, input, split(operation, input).rest);
    if (wrong === undefined) return [];
    const { answer } = await this.#send<object>(operation, wrong, by);
    if (answer.status < 400) throw new Error(`${operation.path} takes ${JSON.stringify(wrong)}`);
    return [answer.body];
  }

  #failures(bodies: unknown[]): unknown[] {
    return bodies.map((body) => this.#stable(body));
  }

  #keep(operation: Operation, input: Input, outcome: () => Pick<Example, "answer" | "failures">): void {
    const { named, rest } = split(operation, input);
    const isEmpty = (part: Input) => Object.keys(part).length === 0;
    this.#examples.set(operation.path, () => ({
      ...(!isEmpty(named) && { path: this.#all(named) }),
      ...(!isEmpty(rest) && { [operation.method === "GET" ? "query" : "body"]: this.#all(rest) }),
      ...outcome(),
    }));
  }

  #all(fields: Input): Input {
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, this.#stable(value, name)]));
  }

  /** Every example, in the order of the router. */
  get examples(): Record<string, Example> {
    const kept = operations.flatMap(({ path }) => {
      const example = this.#examples.get(path);
      return example === undefined ? [] : [[path, example()] as const];
    });
    return Object.fromEntries(kept);
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
    return { answer };
  }

  /** The same value with the same replacements in every run. */
  #stable(value: unknown, key = ""): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#stable(item, key));
    if (Object.hasOwn(MEASURED, key)) return MEASURED[key];
    // That of a board file is a number.
    if (key === "version" && typeof value === "string") return "1.0.0";
    if (isRecord(value)) return this.#all(value);
    if (typeof value !== "string") return value;
    if (INSTANT.test(value)) return this.#moment(value);
    if (/publicIds?$/i.test(key)) return this.#replacement("identifier", value, 12);
    if (key === "nextCursor") return this.#replacement("cursor", value, 20);
    if (key === "code" && /^\d{6}$/.test(value)) return "492039";
    if (RECOVERY_CODE.test(value)) return this.#recoveryCode(value);
    if (key === "token") return this.#replacement("link", value, 44);
    if (key === "flowToken") return this.#replacement("flow token", value, 43);
    if (key === "secret" && /^[A-Z2-7]{32}$/.test(value)) return this.#replacement("secret", value, 32);
    if (key === "inviteCode") return this.#replacement("invite code", value, 24);
    let stable = value
      .replaceAll(this.receiver, SHOWN_RECEIVER)
      .replaceAll(this.#surroundings.issuer, SHOWN_ISSUER)
      .replace(/\b[0-9A-Za-z]{12}\b/g, (word) => this.#replaced.get(word) ?? word);
    for (const { kind, pattern, length } of SECRETS) {
      stable = stable.replace(pattern, (found) => this.#replacement(kind, found, length));
    }
    return stable;
  }

  #recoveryCode(value: string): string {
    const letters = text(`recovery code ${this.#replaced.size}`, 16).toLowerCase();
    const made = letters.replace(/[01ilo]/g, "x").replace(/.{4}(?!$)/g, "$&-");
    const replacement = this.#replaced.get(value) ?? made;
    this.#replaced.set(value, replacement);
    return replacement;
  }

  #replacement(kind: string, found: string, length: number): string {
    const prefix = this.#prefixes.get(found.slice(0, PREFIX_LENGTH)) ?? "";
    const made = prefix + text(`${kind} ${this.#replaced.size}`, length - prefix.length);
    const replacement = this.#replaced.get(found) ?? made;
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
