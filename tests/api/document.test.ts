// The document, the router and the routes say the same.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Example } from "../../src/api/openapi.js";
import { type DescribedRouter, operationsOf, REST_BASE } from "../../src/api/rest.js";
import { documentText } from "../../src/document.js";
import { EVENT_TYPES } from "../../src/events/eventShapes.js";
import { appRouter } from "../../src/router.js";
import { testApp } from "../helpers/app.js";
import { routesOf } from "../helpers/routes.js";

const { app, anonymous } = await testApp();

interface Parameter {
  name: string;
  in: string;
  description?: string;
  example?: unknown;
  $ref?: string;
}

interface Described {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Answer>;
}

interface Answer {
  description?: string;
  headers?: Record<string, object>;
  content?: Record<
    string,
    { schema?: Schema; example?: { issues?: { path: (string | number)[]; message: string }[] } }
  >;
  $ref?: string;
}

interface Schema {
  description?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

interface Linked {
  externalDocs?: { url: string };
}

interface Document extends Linked {
  info: { description: string };
  paths: Record<string, Record<string, Described>>;
  tags: (Linked & { name: string })[];
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Answer>;
    parameters: Record<string, Parameter>;
  };
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const file = read("openapi.json");
const { version }: { version: string } = JSON.parse(read("package.json"));
const examples: Record<string, Example> = JSON.parse(read("src/api/examples.json"));
const text = documentText(version, examples);
const document: Document = JSON.parse(text);
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

function resolved<T extends { $ref?: string }>(part: T): T {
  if (part.$ref === undefined) return part;
  let found: unknown = document;
  for (const key of part.$ref.slice(2).split("/")) found = Reflect.get(Object(found), key);
  return found as T;
}

const parametersOf = ({ parameters = [] }: Described) => parameters.map(resolved);

function fieldsOf(operation: Described): string[] {
  const { schema = {} } = operation.requestBody?.content["application/json"] ?? {};
  const inParameters = parametersOf(operation).filter((parameter) => parameter.in !== "header");
  return [...inParameters.map(({ name }) => name), ...Object.keys(resolved(schema).properties ?? {})];
}

const asRoute = (method: string, path: string) => `${method} ${REST_BASE}${path.replace(/\{(\w+)\}/g, ":$1")}`;

test("every operation of the document is a route, and every route of the API is in the document", () => {
  // The document names no HEAD: every GET has one.
  const served = routesOf(app).filter((route) => route.includes(` ${REST_BASE}`) && !route.startsWith("HEAD "));
  expect(served.length).toBeGreaterThan(0);
  expect(served.sort()).toEqual(described.map(({ method, path }) => asRoute(method, path)).sort());
});

test("every operation of the router is in the document, under an identifier of its own", () => {
  const operations = operationsOf(appRouter);
  expect(described.map(({ operation }) => operation.operationId).sort()).toEqual(
    operations.map(({ path }) => path.replaceAll(".", "_")).sort(),
  );
  expect(new Set(operations.map(({ method, restPath }) => `${method} ${restPath}`)).size).toBe(operations.length);
});

test("every procedure of the router is served over REST", () => {
  const { procedures }: DescribedRouter["_def"] = appRouter._def;
  expect(
    operationsOf(appRouter)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(Object.keys(procedures).sort());
});

test("answers that say where they stand in the log have the header Event-Id, and 304 of them too", () => {
  const answersOf = ({ responses }: Described) => ["200", "304"].flatMap((status) => responses[status] ?? []);
  const schemaOf = ({ content }: Answer) => resolved(content?.["application/json"]?.schema ?? {});
  const placed = described.filter(
    ({ method, operation }) =>
      method === "GET" && "eventId" in (schemaOf(answersOf(operation)[0] ?? {}).properties ?? {}),
  );
  expect(placed.map(({ path }) => path).sort()).toEqual([
    "/boards/{boardPublicId}",
    "/cards/{cardPublicId}",
    "/cards/{cardPublicId}/comments",
  ]);
  for (const { operation } of placed)
    for (const { headers } of answersOf(operation)) expect(Object.keys(headers ?? {})).toContain("Event-Id");
});

test("the committed document is current (else: npm run openapi)", () => {
  expect(file === text, "openapi.json differs from what the router describes").toBe(true);
});

test("the service answers /openapi.json with the committed document without white space, its addresses absolute", async () => {
  const res = await anonymous.send({ method: "GET", url: "/openapi.json", headers: { host: "board.test:3000" } });
  expect(res.headers["content-type"]).toMatch(/^application\/json\b/);
  const absolute = (name: string, value: unknown) =>
    name === "url" && typeof value === "string" ? value.replace(/^\//, "http://board.test:3000/") : value;
  expect(res.text === JSON.stringify(JSON.parse(file), absolute)).toBe(true);
  expect(JSON.parse(res.text).servers).toEqual([{ url: "http://board.test:3000/api/v1" }]);
  expect(JSON.parse(res.text).externalDocs.url).toBe("http://board.test:3000/guides/getting-started");
});

test("addresses in /openapi.json have the scheme of PUBLIC_URL where they have its host, else that of the connection or proxy", async () => {
  const own = await testApp({ PUBLIC_URL: "https://board.example.org", TRUST_PROXY: "127.0.0.1" });
  const originFor = async (headers: Record<string, string>) => {
    const { body } = await own.anonymous.send({ method: "GET", url: "/openapi.json", headers });
    return new URL(Object(body).servers[0].url).origin;
  };
  expect(await originFor({ host: "board.example.org" })).toBe("https://board.example.org");
  expect(await originFor({ host: "board.example.org:443" })).toBe("https://board.example.org");
  expect(await originFor({ host: "board.example.org:8080" })).toBe("http://board.example.org:8080");
  expect(await originFor({ host: "10.0.0.1:3000" })).toBe("http://10.0.0.1:3000");
  expect(await originFor({ host: "a:1", "x-forwarded-host": "b.example", "x-forwarded-proto": "https" })).toBe(
    "https://b.example",
  );
});

test("each origin has an entity tag of /openapi.json of its own", async () => {
  const get = (host: string, known = "") =>
    anonymous.send({ method: "GET", url: "/openapi.json", headers: { host, "if-none-match": known } });
  const { headers } = await get("a.test");
  expect((await get("a.test", headers.etag)).status).toBe(304);
  expect((await get("b.test", headers.etag)).status).toBe(200);
});

test("Swagger UI gets the document with relative addresses, so that it calls the service through the same proxy as the page", async () => {
  for (const url of ["/docs", "/docs/"]) {
    const page = await anonymous.send({ method: "GET", url });
    const [, address = ""] = /data-url="([^"]+)"/.exec(page.text) ?? [];
    const { pathname } = new URL(address, `http://localhost${url}`);
    const { text: shown } = await anonymous.send({ method: "GET", url: pathname });
    expect(shown === JSON.stringify(JSON.parse(file))).toBe(true);
  }
});

test("/llms.txt lists every operation below its group, and links to the groups, the document and the guides", async () => {
  const { text: index, headers } = await anonymous.send({ method: "GET", url: "/llms.txt" });
  expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
  const lines = index.split("\n").filter((line) => line.startsWith("- "));
  const expected = described.map(({ method, path, operation }) => `- ${method} ${path}: ${operation.summary}`);
  expect([...lines].sort()).toEqual([...expected].sort());
  const targets = [...index.matchAll(/\]\((\/[^)]+)\)/g)].map(([, target = ""]) => target);
  expect(targets).toEqual(expect.arrayContaining(["/openapi.json", "/docs", "/guides/getting-started.md"]));
  for (const url of targets) expect((await anonymous.send({ method: "GET", url })).status, url).toBe(200);
});

