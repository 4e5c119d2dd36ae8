// The OpenAPI document: generated from the router by trpc-to-openapi, then completed with what that generator cannot know: the
// errors an operation answers, the headers, the order of its parts.

import type { AnyRouter } from "@trpc/server";
import { generateOpenApiDocument } from "trpc-to-openapi";
import type { z } from "zod";
import { GUIDES_BASE } from "./guides.js";
import { isRecord as isObject } from "./json.js";
import { type FailureBody, FailureResponses, takesKey } from "./openapiFailures.js";
import {
  COMMON_HEADERS,
  DESCRIPTION,
  ERROR_SCHEMA,
  GUIDES,
  HEADERS,
  MESSAGE_HEADERS,
  PARAMETERS,
  RESUMPTION,
  SUMMARY,
  TAGS,
} from "./openapiTexts.js";
import { type DescribedRouter, type Operation, operationsOf, REST_BASE } from "./rest.js";

type Json = Record<string, unknown>;

/** The JSON form of a body or an answer. */
const jsonIn = ({ content }: Json): Json | undefined => {
  const json = isObject(content) ? content["application/json"] : undefined;
  return isObject(json) ? json : undefined;
};

const guideAt = (page: string) => ({ description: "Guide", url: `${GUIDES_BASE}/${page}` });

