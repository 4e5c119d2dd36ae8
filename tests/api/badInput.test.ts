// Wrong input is BAD_REQUEST that names the field, and changes nothing: for every field of every operation of the router.

import { describe, expect, test } from "vitest";
import { BODY_LIMIT } from "../../src/api/largeBodies.js";
import { type Operation, REST_BASE } from "../../src/api/rest.js";
import { type Answer, type Client, contentsOf, expectError, testApp } from "../helpers/app.js";
import { expectIssues, type RawRequest } from "../helpers/requests.js";
import { formsOf, makeWorld, type Schema, sampleOf, schemaOf, operations as served } from "../helpers/samples.js";

// A stream that opens never answers: what one refuses is in tests/api/streams.test.ts.
const operations = served.filter(({ type }) => type !== "subscription");

const { as, anonymous, make, db } = await testApp();
const world = await makeWorld(make);

type Path = (string | number)[];

interface Wrong {
  what: string;
  at: Path;
  /** Undefined: left out. */
  value: unknown;
}

const KINDS: [string, unknown][] = [
  ["string", "wrong"],
  ["number", 7],
  ["boolean", true],
  ["array", []],
  ["object", {}],
  ["null", null],
];

const kindOf = (schema: Schema) => (schema.type === "integer" ? "number" : schema.type);

/** Every way in which a value can break its schema. */
function wrongs(schema: Schema, sample: unknown, at: Path): Wrong[] {
  const forms = formsOf(schema);
  if (forms.some(({ type, enum: values }) => type === undefined && values === undefined)) return [];
  const kinds = new Set(forms.map(kindOf));
  const types = KINDS.filter(([kind]) => !kinds.has(kind)).map(([kind, value]) => ({ what: `a ${kind}`, at, value }));
  return [...types, ...forms.flatMap((form) => wrongsOf(form, sample, at))];
}

function wrongsOf(form: Schema, sample: unknown, at: Path): Wrong[] {
  switch (form.type) {
    case "string":
      return wrongTexts(form, String(sample), at);
    case "integer":
    case "number":
      return wrongNumbers(form, at);
    case "boolean":
      return ["false", "", 0, 1].map((value) => ({ what: `${JSON.stringify(value)}`, at, value }));
    case "array":
      return wrongArrays(form, sample, at);
    case "object":
      return wrongFields(form, sample, at);
    default:
      return [];
  }
}

function wrongTexts({ enum: values, minLength = 0, maxLength }: Schema, sample: string, at: Path): Wrong[] {
  if (values !== undefined)
    return ["wrong", "", `${sample} `].map((value) => ({ what: `the text "${value}"`, at, value }));
  return [
    ...(minLength > 0 ? [{ what: "a text too short", at, value: "a".repeat(minLength - 1) }] : []),
    // The text of a CSV file alone is larger, and is tested with its import.
    ...(maxLength !== undefined && maxLength < BODY_LIMIT
      ? [{ what: "a text too long", at, value: sample.padEnd(maxLength + 1, "a") }]
      : []),
    { what: "NUL", at, value: `${sample}\0` },
    { what: "a lone surrogate", at, value: `${sample}\ud800` },
    { what: "a lone low surrogate", at, value: `\udc00${sample}` },
  ];
}

function wrongNumbers({ type, minimum, maximum }: Schema, at: Path): Wrong[] {
  return [
    { what: '""', at, value: "" },
    { what: '"3"', at, value: "3" },
    ...(type === "integer" ? [{ what: "1.5", at, value: 1.5 }] : []),
    ...(minimum !== undefined ? [{ what: "a number too small", at, value: minimum - 1 }] : []),
    ...(maximum !== undefined ? [{ what: "a number too large", at, value: maximum + 1 }] : []),
  ];
}

function wrongArrays({ items = {}, minItems = 0, maxItems }: Schema, sample: unknown, at: Path): Wrong[] {
  const [item]: unknown[] = Array.isArray(sample) ? sample : [];
  return [
    ...(minItems > 0 ? [{ what: "too few items", at, value: Array(minItems - 1).fill(item) }] : []),
    ...(maxItems !== undefined ? [{ what: "too many items", at, value: Array(maxItems + 1).fill(item) }] : []),
    ...wrongs(items, item, [...at, 0]).map((wrong) => ({ ...wrong, what: `${wrong.what} as an item` })),
  ];
}

function wrongFields(
  { properties = {}, required = [], additionalProperties }: Schema,
  sample: unknown,
  at: Path,
): Wrong[] {
  const given: Record<string, unknown> = Object.assign({}, sample);
  return [
    ...(additionalProperties === false ? [{ what: "an unknown field", at: [...at, "unknownField"], value: 1 }] : []),
    ...required.map((name) => ({ what: "nothing", at: [...at, name], value: undefined })),
    ...Object.entries(properties).flatMap(([name, schema]) => wrongs(schema, given[name], [...at, name])),
  ];
}

