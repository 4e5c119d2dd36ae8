// The schemas of the document: shapes that several operations share have a name, and generators can read them.

import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import type { Example } from "../../src/api/openapi.js";
import { documentText } from "../../src/document.js";

type Json = Record<string, unknown>;

interface Operation {
  operationId: string;
  description: string;
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
}

const examples: Record<string, Example> = JSON.parse(
  readFileSync(new URL("../../src/api/examples.json", import.meta.url), "utf8"),
);
const text = documentText("1.0.0", examples);
const document: {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
} = JSON.parse(text);
const { schemas } = document.components;

const EXAMPLES = new Set(["example", "examples"]);
const isObject = (part: unknown): part is Json => typeof part === "object" && part !== null;

function* partsOf(part: unknown, place = "#"): Generator<{ part: Json; place: string }> {
  if (!isObject(part)) return;
  yield { part, place };
  const areNames = place.endsWith("/properties");
  for (const [key, value] of Object.entries(part)) {
    if (areNames || !EXAMPLES.has(key)) yield* partsOf(value, `${place}/${key}`);
  }
}

/** What tells one shape from another: the schema without its texts and examples, its keys in order. */
function shapeOf(schema: unknown, areNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => shapeOf(one));
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key]) => areNames || (key !== "description" && !EXAMPLES.has(key)));
  return Object.fromEntries(
    kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, shapeOf(value, key === "properties")]),
  );
}

const propertiesOf = ({ properties }: Json) => (isObject(properties) ? Object.keys(properties).length : 0);

/** The shapes that the specification of the document names. */
const SHARED = [
  ...["Workspace", "Board", "BoardSummary", "BoardFile", "List", "Card", "CardSummary", "Label", "Tag", "Member"],
  ...["Person", "Checklist", "ChecklistItem", "Comment", "Event", "Notification", "Webhook", "WebhookDelivery"],
  ...["Token", "Meeting", "ErrorBody"],
];

describe("a shape that operations share", () => {
  test.each(SHARED)("%s is a named schema, and something refers to it", (name) => {
    expect(Object.keys(schemas)).toContain(name);
    expect(text).toContain(`"$ref": "#/components/schemas/${name}"`);
  });

  test("is referred to by its name and nowhere repeated", () => {
    // Two properties alone, as an identifier and a name, are not always the same thing.
    const named = new Map(
      Object.entries(schemas).flatMap(([name, schema]) =>
        propertiesOf(schema) > 2 ? [[JSON.stringify(shapeOf(schema)), name]] : [],
      ),
    );
    expect(named.size).toBeGreaterThan(100);
    const places = new Set(Object.keys(schemas).map((name) => `#/components/schemas/${name}`));
    const repeated = [...partsOf(document)].flatMap(({ part, place }) => {
      const name = propertiesOf(part) > 2 && !places.has(place) ? named.get(JSON.stringify(shapeOf(part))) : undefined;
      return name === undefined ? [] : [`${place} repeats ${name}`];
    });
    expect(repeated).toEqual([]);
  });
});

test("values that are listed have no length beside them, which generators refuse", () => {
  const listed = [...partsOf(document)].filter(({ part }) => Array.isArray(part.enum));
  expect(listed.length).toBeGreaterThan(100);
  expect(listed.filter(({ part }) => "maxLength" in part || "minLength" in part).map(({ place }) => place)).toEqual([]);
});

const streams = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => {
    const content = operation.responses[200]?.content?.["text/event-stream"];
    const place = `/paths/${path.replaceAll("/", "~1")}/${method}/responses/200/content/text~1event-stream`;
    return content === undefined ? [] : [{ ...operation, example: content.example, place }];
  }),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, "document");

test("the streams of the document are found", () => {
  expect(streams.map(({ operationId }) => operationId)).toEqual(["user_stream", "board_stream", "notification_stream"]);
});

test.each(streams)("$operationId says that Swagger UI cannot show it, and shows a message", (stream) => {
  expect(stream.description).toMatch(/Swagger UI [^.]*cannot show a stream/);
  const [, id, data] = /^(?:event: \w+\n)?id: (\S+)\ndata: (.+)\n\n$/.exec(String(stream.example)) ?? [];
  expect(id).toBeDefined();
  const isItem = ajv.compile({ $ref: `document#${encodeURI(`${stream.place}/x-itemSchema`)}` });
  expect(isItem(JSON.parse(data ?? "")) ? [] : isItem.errors).toEqual([]);
});

test("patterns are plain: none is negated, and none escapes a slash", () => {
  expect(text).not.toMatch(/"not":/);
  expect([...text.matchAll(/"pattern": "(.*)"/g)].filter(([, pattern = ""]) => pattern.includes("\\/"))).toEqual([]);
});

test("a pattern gives the same verdict on emoji and lone surrogates with and without the flag u", () => {
  const patterns = new Set(
    [...text.matchAll(/"pattern": (".*")/g)].map(([, pattern = ""]) => String(JSON.parse(pattern))),
  );
  const verdicts = (flags: string, name: string) => [...patterns].map((source) => new RegExp(source, flags).test(name));
  for (const name of ["Launch 🚀", "🚀", "https://example.org/🚀", "\ud83d", "\ude80 Launch"]) {
    expect(verdicts("", name)).toEqual(verdicts("u", name));
  }
  expect(verdicts("", "🚀")).toContain(true);
});