const headerReferences = (names: readonly (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function parametersOf(operation: Operation): (keyof typeof PARAMETERS)[] {
  return [
    ...(takesKey(operation) ? (["Idempotency-Key"] as const) : []),
    ...(operation.type === "mutation" ? (["Request-Key"] as const) : []),
    ...(operation.etag ? (["If-None-Match"] as const) : []),
    ...(operation.ifMatch ? (["If-Match"] as const) : []),
  ];
}

/** The headers that the successful answer of an operation has beside those of every answer. */
function headersOf(operation: Operation): (keyof typeof HEADERS)[] {
  return [
    ...(takesKey(operation) ? (["Idempotent-Replayed"] as const) : []),
    ...(operation.etag || operation.ifMatch ? (["ETag"] as const) : []),
    ...(operation.isDownload ? (["Content-Disposition"] as const) : []),
    ...(operation.answerHeaders ?? []),
  ];
}

/** Moves the description and deprecation of a parameter out of its schema: tools read them at the parameter. */
function withOwnNotes(parameter: unknown): unknown {
  if (!isObject(parameter) || !isObject(parameter.schema)) return parameter;
  const { description, deprecated, ...schema } = parameter.schema;
  return {
    ...parameter,
    ...(description !== undefined && { description }),
    ...(deprecated === true && { deprecated }),
    schema,
  };
}

/** If a response is a file, its two forms, which over tRPC are one type, have content types of their own. */
function contentOf(operation: Operation, success: Json): Json {
  if (operation.file !== undefined)
    return { content: { [operation.file]: { schema: { type: "string", format: "binary" } } } };
  const schema = jsonIn(success)?.schema;
  if (!operation.csv || !isObject(schema)) return {};
  const [json, csv]: unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return { content: { "application/json": { schema: json }, "text/csv": { schema: csv } } };
}

/** A request of an operation, its true answer (of a stream a message as text), and true refusals, as tests recorded them. */
export interface Example {
  path?: Json;
  query?: Json;
  body?: Json;
  answer: unknown;
  failures: FailureBody[];
}

/** A required parameter with its example; optional ones stay empty, for pages that fill in what they are shown. */
function withExample(parameter: unknown, { path, query }: Partial<Example>): unknown {
  if (!isObject(parameter) || parameter.required !== true || !isObject(parameter.schema)) return parameter;
  const { examples: _, ...schema } = parameter.schema;
  return { ...parameter, schema, example: { ...path, ...query }[String(parameter.name)] };
}

/** A body of JSON with its example. */
function bodyWithExample(body: Json, example: unknown): Json {
  const json = jsonIn(body);
  if (example === undefined || json === undefined) return body;
  return { ...body, content: { ...Object(body.content), "application/json": { ...json, example } } };
}

/** The other body of a request whose input is in the query: any form. */
function alsoInQuery(requestBody: Json): { parameters: Json[]; requestBody: Json } {
  const { properties } = Object(jsonIn(requestBody)?.schema);
  const parameters = Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => ({
    name,
    in: "query",
    required: false,
    schema: property,
  }));
  const form = { schema: { type: "object", description: "Ignored. The input stands in the query." } };
  return {
    parameters,
    requestBody: {
      ...requestBody,
      content: { ...Object(requestBody.content), "application/x-www-form-urlencoded": form },
    },
  };
}

/** A parameter, or the header that the generator knows as the input `lastEventId` of a stream. */
const withHeader = (parameter: unknown): unknown =>
  isObject(parameter) && parameter.name === "lastEventId" ? { ...RESUMPTION, schema: parameter.schema } : parameter;

/** The answer of a stream: what the generator describes is one item of it. */
function streamed(success: Json, example: unknown): Json {
  const item = jsonIn(success)?.schema;
  const description =
    "Server-Sent Events. The `data` of each message is one item (`x-itemSchema`) as JSON; its `id` is what to resume from.";
  return {
    ...success,
    content: { "text/event-stream": { schema: { type: "string", description }, "x-itemSchema": item, example } },
  };
}

function completed(operation: Operation, generated: Json, example: Partial<Example>, failures: FailureResponses): Json {
  const added = operation.takesForm && isObject(generated.requestBody) ? alsoInQuery(generated.requestBody) : undefined;
  const info: Json = { ...generated, ...added };
  const { responses, requestBody, parameters, ...rest } = info;
  const headerParameters = parametersOf(operation).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const described = Array.isArray(parameters) ? parameters.map(withHeader) : [];
  const own = described.map(withOwnNotes);
  const allParameters = [...own.map((parameter) => withExample(parameter, example)), ...headerParameters];
  const answer = isObject(responses) && isObject(responses[200]) ? responses[200] : {};
  const headers = headersOf(operation);
  const success = operation.type === "subscription" ? streamed(answer, example.answer) : answer;
  return {
    ...rest,
    operationId: operation.path.replaceAll(".", "_"),
    security: operation.isPublic ? [] : [{ Authorization: [] }],
    ...(allParameters.length > 0 && { parameters: allParameters }),
    ...(isObject(requestBody) && {
      requestBody: bodyWithExample({ ...requestBody, required: hasRequiredField(requestBody) }, example.body),
    }),
    responses: {
      200: {
        ...bodyWithExample({ ...success, ...contentOf(operation, success) }, example.answer),
        ...(headers.length > 0 && { headers: headerReferences(headers) }),
      },
      ...(operation.etag && {
        304: {
          description: "The stored response is still current.",
          headers: headerReferences(["ETag", ...(operation.answerHeaders ?? [])]),
        },
      }),
      ...failures.referencesOf(operation, example.failures ?? []),
    },
  };
}

function hasRequiredField(requestBody: Json): boolean {
  const { required } = Object(jsonIn(requestBody)?.schema);
  return Array.isArray(required) && required.length > 0;
}

/** The router for the generator, which does not support subscriptions: each becomes a query that answers with one item. */
function withoutSubscriptions<Router extends AnyRouter & DescribedRouter>(router: Router): Router {
  const procedures = Object.entries(router._def.procedures).map(([path, procedure]) => {
    const definition: unknown = Reflect.get(Object(procedure), "_def");
    if (!isObject(definition) || definition.type !== "subscription" || !isObject(definition.meta))
      return [path, procedure];
    return [path, { _def: { ...definition, type: "query", output: definition.meta.stream } }];
  });
  return { ...router, _def: { ...router._def, procedures: Object.fromEntries(procedures) } };
}

/** A message that webhooks send. */
interface WebhookMessage {
  summary: string;
  description: string;
  /** A named schema. */
  body: z.ZodObject;
}

const nameOf = ({ body }: WebhookMessage): string => {
  const name = body.meta()?.id;
  if (name === undefined) throw new Error("The body of a message has no name");
  return name;
};

/** Messages as answers of paths that do not exist: the generator names schemas of what the service sends in answers alone. */
const answersOf = (messages: Record<string, WebhookMessage>) =>
  Object.fromEntries(
    Object.entries(messages).map(([name, { body }]) => {
      const content = { "application/json": { schema: body } };
      return [`/${name}`, { post: { responses: { 200: { description: name, content } } } }];
    }),
  );

/** A message as a request that the receiver answers. */
const webhookOperation = (name: string, message: WebhookMessage): Json => ({
  post: {
    operationId: `webhook_${name}`,
    summary: message.summary,
    description: message.description,
    tags: ["Webhooks"],
    security: [],
    parameters: MESSAGE_HEADERS,
    requestBody: {
      required: true,
      content: { "application/json": { schema: { $ref: `#/components/schemas/${nameOf(message)}` } } },
    },
    responses: {
      "2XX": { description: "The message was received." },
      410: { description: "The receiver does not want any more messages: the webhook becomes inactive." },
    },
  },
});

/** The sources of a document beside the router: the examples by the paths of their operations. */
interface Parts {
  version: string;
  examples: Record<string, Example>;
  webhooks: Record<string, WebhookMessage>;
}

/** A character class that excludes lone surrogates. */
const WITHOUT_SURROGATES = /\[\^[^\]]*\\uD800-\\uDFFF\]/g;

/** A pattern that means the same with and without the flag `u`, without which a surrogate pair is two characters. */
const withPairs = (pattern: string) =>
  pattern.replaceAll(WITHOUT_SURROGATES, (characters) => `(?:${characters}|[\\uD800-\\uDBFF][\\uDC00-\\uDFFF])`);

