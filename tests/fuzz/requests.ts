// Valid requests, made from the document alone: what is drawn names things by their kind, and becomes bytes once a world is
// there that has them.

import fc from "fast-check";
import type { RawRequest } from "../helpers/requests.js";
import { BASE, bodyFields, type Described, type Ids, resolved, type Schema } from "./document.js";
import { textOf } from "./texts.js";
import { anyOfSchema, type Override } from "./values.js";

/** An identifier of something that exists: the `turn`-th of those that a field takes. */
export class Named {
  constructor(
    readonly field: string,
    readonly turn: number,
  ) {}

  toString(): string {
    return `<${this.field} ${this.turn}>`;
  }
}

export type Values = Record<string, unknown>;

/** A request before it is sent. A body that is undefined is not there. */
export interface Drawn {
  /** Which board of the world it is about. */
  place: number;
  params: Values;
  query: Values;
  headers: Values;
  body: unknown;
}

const IDENTIFIER = /PublicIds?$/;

/** One in so many identifiers is any text that its schema allows. */
const UNKNOWN_SHARE = 16;

const identifiers: Override = (path, schema) => {
  const field = path.at(-1) ?? "";
  if (path.length !== 1 || schema.type !== "string" || !IDENTIFIER.test(field)) return undefined;
  const known = fc.nat(3).map((turn) => new Named(field, turn));
  return fc.oneof({ arbitrary: known, weight: UNKNOWN_SHARE - 1 }, textOf(schema, true));
};

/** Whether a request names something by a text that nothing goes by. */
export function namesNothing({ params, query, body }: Drawn): boolean {
  const fields = Object.entries({ ...params, ...query, ...Object(body) });
  return fields.some(([name, value]) => IDENTIFIER.test(name) && [value].flat().some((id) => typeof id === "string"));
}

interface Drawing {
  /** How values are made that schemas cannot say. */
  special?: Override;
  /** Optional fields that few requests leave out. */
  usual?: readonly string[];
  /** With every field, so that each can be made wrong. */
  isWhole?: boolean;
}

/** One in so many requests may leave out what is usual. */
const UNUSUAL_SHARE = 8;

function fieldsOf(schemas: [string, Schema, boolean][], drawing: Drawing): fc.Arbitrary<Values> {
  const { special, usual = [], isWhole = false } = drawing;
  const override: Override = (path, schema) => special?.(path, schema) ?? identifiers(path, schema);
  const fields = Object.fromEntries(
    schemas.map(([name, schema]) => [name, anyOfSchema(schema, { path: [name], override, isShort: false, isWhole })]),
  );
  const namesOf = (isThere: (schema: [string, Schema, boolean]) => boolean) =>
    schemas.filter(isThere).map(([name]) => name);
  const recordWith = (requiredKeys: string[]) => fc.record(fields, { requiredKeys, noNullPrototype: true });
  const required = namesOf(([, , isRequired]) => isRequired || isWhole);
  const mostly = namesOf(([name, , isRequired]) => isRequired || isWhole || usual.includes(name));
  if (mostly.length === required.length) return recordWith(required);
  return fc.oneof({ arbitrary: recordWith(mostly), weight: UNUSUAL_SHARE - 1 }, recordWith(required));
}

const parametersOf = ({ parameters }: Described, where: string) =>
  parameters
    .filter((parameter) => parameter.in === where)
    .map(({ name, schema, required }): [string, Schema, boolean] => [name, schema, required]);

/** What a header can hold of what its schema allows: visible characters. */
const headerText = (schema: Schema) =>
  schema.pattern === undefined
    ? fc.stringMatching(/^[!-~]{1,40}$/)
    : textOf(schema, true).filter((text) => /^[!-~]+$/.test(text));

