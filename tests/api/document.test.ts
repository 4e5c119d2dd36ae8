// The document, the router and the routes say the same.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Example, openApiDocument } from "../../src/api/openapi.js";
import { type DescribedRouter, operationsOf, REST_BASE } from "../../src/api/rest.js";
import { appRouter } from "../../src/router.js";
import { testApp } from "../helpers/app.js";

const { app, anonymous } = await testApp();

interface Described {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: object[];
  parameters?: { name: string; in: string }[];
}

interface Linked {
  externalDocs?: { url: string };
}

interface Document extends Linked {
  paths: Record<string, Record<string, Described>>;
  tags: (Linked & { name: string })[];
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const file = read("openapi.json");
const { version }: { version: string } = JSON.parse(read("package.json"));
const examples: Record<string, Example> = JSON.parse(read("src/api/examples.json"));
const text = `${JSON.stringify(openApiDocument(appRouter, version, examples), null, 2)}\n`;
const document: Document = JSON.parse(text);
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

/** Every route of the application, as `METHOD path`, read from the tree that Fastify prints. */
function routes(): string[] {
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const [, indent, segment, methods = ""] = /^(.*?)[├└]── (\S*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
      if (indent === undefined || segment === undefined) return [];
      const depth = indent.length / 4;
      const path = (parents[depth - 1] ?? "") + segment;
      parents[depth] = path;
      return methods.split(", ").flatMap((method) => (method === "" ? [] : `${method} ${path}`));
    });
}

const asRoute = (method: string, path: string) => `${method} ${REST_BASE}${path.replace(/\{(\w+)\}/g, ":$1")}`;

test("every operation of the document is a route, and every route of the API is in the document", () => {
  const served = routes().filter((route) => route.includes(` ${REST_BASE}`));
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

test("the committed document is current (else: npm run openapi)", () => {
  expect(file === text, "openapi.json differs from what the router describes").toBe(true);
});

test("the service answers /openapi.json with the bytes of the committed document", async () => {
  const res = await anonymous.send({ method: "GET", url: "/openapi.json" });
  expect(res.headers["content-type"]).toMatch(/^application\/json\b/);
  expect(res.text).toBe(file);
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

test.each(["/openapi.json", "/docs", "the bundle"])("%s has an ETag and is sent as gzip", async (path) => {
  const page = await anonymous.send({ method: "GET", url: "/docs" });
  const bundle = `/${/src="([^"]+bundle\.js)"/.exec(page.text)?.[1]}`;
  const url = path === "the bundle" ? bundle : path;
  const plain = await anonymous.send({ method: "GET", url });
  const zipped = await anonymous.send({ method: "GET", url, headers: { "accept-encoding": "gzip, br" } });
  expect(zipped.headers["content-encoding"]).toBe(plain.text.length < 4096 ? undefined : "gzip");
  const known = { "if-none-match": zipped.headers.etag ?? "" };
  expect((await anonymous.send({ method: "GET", url, headers: known })).status).toBe(304);
});

test("the guides that the document links to are served as they are in docs/", async () => {
  const links = [document, ...document.tags].flatMap(({ externalDocs }) => externalDocs?.url ?? []);
  expect(links.length).toBeGreaterThan(3);
  for (const url of new Set(links)) {
    const page = await anonymous.send({ method: "GET", url });
    expect(page.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(page.text).toBe(read(url.replace("/guides/", "docs/")));
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
    const declared = operation.parameters?.filter((parameter) => parameter.in === "path").map(({ name }) => name) ?? [];
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
