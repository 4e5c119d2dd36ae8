// The negative list: every way in which a request can break the document, or a rule beside it, and what must come of it.

import type { RawRequest } from "../helpers/requests.js";
import { bodyFields, type Described, FORM_TYPE, resolved, type Schema, violationOf } from "./document.js";
import { type Drawn, jsonOf, rawRequest, type Values } from "./requests.js";

type Path = (string | number)[];

/** One wrong thing in a request that is right but for it. */
export interface Wrong {
  what: string;
  status: 400 | 401 | 413 | 415;
  /** The field to blame; null where there is none. */
  field: string | null;
  /** The request with this wrong in it; null where the drawn one has no place for it. */
  in(drawn: Drawn): RawRequest | null;
  withoutToken?: boolean;
}

interface WrongValue {
  what: string;
  path: Path;
  /** Undefined: left out. */
  value: unknown;
}

const TEN_TIMES_AT_MOST = 10_000;
const KINDS: unknown[] = ["wrong", 7, true, [], {}, null];
/** No calendar has these, or no rule reads them; some of them no pattern can refuse. */
const NO_DATES = [
  "0000-01-01",
  "2027-00-10",
  "2027-02-30",
  "2027-13-01",
  "2027-1-1",
  "10000-01-01",
  "9999-12-31T23:59:59-23:59",
  "0001-01-01T00:00:00+00:01",
  "2027-01-01T24:00:00Z",
  "2027-01-01T10:00:00",
  "2027-01-01 10:00:00Z",
  "",
];

const forms = (given: Schema): Schema[] => {
  const schema = resolved(given);
  return (schema.anyOf ?? schema.oneOf)?.flatMap(forms) ?? [schema];
};

const takesDates = (schema: Schema) =>
  violationOf(schema, "2027-01-31") === null && violationOf(schema, "abcdefghijklmno") !== null;

function wrongTexts(schema: Schema): unknown[] {
  const { minLength = 0, maxLength, pattern } = schema;
  const text = "abcdefgh-1";
  const long = maxLength !== undefined && maxLength <= TEN_TIMES_AT_MOST * 6;
  return [
    ...(minLength > 0 ? ["a".repeat(minLength - 1), "😀".repeat(minLength - 1)] : []),
    ...(long ? ["a".repeat(maxLength + 1), "😀".repeat(maxLength + 1)] : []),
    ...(long && maxLength <= TEN_TIMES_AT_MOST ? ["a".repeat(maxLength * 10)] : []),
    ...(pattern !== undefined ? [" \t\u2003\ufeff", "¿?", "a\u0000b", "../../../../etc", "%00%00%00%00%00"] : []),
    `${text}\u0000`,
    `${text}\ud800`,
    `\udfff${text}`,
    `\ude00\ud83d${text}`,
    ...(schema.enum ?? []).flatMap((value) => [`${value} `, String(value).toUpperCase(), `${value}\u0000`]),
    ...(takesDates(schema) ? NO_DATES : []),
  ];
}

function wrongNumbers({ minimum, maximum }: Schema): unknown[] {
  const beside = [minimum === undefined ? [] : minimum - 1, maximum === undefined ? [] : maximum + 1].flat();
  return [...beside, 0.5, 1e308, -1e308, 2 ** 53, -(2 ** 53), 5e-324, "3", "", "1e3", "0x1", "٣"];
}

function wrongItems(schema: Schema, path: Path): WrongValue[] {
  const { items = {}, minItems = 0, maxItems } = schema;
  const item = forms(items).some(({ type }) => type === "string") ? "abcdefghijkl" : {};
  return [
    ...(minItems > 0 ? [{ what: "too few items", path, value: [] }] : []),
    ...(maxItems !== undefined ? [{ what: "an item too many", path, value: Array(maxItems + 1).fill(item) }] : []),
    ...(maxItems !== undefined && maxItems <= TEN_TIMES_AT_MOST / 10
      ? [{ what: "ten times the items", path, value: Array(maxItems * 10).fill(item) }]
      : []),
    { what: "an object for an array", path, value: { 0: item, length: 1 } },
    ...wrongValues(items, [...path, 0]),
  ];
}

function wrongFields({ properties = {}, required = [], additionalProperties }: Schema, path: Path): WrongValue[] {
  return [
    ...required.map((name) => ({ what: `without ${name}`, path: [...path, name], value: undefined })),
    ...(additionalProperties === false
      ? ["unknownField", "toString", "hasOwnProperty", "", "ключ"].map((name) => ({
          what: `the unknown field "${name}"`,
          path: [...path, name],
          value: 1,
        }))
      : []),
    ...Object.entries(properties).flatMap(([name, inner]) => wrongValues(inner, [...path, name])),
  ];
}