function bodyOf(operation: Described, drawing: Drawing): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = bodyFields(operation);
  if (operation.method === "GET") return fc.constant(undefined);
  const fields = Object.entries(properties).map(([name, schema]): [string, Schema, boolean] => [
    name,
    resolved(schema),
    required.includes(name),
  ]);
  const body = fieldsOf(fields, drawing);
  // What needs no field is also asked for without a body.
  return required.length > 0 || drawing.isWhole
    ? body
    : fc.oneof({ arbitrary: body, weight: 6 }, fc.constant(undefined));
}

/** What must exist for requests: what the operation's fields take, what they name, and something unread. */
export function namesFor(operation: Described, requests: readonly Drawn[]): string[] {
  const values = requests.flatMap(({ params, query, body }) =>
    [params, query, Object(body)].flatMap((part: Values) => Object.values(part).flat()),
  );
  const names = values.flatMap((value) => (value instanceof Named ? [value.field] : []));
  const fields = operation.parameters.map(({ name }) => name);
  const inBody = Object.keys(bodyFields(operation).properties ?? {});
  return [...new Set(["notificationPublicId", ...fields, ...inBody, ...names])];
}

/** Whether a URL keeps these as parts of its path: `.` and `..` are resolved before it is sent. */
const isInPath = (params: Values) => Object.values(params).every((value) => value !== "." && value !== "..");

export function validRequest(operation: Described, drawing: Drawing): fc.Arbitrary<Drawn> {
  const headers = Object.fromEntries(
    parametersOf(operation, "header").map(([name, schema]) => [name, headerText(schema)]),
  );
  const some = fc.oneof({ arbitrary: fc.constant({}), weight: 7 }, fc.record(headers, { requiredKeys: [] }));
  return fc.record(
    {
      place: fc.nat(1),
      params: fieldsOf(parametersOf(operation, "path"), drawing).filter(isInPath),
      query: fieldsOf(parametersOf(operation, "query"), drawing),
      headers: drawing.isWhole ? fc.constant({}) : some,
      body: bodyOf(operation, drawing),
    },
    { noNullPrototype: true },
  );
}

/** A value with every name in it replaced by the identifier it stands for; what there is nothing to name by is left out. */
export function named(value: unknown, ids: Ids): unknown {
  if (value instanceof Named) {
    const known = ids[value.field] ?? [];
    return known[value.turn % known.length];
  }
  if (Array.isArray(value)) return value.map((item) => named(item, ids));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([key, inner]) => [key, named(inner, ids)]);
  return Object.fromEntries(fields.filter(([, inner]) => inner !== undefined));
}

export function withIdentifiers(drawn: Drawn, ids: Ids): Drawn {
  const values = (part: Values): Values => Object.assign({}, named(part, ids));
  const { params, query, headers, body, place } = drawn;
  return { place, params: values(params), query: values(query), headers: values(headers), body: named(body, ids) };
}

const MINUS_ZERO = '"-0 as a number"';

/** JSON in ASCII, so that a shell carries it; minus zero keeps its sign. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (Object.is(inner, -0) ? JSON.parse(MINUS_ZERO) : inner))
    .replaceAll(MINUS_ZERO, "-0")
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

export function rawRequest(operation: Described, { params, query, headers, body }: Drawn): RawRequest {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${name}=${encodeURIComponent(String(one))}`),
  );
  const text = body === undefined ? undefined : jsonOf(body);
  return {
    method: operation.method,
    url: `${BASE}${path}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`,
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
      ...(text !== undefined && { "content-type": "application/json" }),
    },
    ...(text !== undefined && { body: text }),
  };
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A command that sends the same to a service. */
export function curlOf({ method, url, headers = {}, body }: RawRequest, token: string | null): string {
  const sent = token === null ? headers : { ...headers, authorization: `Bearer ${token}` };
  const parts = ["curl", "-sS", "-X", method, quoted(`http://localhost:3000${url}`)];
  for (const [name, value] of Object.entries(sent)) parts.push("-H", quoted(`${name}: ${value}`));
  if (body !== undefined) parts.push("--data-raw", quoted(String(body)));
  return parts.join(" ");
}
