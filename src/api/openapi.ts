// The OpenAPI document: generated from the router by trpc-to-openapi, then completed with what that generator cannot know: the
// errors an operation answers, the headers, the order of its parts.

import type { AnyRouter } from "@trpc/server";
import { generateOpenApiDocument } from "trpc-to-openapi";
import { GUIDES_BASE } from "./docs.js";
import { ERRORS, type ErrorCode, type Issue } from "./errors.js";
import { LARGE_BODY_LIMIT } from "./largeBodies.js";
import { type DescribedRouter, type Operation, operationsOf, REST_BASE } from "./rest.js";

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The groups of operations, in the order in which a newcomer meets them. */
const TAGS: Record<string, string> = {
  Accounts: "Signing up, in and out, and one's own account. `POST /auth/sign-up` gives the first token.",
  Workspaces: "A workspace holds boards and the people who work on them. Begin by creating one.",
  Boards: "A board holds lists, and lists hold cards.",
  Lists: "The columns of a board, in order.",
  Cards: "What is to be done, where it stands, when it is due.",
  "Many cards": "One change to up to 1000 cards at once, all of it or nothing.",
  Labels: "The labels of a board, which are put on its cards.",
  Checklists: "Checklists of a card and their items.",
  Comments: "What people say on a card, with replies and mentions.",
  Members: "Who belongs to a workspace and to a board, and how people get in.",
  "Board tags": "The workspace's catalogue of tags, which are put on boards.",
  Calendar: "What is due in a month, a week or a day.",
  Meetings: "The meetings of a workspace, once or again and again.",
  Search: "Boards and cards by the words they hold.",
  Events: "What changed, once and in order: read back, and live.",
  Notifications: "What a person was told: mentions, replies, and changes to its memberships.",
  Tokens: "Personal access tokens for scripts and integrations.",
  Webhooks: "What changes in a workspace, sent to other systems.",
  Imports: "Boards from files.",
  Integrations: "Other services from which boards come.",
};

/** The guides that explain groups of operations, by tag; the service serves them (`docs.ts`). */
const GUIDES: Record<string, string> = {
  Events: "streams.md",
  Imports: "imports.md",
  Notifications: "streams.md",
  Webhooks: "webhooks.md",
};

const guideAt = (page: string) => ({ description: "Guide", url: `${GUIDES_BASE}/${page}` });

/** What a response of each code says beside its fixed text. */
const WHEN: Record<ErrorCode, string> = {
  BAD_REQUEST: "The input breaks a constraint, or the state forbids the change; `issues` names the field.",
  UNAUTHORIZED: "No token, or one that is unknown, expired or revoked.",
  FORBIDDEN: "The caller may not; under POST also: the target does not exist.",
  NOT_FOUND: "What the path names does not exist.",
  CONFLICT: "The Idempotency-Key was used before with another request.",
  PRECONDITION_FAILED: "If-Match names another revision.",
  PAYLOAD_TOO_LARGE: "The body is larger than this operation takes.",
  UNSUPPORTED_MEDIA_TYPE: "The body is not JSON.",
  TOO_MANY_REQUESTS: "A rate limit is reached.",
  INTERNAL_SERVER_ERROR: "A defect of the service.",
  SERVICE_UNAVAILABLE: "Shutting down, overloaded, or the database is out of reach.",
};

const ERROR_SCHEMA = {
  type: "object",
  description: "The one body of every failure.",
  properties: {
    code: { type: "string", enum: Object.keys(ERRORS) },
    message: { type: "string", description: "The fixed text of the code." },
    issues: {
      type: "array",
      description: "What is wrong in detail; empty where there is nothing to add.",
      items: {
        type: "object",
        properties: {
          path: {
            type: "array",
            description: "Where in the input: names of fields and places in arrays.",
            items: { type: ["string", "integer"] },
          },
          message: { type: "string" },
        },
        required: ["path", "message"],
        additionalProperties: false,
      },
    },
  },
  required: ["code", "message", "issues"],
  additionalProperties: false,
};