test("each group has a page of Markdown with the path, fields and examples of its operations", async () => {
  for (const { name } of document.tags) {
    const url = `/guides/api/${name.toLowerCase().replaceAll(" ", "-")}.md`;
    const { status, headers, text: page } = await anonymous.send({ method: "GET", url });
    expect({ status, type: headers["content-type"] }, url).toEqual({ status: 200, type: "text/plain; charset=utf-8" });
    expect(page.length, url).toBeLessThan(60_000);
    for (const { method, path, operation } of described.filter((one) => one.operation.tags?.includes(name))) {
      expect(page).toContain(`## ${operation.summary}\n\n\`${method} ${path}\``);
      for (const [, parameter] of path.matchAll(/\{(\w+)\}/g))
        expect(page).toContain(`| \`${parameter}\` | path, required |`);
      const { properties = {} } = resolved(operation.requestBody?.content["application/json"]?.schema ?? {});
      for (const field of Object.keys(properties))
        expect(page, url).toMatch(new RegExp(`\\| \`${field}\` \\| (?:body|query)`));
    }
  }
  const cards = await anonymous.send({ method: "GET", url: "/guides/api/cards.md" });
  expect(cards.text).toContain('"title": "Write the first program"');
});

test.each([
  ["/robots.txt", "text/plain; charset=utf-8", /^User-agent: \*\n/],
  ["/favicon.ico", "image/svg+xml", /^<svg /],
])("%s, which crawlers and browsers request by themselves, is there", async (url, type, content) => {
  const { status, headers, text: body } = await anonymous.send({ method: "GET", url });
  expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type });
  expect(body).toMatch(content);
});

test("/ leads to Swagger UI", async () => {
  const { status, headers } = await anonymous.send({ method: "GET", url: "/" });
  expect({ status, location: headers.location }).toEqual({ status: 302, location: "/docs" });
});