const shown = (value: unknown) => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 40 ? `${text.slice(0, 30)}… (${text.length})` : text;
};

function wrongValues(schema: Schema, path: Path): WrongValue[] {
  const own = forms(schema).flatMap((form) => [
    ...(form.type === "string" || form.enum !== undefined ? wrongTexts(form) : []),
    ...(form.type === "integer" || form.type === "number" ? wrongNumbers(form) : []),
    ...(form.type === "boolean" ? ["true", "false", "", 0, 1] : []),
  ]);
  const inside = forms(schema).flatMap((form) => [
    ...(form.type === "array" ? wrongItems(form, path) : []),
    ...(form.type === "object" ? wrongFields(form, path) : []),
  ]);
  const refused = [...KINDS, ...own].filter(
    (value) => violationOf(schema, value) !== null || (takesDates(schema) && NO_DATES.includes(String(value))),
  );
  return [...refused.map((value) => ({ what: shown(value), path, value })), ...inside];
}

/** A copy with one value put in, or taken out; null where there is no such place. */
function changed(input: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof input !== "object" || input === null) return null;
  if (Array.isArray(input)) {
    if (typeof key !== "number" || key >= input.length) return null;
    return input.map((item, index) => (index === key ? changed(item, rest, value) : item));
  }
  if (rest.length > 0 && !Object.hasOwn(input, key)) return null;
  const copy: Values = { ...input };
  if (rest.length === 0 && value === undefined) delete copy[key];
  else copy[key] = rest.length === 0 ? value : changed(copy[key], rest, value);
  return rest.length > 0 && copy[key] === null ? null : copy;
}

function inBody(operation: Described): Wrong[] {
  if (operation.body === null) return [];
  return wrongFields(bodyFields(operation), []).map(({ what, path, value }) => ({
    what: `${path.join(".")}: ${what}`,
    status: 400,
    field: String(path[0]),
    in: (drawn) => {
      const body = changed(drawn.body ?? {}, path, value);
      // The right value in the query would replace the wrong one.
      const { [String(path[0])]: _, ...query } = drawn.query;
      return body === null ? null : rawRequest(operation, { ...drawn, query, body });
    },
  }));
}

/** What a query's text reads as, as the contract has it. */
function read(schema: Schema, text: string): unknown {
  const types = forms(schema).map(({ type }) => type);
  if (types.includes("integer") && /^-?(?:0|[1-9]\d*)$/.test(text)) return Number(text);
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}

const isUrlText = (value: unknown) =>
  ["string", "number", "boolean"].includes(typeof value) && String(value).isWellFormed();

function inQuery(operation: Described): Wrong[] {
  return operation.parameters
    .filter((parameter) => parameter.in === "query")
    .flatMap(({ name, schema, required }) => {
      const values = wrongValues(schema, [name])
        .map(({ value }) => value)
        .filter(isUrlText)
        .filter(
          (value) => violationOf(schema, read(schema, String(value))) !== null || NO_DATES.includes(String(value)),
        );
      const put = (what: string, value: unknown): Wrong => ({
        what: `?${name}: ${what}`,
        status: 400,
        field: name,
        in: (drawn) => {
          const { [name]: _, ...others } = drawn.query;
          return rawRequest(operation, {
            ...drawn,
            query: value === undefined ? others : { ...others, [name]: value },
          });
        },
      });
      /** The value that was drawn, which is right when it comes once. */
      const repeated = (what: string, times: number): Wrong => ({
        what: `?${name}: ${what}`,
        status: 400,
        field: name,
        in: (drawn) => {
          const value = drawn.query[name];
          if (value === undefined) return null;
          return rawRequest(operation, { ...drawn, query: { ...drawn.query, [name]: Array(times).fill(value) } });
        },
      });
      return [
        ...values.map((value) => put(shown(value), value)),
        put("nothing", ""),
        repeated("given twice", 2),
        repeated("given three times", 3),
        ...(required ? [put("left out", undefined)] : []),
      ];
    });
}

const LONG_PATH = 8192;

function inPath(operation: Described): Wrong[] {
  return operation.parameters
    .filter((parameter) => parameter.in === "path")
    .flatMap(({ name, schema }) =>
      [
        ...wrongValues(schema, [name]).map(({ value }) => value),
        "/////",
        "a/../b",
        "%2F%2F",
        "é".repeat(LONG_PATH / 6),
        "a".repeat(LONG_PATH),
      ]
        .filter((value) => isUrlText(value) && String(value) !== "" && violationOf(schema, String(value)) !== null)
        .map(
          (value): Wrong => ({
            what: `{${name}}: ${shown(value)}`,
            status: 400,
            field: name,
            in: (drawn) => rawRequest(operation, { ...drawn, params: { ...drawn.params, [name]: value } }),
          }),
        ),
    );
}