function changed(input: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  // An item where the sample gives the one value that may stand for a list.
  if (typeof key === "number" && !Array.isArray(input)) return [changed(undefined, rest, value)];
  if (Array.isArray(input)) return input.map((item, index) => (index === key ? changed(item, rest, value) : item));
  const copy: Record<string, unknown> = Object.assign({}, input);
  if (rest.length === 0 && value === undefined) delete copy[key];
  else copy[key] = changed(copy[key], rest, value);
  return copy;
}

const pathNames = ({ restPath }: Operation) => [...restPath.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
const JSON_TYPE = { "content-type": "application/json" };

/** An input as a REST request; null where a URL cannot carry it. */
function restRequest(operation: Operation, input: Record<string, unknown>): RawRequest | null {
  const rest = { ...input };
  let url = REST_BASE + operation.restPath;
  for (const name of pathNames(operation)) {
    const value = rest[name];
    if (typeof value !== "string" || value === "" || !value.isWellFormed()) return null;
    url = url.replace(`{${name}}`, encodeURIComponent(value));
    delete rest[name];
  }
  if (operation.method !== "GET")
    return { method: operation.method, url, body: JSON.stringify(rest), headers: JSON_TYPE };
  const query = Object.entries(rest).map(([name, value]) => {
    const text = String(value);
    const isPlain = ["string", "number", "boolean"].includes(typeof value) && text.isWellFormed();
    return isPlain ? `${name}=${encodeURIComponent(text)}` : null;
  });
  return query.includes(null) ? null : { method: "GET", url: `${url}?${query.join("&")}` };
}

function trpcRequest({ path, type }: Operation, input: unknown): RawRequest {
  const text = JSON.stringify(input);
  if (type === "mutation") return { method: "POST", url: `/trpc/${path}`, body: text, headers: JSON_TYPE };
  return { method: "GET", url: `/trpc/${path}?input=${encodeURIComponent(text)}` };
}

const inputSchema = (operation: Operation): Schema => ({
  ...schemaOf(operation),
  additionalProperties: operation.method === "GET" ? undefined : false,
});

/** In a query, text that reads as a number or a boolean is one. */
const reads = (schema: Schema | undefined, value: unknown) => {
  const kinds = formsOf(schema ?? {}).map(kindOf);
  if (kinds.includes("string")) return typeof value === "number" || typeof value === "boolean";
  return (kinds.includes("boolean") && value === "false") || (kinds.includes("number") && value === "3");
};

interface Attempt {
  what: string;
  at: Path | undefined;
  request: RawRequest;
}

function fieldAttempts(operation: Operation, send: "rest" | "trpc"): Attempt[] {
  const sample = sampleOf(operation, world.ids);
  const { properties = {} } = schemaOf(operation);
  return wrongFields(inputSchema(operation), sample, []).flatMap(({ what, at, value }) => {
    const input: Record<string, unknown> = Object.assign({}, changed(sample, at, value));
    const attempt = { what: `${at.join(".")}: ${what}`, at };
    if (send === "trpc") return { ...attempt, request: trpcRequest(operation, input) };
    const inUrl = operation.method === "GET" || pathNames(operation).includes(String(at[0]));
    if (inUrl && reads(properties[String(at[0])], value)) return [];
    const request = restRequest(operation, input);
    return request === null ? [] : { ...attempt, request };
  });
}

function bodyAttempts(operation: Operation): Attempt[] {
  const sample = sampleOf(operation, world.ids);
  const good = restRequest(operation, sample);
  if (operation.method === "GET" || good === null) return [];
  const inside = String(good.body).slice(1);
  const key = (name: string) => `{"${name}":{"prototype":{"isAdmin":true}}${inside === "}" ? "" : ","}${inside}`;
  const bodies: [string, string, Path?][] = [
    ["an array as the body", `[${good.body}]`],
    ["text as the body", '"text"'],
    ["null as the body", "null"],
    ["a number as the body", "7"],
    ["broken JSON", `${good.body}}`],
    ["half of JSON", '{"'],
    ["the key __proto__", key("__proto__")],
    ["the key constructor", key("constructor")],
    ["the key prototype", key("prototype"), ["prototype"]],
    ...pathNames(operation).map((name): [string, string, Path] => [
      `${name} in the body as well`,
      JSON.stringify({ ...JSON.parse(String(good.body)), [name]: sample[name] }),
      [name],
    ]),
  ];
  return bodies.map(([what, body, at]) => ({ what, at, request: { ...good, body } }));
}

function queryAttempts(operation: Operation): Attempt[] {
  const good = restRequest(operation, sampleOf(operation, world.ids));
  if (operation.method !== "GET" || good === null) return [];
  const { properties = {} } = schemaOf(operation);
  const inPath = pathNames(operation);
  return Object.entries(properties)
    .filter(([name]) => !inPath.includes(name))
    .flatMap(([name, schema]) => {
      const kinds = formsOf(schema).map(kindOf);
      const texts = [
        "",
        ...(kinds.includes("number") ? ["1.5", "abc", "1e1", "%203", "+3", "0x1", "03"] : []),
        ...(kinds.includes("boolean") ? ["1", "TRUE", "yes"] : []),
      ];
      const [url = "", query = ""] = good.url.split("?");
      const others = query.split("&").filter((pair) => !pair.startsWith(`${name}=`));
      const own = query.split("&").find((pair) => pair.startsWith(`${name}=`)) ?? "";
      const asked = (...pairs: string[]) => ({ ...good, url: `${url}?${[...others, ...pairs].join("&")}` });
      return [
        ...texts.map((text) => ({ what: `${name}=${text}`, at: [name], request: asked(`${name}=${text}`) })),
        { what: `${name} given twice`, at: [name], request: asked(own, own) },
      ];
    });
}

/** What is wrong with an answer that should be BAD_REQUEST because of one field; null where nothing is. */
function faultOf(check: () => void, res: Answer<unknown>): string | null {
  try {
    check();
    return null;
  } catch {
    return `${res.status} ${res.text.slice(0, 300)}`;
  }
}

/** The first issues are of the field to blame, and no other field is blamed. */
function expectBlame(issues: unknown, at: Path | undefined): void {
  expectIssues(issues, at);
  const blamed = Array.isArray(issues) ? issues.map(({ path }) => path[0]) : [];
  if (at !== undefined) expect(new Set(blamed)).toEqual(new Set([at[0]]));
}

// Admin operations are not there for anybody else.
await make.instanceAdmin(world.owner);

const clientFor = (operation: Operation): Client => (operation.isPublic ? anonymous : as(world.owner));

async function faults(
  operation: Operation,
  attempts: Attempt[],
  face: "rest" | "trpc",
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { what, at, request } of attempts) {
    const res = await clientFor(operation).send<{
      issues: unknown;
      error: { message: string; data: { issues: unknown } };
    }>(request);
    const fault = faultOf(() => {
      if (face === "rest") {
        expectError(res, "BAD_REQUEST");
        expectBlame(res.body.issues, at);
      } else {
        expect(res.status).toBe(400);
        expect(res.body.error).toMatchObject({ message: "Invalid input data", data: { code: "BAD_REQUEST" } });
        expectBlame(res.body.error.data.issues, at);
      }
    }, res);
    if (fault !== null) found[what] = fault;
  }
  return found;
}