/** A schema of several forms that has a description, without the same description at each form. */
function withoutRepeatedNotes(schema: Json): Json {
  const { anyOf, description } = schema;
  if (!Array.isArray(anyOf) || description === undefined) return schema;
  const forms = anyOf.map((form: unknown) => {
    if (!isObject(form) || form.description !== description) return form;
    const { description: _, ...rest } = form;
    return rest;
  });
  return { ...schema, anyOf: forms };
}

/**
 * Rewrites a schema so that every client generator reads it: some write patterns between slashes and escape the slashes in them,
 * some compile patterns without the flag `u`, and some do not support `const`, which distinguishes the variants of a union.
 */
function plainly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainly);
  if (!isObject(value)) return value;
  const plain = Object.fromEntries(
    Object.entries(withoutRepeatedNotes(value)).map(([key, inner]) => [key, plainly(inner)]),
  );
  if (typeof plain.pattern === "string") plain.pattern = withPairs(plain.pattern.replaceAll("\\/", "/"));
  if (typeof plain.const !== "string") return plain;
  const { const: only, ...rest } = plain;
  return { ...rest, enum: [only] };
}

const parametersIn = ({ parameters }: Json): unknown[] => (Array.isArray(parameters) ? parameters : []);

/** The parameters that operations share, by name. Of different ones with one name, the most frequent is shared. */
function sharedParameters(operations: readonly Json[]): Map<string, unknown> {
  const uses = new Map<string, number>();
  for (const parameter of operations.flatMap(parametersIn)) {
    const text = JSON.stringify(parameter);
    uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  const shared = new Map<string, unknown>();
  for (const [text, count] of [...uses].sort(([, a], [, b]) => b - a)) {
    const parameter: unknown = JSON.parse(text);
    if (count === 1 || !isObject(parameter) || parameter.name === undefined) continue;
    const name = String(parameter.name);
    if (!shared.has(name)) shared.set(name, parameter);
  }
  return shared;
}

/** An operation that refers to the parameters that it shares with others. */
function withReferences(operation: Json, shared: ReadonlyMap<string, unknown>): Json {
  if (operation.parameters === undefined) return operation;
  const parameters = parametersIn(operation).map((parameter) => {
    const name = isObject(parameter) ? String(parameter.name) : "";
    const isShared = JSON.stringify(shared.get(name)) === JSON.stringify(parameter);
    return isShared ? { $ref: `#/components/parameters/${name}` } : parameter;
  });
  return { ...operation, parameters };
}

/** Generates the document; the same router and parts give the same bytes. */
export function openApiDocument(router: AnyRouter & DescribedRouter, { version, examples, webhooks }: Parts): Json {
  const generated = generateOpenApiDocument(withoutSubscriptions(router), {
    title: "work-board",
    version,
    description: DESCRIPTION,
    license: { name: "MIT", url: "https://opensource.org/license/mit" },
    baseUrl: REST_BASE,
    openApiVersion: "3.1.0",
    paths: answersOf(webhooks),
    securitySchemes: {
      Authorization: { type: "http", scheme: "bearer", description: "A session token or a personal token, `wb_…`." },
    },
  });
  const operations = operationsOf(router);
  const failures = new FailureResponses(operations, ({ path }) => examples[path]?.failures ?? []);
  const described = operations.map((operation) => {
    const method = operation.method.toLowerCase();
    const { path, restPath } = operation;
    const described: unknown = Reflect.get(generated.paths?.[restPath] ?? {}, method);
    const json = completed(operation, isObject(described) ? described : {}, examples[path] ?? {}, failures);
    return { method, restPath, json };
  });
  const shared = sharedParameters(described.map(({ json }) => json));
  const paths: Record<string, Json> = {};
  for (const { method, restPath, json } of described) {
    paths[restPath] = { ...paths[restPath], [method]: withReferences(json, shared) };
  }
  const { schemas, ...components } = generated.components ?? {};
  return {
    openapi: generated.openapi,
    info: { ...generated.info, summary: SUMMARY, contact: { name: "The work-board authors" } },
    servers: generated.servers,
    security: [{ Authorization: [] }],
    externalDocs: guideAt("getting-started"),
    tags: Object.entries(TAGS).map(([name, description]) => {
      const page = GUIDES[name];
      return { name, description, ...(page !== undefined && { externalDocs: guideAt(page) }) };
    }),
    paths: plainly(paths),
    "x-headers": COMMON_HEADERS,
    webhooks: Object.fromEntries(
      Object.entries(webhooks).map(([name, message]) => [name, webhookOperation(name, message)]),
    ),
    components: {
      ...components,
      parameters: { ...Object(plainly(Object.fromEntries(shared))), ...PARAMETERS },
      headers: HEADERS,
      responses: failures.components,
      schemas: { ...Object(plainly(withoutGeneratedErrors(schemas ?? {}))), ErrorBody: ERROR_SCHEMA },
    },
  };
}

const withoutGeneratedErrors = (schemas: object) =>
  Object.fromEntries(Object.entries(schemas).filter(([name]) => !name.startsWith("error.")));