test("Swagger UI is at /docs, loads all it needs from this process, and works over plain HTTP", async () => {
  for (const url of ["/docs", "/docs/"]) {
    const page = await anonymous.send({ method: "GET", url });
    expect(page.status).toBe(200);
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
    expect(page.headers["content-security-policy"]).not.toContain("upgrade-insecure-requests");
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source ?? "");
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) {
      const asset = new URL(source, `http://localhost${url}`);
      expect(asset.host).toBe("localhost");
      const res = await anonymous.send({ method: "GET", url: asset.pathname });
      expect(res.status, source).toBe(200);
      expect(res.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    }
  }
});

/** What the page of Swagger UI loads, by the end of its address. */
async function loadedByDocs(end: string): Promise<string> {
  const page = await anonymous.send({ method: "GET", url: "/docs" });
  const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => `/${source}`);
  return sources.find((source) => source.endsWith(end)) ?? expect.fail(`${end} is not loaded`);
}

test("Swagger UI shows answers as plain text: to highlight a large board would freeze the page", async () => {
  const start = await anonymous.send({ method: "GET", url: await loadedByDocs("/start.js") });
  expect(start.headers["content-type"]).toContain("javascript");
  expect(start.text).toMatch(/^SwaggerUIBundle\(\{$[^}]*^ {2}syntaxHighlight: false,$/m);
});

test.each([
  ["/openapi.json", null],
  ["/llms.txt", null],
  ["/docs", null],
  ["Swagger UI's bundle", "/swagger-ui-bundle.js"],
  ["Swagger UI's style sheet", "/swagger-ui.css"],
])("%s has an ETag and is sent as gzip", async (name, end) => {
  const url = end === null ? name : await loadedByDocs(end);
  const plain = await anonymous.send({ method: "GET", url });
  const zipped = await anonymous.send({ method: "GET", url, headers: { "accept-encoding": "gzip, br" } });
  expect(zipped.headers["content-encoding"]).toBe(plain.text.length < 4096 ? undefined : "gzip");
  const known = { "if-none-match": zipped.headers.etag ?? "" };
  expect((await anonymous.send({ method: "GET", url, headers: known })).status).toBe(304);
});

test("the guides that the document links to are there", async () => {
  const inText = [...document.info.description.matchAll(/\]\((\/guides\/[^)]+)\)/g)].map(([, url = ""]) => url);
  const links = [document, ...document.tags].flatMap(({ externalDocs }) => externalDocs?.url ?? []).concat(inText);
  expect(inText.length).toBeGreaterThan(5);
  for (const url of new Set(links)) {
    const page = await anonymous.send({ method: "GET", url });
    expect({ url, status: page.status, type: page.headers["content-type"] }).toEqual({
      url,
      status: 200,
      type: "text/html; charset=utf-8",
    });
  }
});

describe("each operation", () => {
  test.each(described)("$method $path has a summary, a description and one known tag", ({ operation }) => {
    expect(operation.summary?.length).toBeGreaterThan(0);
    expect(operation.description?.length).toBeGreaterThan(0);
    expect(operation.tags).toHaveLength(1);
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags?.[0]);
  });

  test.each(described)("$method $path declares exactly the parameters of its path", ({ path, operation }) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = parametersOf(operation).flatMap((one) => (one.in === "path" ? one.name : []));
    expect(declared.sort()).toEqual(inPath.sort());
  });

  test.each(operationsOf(appRouter))("$path is open without a token exactly where the document says so", async (op) => {
    const url = REST_BASE + op.restPath.replace(/\{\w+\}/g, "abcdefghijkl");
    const { status } = await anonymous.send({ method: op.method, url });
    const security = document.paths[op.restPath]?.[op.method.toLowerCase()]?.security;
    expect(security).toEqual(status === 401 ? [{ Authorization: [] }] : []);
  });
});

test("every reference of the document leads somewhere", () => {
  const references = [...text.matchAll(/"\$ref": "#\/([^"]+)"/g)].map(([, path]) => path ?? "");
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) {
    let found: unknown = document;
    for (const key of reference.split("/")) found = Reflect.get(Object(found), key);
    expect(found, reference).toBeDefined();
  }
});

/** Properties whose name says it all; so do identifiers (`boardPublicId`), which need a description only as parameters. */
const EVIDENT = new Set([
  "publicId",
  "name",
  "title",
  "description",
  "email",
  "createdAt",
  "updatedAt",
  "success",
  "type",
  "role",
  "priority",
  "visibility",
  "completed",
  "isArchived",
  "colourCode",
  "boardName",
  "listName",
  "workspaceName",
  "workspaceSlug",
  "comment",
  "items",
  "password",
]);

const isEvident = (name: string) => EVIDENT.has(name) || /PublicIds?$/.test(name);