const BODY_LIMIT = 1024 * 1024;
const JSON_TYPE = { "content-type": "application/json" };

/** An operation that takes a form ignores what is in it: its input must stand in the query. */
const inForm = (operation: Described): Wrong[] =>
  (bodyFields(operation).required ?? []).map((field) => ({
    what: `${field} in a form`,
    status: 400,
    field,
    in: (drawn) => ({
      ...rawRequest(operation, { ...drawn, query: {} }),
      headers: { "content-type": FORM_TYPE },
      body: `${field}=${encodeURIComponent(String(Reflect.get(Object(drawn.body), field)))}`,
    }),
  }));

/** Wrong as a whole: what stands in place of the body. */
function wholeBodies(operation: Described): Wrong[] {
  if (operation.method === "GET") return [];
  const put = (
    what: string,
    status: Wrong["status"],
    body: (text: string) => string | Buffer,
    headers = JSON_TYPE,
  ): Wrong => ({
    what,
    status,
    field: null,
    in: (drawn) => ({
      ...rawRequest(operation, drawn),
      headers,
      body: body(jsonOf(drawn.body ?? {})),
    }),
  });
  const keyed = (key: string) => (text: string) =>
    `{${key}:{"isAdmin":true}${text === "{}" ? "" : ","}${text.slice(1)}`;
  const names = operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  return [
    put("an array as the body", 400, (text) => `[${text}]`),
    put("text as the body", 400, (text) => JSON.stringify(text)),
    put("null as the body", 400, () => "null"),
    put("a number as the body", 400, () => "-0"),
    put("half of the body", 400, (text) => text.slice(0, -1)),
    put("more than a body", 400, (text) => `${text}{}`),
    put("__proto__", 400, keyed('"__proto__"')),
    put("__proto__ with an escape", 400, keyed('"__pr\\u006fto__"')),
    put("constructor", 400, (text) => `{"constructor":{"prototype":{}}${text === "{}" ? "" : ","}${text.slice(1)}`),
    put("bytes that are no UTF-8", 400, () => Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])),
    put("another content type", 415, (text) => text, { "content-type": "text/plain" }),
    ...(operation.takesForm ? inForm(operation) : [put("a form", 415, () => "title=a", { "content-type": FORM_TYPE })]),
    ...(operation.name.startsWith("import.") ? [] : [put("a body too large", 413, () => " ".repeat(BODY_LIMIT + 1))]),
    ...names.map((name) => ({ ...put(`${name} in the body`, 400, keyed(JSON.stringify(name))), field: name })),
  ];
}

function inHeaders(operation: Described): Wrong[] {
  const header = (name: string, what: string, value: string): Wrong => ({
    what,
    status: 400,
    field: name,
    in: (drawn) => rawRequest(operation, { ...drawn, headers: { [name]: value } }),
  });
  const keyed = (name: string, wrongs: Record<string, string>): Wrong[] =>
    operation.parameters.some((parameter) => parameter.name === name)
      ? Object.entries(wrongs).map(([what, value]) => header(name, what, value))
      : [];
  const without = (what: string, headers: Values, body?: string): Wrong => ({
    what,
    status: 401,
    field: null,
    withoutToken: true,
    in: (drawn) => {
      const request = rawRequest(operation, { ...drawn, headers });
      return body === undefined || operation.method === "GET" ? request : { ...request, body };
    },
  });
  return [
    ...keyed("Idempotency-Key", {
      "a key with a space": "a b",
      "a key too long": "k".repeat(256),
      "a key in é": "é",
    }),
    ...keyed("Request-Key", {
      "a request key too short": "seven-7",
      "a request key too long": "k".repeat(33),
      "a request key with a dot": "request.key",
      "an empty request key": "",
    }),
    ...(operation.isPublic
      ? []
      : [
          without("no token", {}),
          without("no token and a broken body", {}, "{"),
          without("no token and a body too large", {}, " ".repeat(BODY_LIMIT + 1)),
          without("an unknown token", { authorization: `Bearer wb_${"A".repeat(43)}` }),
          without("another scheme", { authorization: "Basic d2I6d2I=" }),
        ]),
  ];
}

const brokenQuery = (operation: Described): Wrong[] => [
  {
    what: "broken percent encoding",
    status: 400,
    field: null,
    in: (drawn) => {
      const request = rawRequest(operation, drawn);
      return { ...request, url: `${request.url}${request.url.includes("?") ? "&" : "?"}x=%E0%A4%A` };
    },
  },
];

export const wrongsOf = (operation: Described): Wrong[] => [
  ...inBody(operation),
  ...inQuery(operation),
  ...inPath(operation),
  ...inHeaders(operation),
  ...wholeBodies(operation),
  ...brokenQuery(operation),
];