/** An issue of a failure that has one, for its example. */
const ISSUES: Partial<Record<ErrorCode, Issue[]>> = { BAD_REQUEST: [{ path: ["name"], message: "Must not be empty" }] };

const RETRIED: readonly ErrorCode[] = ["TOO_MANY_REQUESTS", "SERVICE_UNAVAILABLE"];

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);
const errorCodes = Object.keys(ERRORS).filter(isErrorCode);

const errorResponses = (used: readonly ErrorCode[]) =>
  Object.fromEntries(
    used.map((code) => [
      code,
      {
        description: WHEN[code],
        headers: headerReferences([...COMMON_HEADERS, ...(RETRIED.includes(code) ? (["Retry-After"] as const) : [])]),
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/ApiError" },
            example: { code, message: ERRORS[code].message, issues: ISSUES[code] ?? [] },
          },
        },
      },
    ]),
  );

const HEADERS = {
  "X-Request-Id": { description: "The request's identifier, as sent or made.", schema: { type: "string" } },
  "RateLimit-Limit": { description: "Requests a minute.", schema: { type: "integer" } },
  "RateLimit-Remaining": { description: "Requests left in this window.", schema: { type: "integer" } },
  "RateLimit-Reset": { description: "Seconds until the window ends.", schema: { type: "integer" } },
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } },
  "Idempotent-Replayed": {
    description: "`true` when the answer was kept from the first request with this key.",
    schema: { type: "string", const: "true" },
  },
  ETag: { description: "Changes exactly when a byte of the answer of the GET does.", schema: { type: "string" } },
  "Content-Disposition": { description: "Names the file.", schema: { type: "string" } },
  "X-Access-Token": {
    description: "The token of the accountless guest that was made, when the request had no token.",
    schema: { type: "string" },
  },
};