/** A schema that has a name is described there, also as what an array holds or beside null. */
const isNamed = ({ $ref, items, anyOf }: Schema): boolean =>
  $ref !== undefined || (items !== undefined && isNamed(items)) || (anyOf?.some(isNamed) ?? false);

/** The properties in a part of the document that say nothing of themselves, by their places. */
function undescribed(part: unknown, place: string): string[] {
  if (typeof part !== "object" || part === null) return [];
  const properties: Record<string, Schema> = Reflect.get(part, "properties") ?? {};
  const isSchema = Reflect.get(part, "type") === "object" && !Array.isArray(part);
  const missing = Object.entries(isSchema ? properties : {})
    .filter(([name, schema]) => schema.description === undefined && !isEvident(name) && !isNamed(schema))
    .map(([name]) => `${place}.${name}`);
  const inner = Object.entries(part)
    .filter(([key]) => !/^examples?$/.test(key))
    .flatMap(([key, value]) => undescribed(value, `${place}.${key}`));
  return [...missing, ...inner];
}

/** Trello describes what its file holds, and a field that changed is described where it stands. */
const isElsewhere = (place: string) =>
  place.startsWith("/imports/trello/boards.post.requestBody") || place.includes(".properties.changes.");

test("every property that is not evident has a description", () => {
  const places = [...undescribed(document.paths, ""), ...undescribed(document.components, "components")];
  expect(places.map((place) => place.replace(/^\./, "")).filter((place) => !isElsewhere(place))).toEqual([]);
});

test("every named schema has a description", () => {
  const schemas = Object.entries(document.components.schemas);
  expect(schemas.filter(([, { description }]) => !description).map(([name]) => name)).toEqual([]);
});

const parameters = described.flatMap(({ method, path, operation }) =>
  parametersOf(operation).map((one) => ({ ...one, operation: `${method} ${path}` })),
);

test("every parameter has a description, and every one of a path an example", () => {
  expect(parameters.length).toBeGreaterThan(0);
  expect(parameters.filter(({ description }) => !description)).toEqual([]);
  expect(parameters.filter((one) => one.in === "path" && one.example === undefined)).toEqual([]);
});

describe("of each operation", () => {
  test.each(described)("$method $path says what a success means", ({ operation }) => {
    const { description } = operation.responses[200] ?? {};
    expect(description).toMatch(/^[A-Z].{3,}[.]$/);
    expect(["Done.", "Successful response"]).not.toContain(description);
  });

  test.each(described)(
    "$method $path refuses in its example a field that it takes, or an unreadable request",
    (one) => {
      const { content } = resolved(one.operation.responses[400] ?? {});
      const [issue] = content?.["application/json"]?.example?.issues ?? [];
      const [field, ...inner] = issue?.path ?? [];
      expect(inner).toEqual([]);
      if (field === undefined) expect(issue?.message).toMatch(/^The request cannot be read/);
      else expect(fieldsOf(one.operation)).toContain(field);
    },
  );
});

test("each failure stands once in the document, and operations refer to it by its name", () => {
  const answers = described.flatMap(({ operation }) => Object.entries(operation.responses));
  const failures = answers.filter(([status]) => Number(status) >= 400).map(([, response]) => response);
  expect(failures.length).toBeGreaterThan(1000);
  expect(failures.filter((response) => Object.keys(response).join() !== "$ref")).toEqual([]);
  const bodies = Object.values(document.components.responses).map((response) => JSON.stringify(response));
  expect(new Set(bodies).size).toBe(bodies.length);
});

test("the document is small: per operation at most 3.8 kB without white space, and 475 bytes under gzip", async () => {
  const request = { method: "GET", url: "/openapi.json" } as const;
  expect(Buffer.byteLength((await anonymous.send(request)).text)).toBeLessThan(3800 * described.length);
  const { headers } = await app.inject({ ...request, headers: { "accept-encoding": "gzip" } });
  expect(headers["content-encoding"]).toBe("gzip");
  expect(Number(headers["content-length"])).toBeLessThan(475 * described.length);
});

test("a text with one possible value is an enum, which generators for OpenAPI 3.0 read as well", () => {
  expect(text).not.toMatch(/"const": "/);
});

test("an event is a union that `type` tells apart, and webhooks send it", () => {
  const { components, webhooks } = JSON.parse(text);
  const { oneOf, discriminator } = components.schemas.Event;
  const types = oneOf.map(({ $ref }: { $ref: string }) => {
    const { properties } = components.schemas[$ref.split("/").at(-1) ?? ""];
    return properties.type.enum[0];
  });
  expect(types.sort()).toEqual([...EVENT_TYPES].sort());
  expect(discriminator.propertyName).toBe("type");
  expect(components.schemas.WebhookMessage.properties.data).toEqual({ $ref: "#/components/schemas/Event" });
  expect(Object.keys(webhooks)).toEqual(["event", "test"]);
});