describe("over REST wrong input is BAD_REQUEST that names the field, and changes nothing", () => {
  test.each(operations)("$method $restPath", async (operation) => {
    const before = await contentsOf(db);
    const attempts = [...fieldAttempts(operation, "rest"), ...bodyAttempts(operation), ...queryAttempts(operation)];
    expect(await faults(operation, attempts, "rest")).toEqual({});
    expect(await contentsOf(db)).toEqual(before);
  });
});

describe("over tRPC wrong input is BAD_REQUEST that names the field, and changes nothing", { tags: ["slow"] }, () => {
  test.each(operations)("$path", async (operation) => {
    const before = await contentsOf(db);
    const wholes = ["text", 7, true, [], null].map((input) => ({
      what: `${JSON.stringify(input)} as the input`,
      at: undefined,
      request: trpcRequest(operation, input),
    }));
    const attempts = [...fieldAttempts(operation, "trpc"), ...wholes];
    expect(await faults(operation, attempts, "trpc")).toEqual({});
    expect(await contentsOf(db)).toEqual(before);
  });
});

/** Fields whose values the service hands out: no sample of them can be right. */
const OPAQUE = ["cursor", "before", "inviteCode"];
const isOfOpaque = ({ body }: Answer<unknown>) => {
  const issues: { path: Path }[] = Object(body).issues ?? [];
  return issues.length > 0 && issues.every(({ path }) => OPAQUE.includes(String(path[0])));
};

test("the samples that the wrong input is made from are not wrong themselves: a stranger is refused for want of access", async () => {
  const stranger = await make.user();
  const refused: Record<string, string> = {};
  for (const operation of operations.filter(({ path }) => !path.startsWith("user."))) {
    const request = restRequest(operation, sampleOf(operation, world.ids));
    const res = request === null ? null : await as(stranger).send(request);
    if (res === null) refused[operation.path] = "no request";
    else if (![200, 403, 404].includes(res.status) && !isOfOpaque(res)) refused[operation.path] = res.text;
  }
  expect(refused).toEqual({});
});

test("the generator finds something wrong to send to every operation that takes a field", () => {
  for (const operation of operations) {
    const fields = Object.keys(schemaOf(operation).properties ?? {});
    const blamed = new Set(fieldAttempts(operation, "trpc").map(({ at }) => at?.[0]));
    for (const field of fields) expect([...blamed], operation.path).toContain(field);
  }
});