/** What any answer has; those of the rate limit only where one is set. */
const COMMON_HEADERS = ["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const;

const headerReferences = (names: readonly (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const takesKey = ({ isPublic, method, secretAnswer }: Operation) =>
  !isPublic && !secretAnswer && (method === "POST" || method === "PUT");

/** The request headers of the contract, as parameters. */
const PARAMETERS = {
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes a repeated request safe: the first successful answer is kept for 24 hours per user and given again with `Idempotent-Replayed: true`. The same key with another request is CONFLICT.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]{1,255}$" },
  },
  "Last-Event-ID": {
    name: "Last-Event-ID",
    in: "header",
    description: "The last id that arrived: everything after it is sent first. Left out: what comes from now on.",
    schema: { type: "string", pattern: "^(?:0|[1-9][0-9]{0,14})$" },
  },
  "If-None-Match": {
    name: "If-None-Match",
    in: "header",
    description: "Entity tags of answers at hand; when one of them is current the answer is 304 without a body.",
    schema: { type: "string" },
  },
  "If-Match": {
    name: "If-Match",
    in: "header",
    description:
      "The entity tag of the card that the change is meant for; another one is current: PRECONDITION_FAILED. The answer then has the new tag.",
    schema: { type: "string" },
  },
};

function parametersOf(operation: Operation): (keyof typeof PARAMETERS)[] {
  return [
    ...(takesKey(operation) ? (["Idempotency-Key"] as const) : []),
    ...(operation.type === "subscription" ? (["Last-Event-ID"] as const) : []),
    ...(operation.etag ? (["If-None-Match"] as const) : []),
    ...(operation.ifMatch ? (["If-Match"] as const) : []),
  ];
}

/** The headers of a successful answer. */
function headersOf(operation: Operation): (keyof typeof HEADERS)[] {
  return [
    ...COMMON_HEADERS,
    ...(takesKey(operation) ? (["Idempotent-Replayed"] as const) : []),
    ...(operation.etag || operation.ifMatch ? (["ETag"] as const) : []),
    ...(operation.csv ? (["Content-Disposition"] as const) : []),
    ...operation.answerHeaders,
  ];
}

/** The failures an operation can answer with. */
function codesOf(operation: Operation): ErrorCode[] {
  const hasBody = operation.method !== "GET";
  const isUsual = (code: ErrorCode) => {
    switch (code) {
      case "UNAUTHORIZED":
      case "FORBIDDEN":
        return !operation.isPublic;
      case "NOT_FOUND":
        return operation.method !== "POST";
      case "PAYLOAD_TOO_LARGE":
      case "UNSUPPORTED_MEDIA_TYPE":
        return hasBody;
      case "CONFLICT":
        return takesKey(operation);
      case "PRECONDITION_FAILED":
        return operation.ifMatch;
      default:
        return true;
    }
  };
  return errorCodes.filter((code) => isUsual(code) || operation.fails.includes(code));
}

/** A parameter that says of itself what the generator leaves in its schema: tools read it there. */
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

/** Where an answer is a file its two forms, which over tRPC are one type, have content types of their own. */
function contentOf(operation: Operation, success: Json): Json {
  const content = isObject(success.content) ? success.content["application/json"] : undefined;
  if (!operation.csv || !isObject(content) || !isObject(content.schema)) return {};
  const [json, csv]: unknown[] = Array.isArray(content.schema.anyOf) ? content.schema.anyOf : [];
  return { content: { "application/json": { schema: json }, "text/csv": { schema: csv } } };
}

/** A request of an operation and its true answer, as tests recorded them. */
export interface Example {
  query?: Json;
  body?: Json;
  answer: unknown;
}

/** A required parameter of the query with its example; optional ones stay empty, for pages that fill in what they are shown. */
function withExample(parameter: unknown, { query = {} }: Partial<Example>): unknown {
  if (!isObject(parameter) || parameter.in !== "query" || parameter.required !== true) return parameter;
  return { ...parameter, example: query[String(parameter.name)] };
}

/** A body of JSON with its example. */
function shown(body: Json, example: unknown): Json {
  if (example === undefined || !isObject(body.content)) return body;
  const json = body.content["application/json"];
  if (!isObject(json)) return body;
  return { ...body, content: { ...body.content, "application/json": { ...json, example } } };
}

const isResumption = (parameter: unknown) => isObject(parameter) && parameter.name === "lastEventId";

/** The answer of a stream: what the generator describes is one item of it. */
function streamed(success: Json): Json {
  const content = isObject(success.content) ? success.content["application/json"] : undefined;
  const item = isObject(content) ? content.schema : undefined;
  const description =
    "Messages of Server-Sent Events. `data` of each is an item (`x-itemSchema`) as JSON, `id` what to resume from.";
  return {
    ...success,
    content: { "text/event-stream": { schema: { type: "string", description }, "x-itemSchema": item } },
  };
}

function completed(operation: Operation, generated: Json, example: Partial<Example>): Json {
  const { responses, requestBody, parameters, ...rest } = generated;
  const headers = parametersOf(operation).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const described = Array.isArray(parameters) ? parameters.filter((parameter) => !isResumption(parameter)) : [];
  const own = described.map(withOwnNotes);
  const allParameters = [...own.map((parameter) => withExample(parameter, example)), ...headers];
  const answer = isObject(responses) && isObject(responses[200]) ? responses[200] : {};
  const success = operation.type === "subscription" ? streamed(answer) : answer;
  return {
    ...rest,
    operationId: operation.path.replaceAll(".", "_"),
    security: operation.isPublic ? [] : [{ Authorization: [] }],
    ...(allParameters.length > 0 && { parameters: allParameters }),
    ...(isObject(requestBody) && {
      requestBody: shown({ ...requestBody, required: hasRequiredField(requestBody) }, example.body),
    }),
    responses: {
      200: {
        ...shown({ ...success, ...contentOf(operation, success) }, example.answer),
        description: "Done.",
        headers: headerReferences(headersOf(operation)),
      },
      ...(operation.etag && {
        304: { description: "The answer at hand is current.", headers: headerReferences([...COMMON_HEADERS, "ETag"]) },
      }),
      ...Object.fromEntries(
        codesOf(operation).map((code) => [ERRORS[code].status, { $ref: `#/components/responses/${code}` }]),
      ),
    },
  };
}

function hasRequiredField(requestBody: Json): boolean {
  const content = isObject(requestBody.content) ? requestBody.content["application/json"] : undefined;
  const schema = isObject(content) ? content.schema : undefined;
  return isObject(schema) && Array.isArray(schema.required) && schema.required.length > 0;
}

const SUMMARY = "A work board: workspaces, boards, lists and cards.";

const DESCRIPTION = `**Begin**: \`POST /auth/sign-up\` answers an \`accessToken\`. Send it, or a personal token, as \`Authorization: Bearer <token>\`; on
this page with the button **Authorize**. Then create a workspace, a board in it, and a card on one of its lists.

**Bodies** are JSON objects of at most 1 MiB, an import's ${LARGE_BODY_LIMIT / 1024 / 1024} MiB; unknown fields are refused. A PUT changes the fields
it is given. Times are ISO 8601 in UTC; a date alone is its midnight. Identifiers are opaque.

**Failures** have the body \`{ code, message, issues }\`: the code says what kind, \`issues\` where the input is wrong.

**Lists** that grow take \`limit\` and \`cursor\`, and answer \`nextCursor\`, null at their end. A cursor is valid
for the list that answered it, with the same path and query but for \`limit\`.

**Safe repetition**: an \`Idempotency-Key\` makes a POST or PUT happen once. **Saved reading**: boards and cards have an \`ETag\`
for \`If-None-Match\`; \`If-Match\` keeps an update of a card from overwriting what was not seen.

**Limits** are told in \`RateLimit-*\`; over them, and while the service is overloaded, \`Retry-After\` says how long to wait.`;

/** The router as the generator can read it, which knows no subscriptions: as queries that answer with one item. */
function withoutSubscriptions<Router extends AnyRouter & DescribedRouter>(router: Router): Router {
  const procedures = Object.entries(router._def.procedures).map(([path, procedure]) => {
    const definition: unknown = Reflect.get(Object(procedure), "_def");
    if (!isObject(definition) || definition.type !== "subscription" || !isObject(definition.meta))
      return [path, procedure];
    return [path, { _def: { ...definition, type: "query", output: definition.meta.stream } }];
  });
  return { ...router, _def: { ...router._def, procedures: Object.fromEntries(procedures) } };
}

/** Generates the document, with the examples by their operations' paths; the same router gives the same bytes. */
export function openApiDocument(
  router: AnyRouter & DescribedRouter,
  version: string,
  examples: Record<string, Example> = {},
): Json {
  const generated = generateOpenApiDocument(withoutSubscriptions(router), {
    title: "work-board",
    version,
    description: DESCRIPTION,
    license: { name: "MIT", url: "https://opensource.org/license/mit" },
    baseUrl: REST_BASE,
    openApiVersion: "3.1.0",
    securitySchemes: {
      Authorization: { type: "http", scheme: "bearer", description: "A session token or a personal token, `wb_…`." },
    },
  });
  const operations = operationsOf(router);
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const method = operation.method.toLowerCase();
    const found: unknown = Reflect.get(generated.paths?.[operation.restPath] ?? {}, method);
    paths[operation.restPath] = {
      ...paths[operation.restPath],
      [method]: completed(operation, isObject(found) ? found : {}, examples[operation.path] ?? {}),
    };
  }
  const { schemas, ...components } = generated.components ?? {};
  return {
    openapi: generated.openapi,
    info: { ...generated.info, summary: SUMMARY, contact: { name: "The work-board authors" } },
    servers: generated.servers,
    security: [{ Authorization: [] }],
    externalDocs: guideAt("getting-started.md"),
    tags: Object.entries(TAGS).map(([name, description]) => {
      const page = GUIDES[name];
      return { name, description, ...(page !== undefined && { externalDocs: guideAt(page) }) };
    }),
    paths,
    components: {
      ...components,
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: errorResponses(
        errorCodes.filter((code) => operations.some((operation) => codesOf(operation).includes(code))),
      ),
      schemas: { ...withoutGeneratedErrors(schemas ?? {}), ApiError: ERROR_SCHEMA },
    },
  };
}

const withoutGeneratedErrors = (schemas: object) =>
  Object.fromEntries(Object.entries(schemas).filter(([name]) => !name.startsWith("error.")));
