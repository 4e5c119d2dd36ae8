// The OpenAPI document: generated from the router by trpc-to-openapi, then completed with what that generator cannot know: the
// errors an operation answers, the headers, the order of its parts.

import type { AnyRouter } from "@trpc/server";
import { generateOpenApiDocument } from "trpc-to-openapi";
import { ERRORS, type ErrorCode } from "./errors.js";
import { type DescribedRouter, LARGE_BODY_LIMIT, type Operation, operationsOf, REST_BASE } from "./rest.js";

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The groups of operations, in the order in which a newcomer meets them. */
const TAGS: Record<string, string> = {
  Accounts: "Signing up, in and out, and one's own account.",
  Tokens: "Personal access tokens for scripts and integrations.",
  Workspaces: "A workspace holds boards and the people who work on them.",
  Members: "Who belongs to a workspace and to a board, and how people get in.",
  "Board tags": "The workspace's catalogue of tags, which are put on boards.",
  Meetings: "The meetings of a workspace, once or again and again.",
  Calendar: "What is due in a month, a week or a day.",
  Boards: "A board holds lists, and lists hold cards.",
  Lists: "The columns of a board, in order.",
  Labels: "The labels of a board, which are put on its cards.",
  Cards: "Cards: what is to be done, where it stands, when it is due.",
  "Many cards": "One change to up to 1000 cards at once, all of it or nothing.",
  Checklists: "Checklists of a card and their items.",
  Search: "Boards and cards by the words they hold.",
  Comments: "What people say on a card, with replies and mentions.",
  Notifications: "What a person was told: mentions, replies, and changes to its memberships.",
  Webhooks: "What changes in a workspace, sent to other systems.",
  Imports: "Boards from files.",
  Integrations: "Other services from which boards come.",
};

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

const RETRIED: readonly ErrorCode[] = ["TOO_MANY_REQUESTS", "SERVICE_UNAVAILABLE"];

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);
const errorCodes = Object.keys(ERRORS).filter(isErrorCode);

const errorResponses = (used: readonly ErrorCode[]) =>
  Object.fromEntries(
    used.map((code) => [
      code,
      {
        description: WHEN[code],
        headers: {
          "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
          ...(RETRIED.includes(code) && { "Retry-After": { $ref: "#/components/headers/Retry-After" } }),
        },
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Error" },
            example: { code, message: ERRORS[code].message, issues: [] },
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
  "X-Access-Token": {
    description: "The token of the accountless guest that was made, when the request had no token.",
    schema: { type: "string" },
  },
};

const SUCCESS_HEADERS = ["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const;

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
    ...(operation.etag ? (["If-None-Match"] as const) : []),
    ...(operation.path === "card.update" ? (["If-Match"] as const) : []),
  ];
}

/** The headers of a successful answer. */
function headersOf(operation: Operation): (keyof typeof HEADERS)[] {
  return [
    ...SUCCESS_HEADERS,
    ...(takesKey(operation) ? (["Idempotent-Replayed"] as const) : []),
    ...(operation.etag || operation.path === "card.update" ? (["ETag"] as const) : []),
    ...(operation.path === "workspace.invites.accept" ? (["X-Access-Token"] as const) : []),
  ];
}

/** The failures an operation can answer with. */
function codesOf(operation: Operation): ErrorCode[] {
  const hasBody = operation.method !== "GET";
  return errorCodes.filter((code) => {
    switch (code) {
      case "UNAUTHORIZED":
        return !operation.isPublic || operation.path === "user.signIn";
      case "FORBIDDEN":
        return !operation.isPublic || operation.path === "user.signUp";
      case "NOT_FOUND":
        return operation.method !== "POST";
      case "PAYLOAD_TOO_LARGE":
      case "UNSUPPORTED_MEDIA_TYPE":
        return hasBody;
      case "CONFLICT":
        return takesKey(operation);
      case "PRECONDITION_FAILED":
        return operation.path === "card.update";
      default:
        return true;
    }
  });
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

function completed(operation: Operation, generated: Json): Json {
  const { responses, requestBody, parameters, ...rest } = generated;
  const headers = parametersOf(operation).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const allParameters = [...(Array.isArray(parameters) ? parameters.map(withOwnNotes) : []), ...headers];
  const success = isObject(responses) && isObject(responses[200]) ? responses[200] : {};
  return {
    ...rest,
    operationId: operation.path.replaceAll(".", "_"),
    security: operation.isPublic ? [] : [{ Authorization: [] }],
    ...(allParameters.length > 0 && { parameters: allParameters }),
    ...(isObject(requestBody) && { requestBody: { ...requestBody, required: hasRequiredField(requestBody) } }),
    responses: {
      200: {
        ...success,
        description: "Done.",
        headers: Object.fromEntries(
          headersOf(operation).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        ),
      },
      ...(operation.etag && { 304: { description: "The answer at hand is current." } }),
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

const DESCRIPTION = `Workspaces, boards, lists and cards, for people and for programs.

Send the token of a sign-in or a personal token as \`Authorization: Bearer <token>\`. Bodies are JSON objects; unknown fields are
refused. Every failure has the body \`{ code, message, issues }\`. A body is at most 1 MiB, an import's ${LARGE_BODY_LIMIT / 1024 / 1024} MiB.`;

/** Generates the document; the same router gives the same bytes. */
export function openApiDocument(router: AnyRouter & DescribedRouter, version: string): Json {
  const generated = generateOpenApiDocument(router, {
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
      [method]: completed(operation, isObject(found) ? found : {}),
    };
  }
  const { schemas, ...components } = generated.components ?? {};
  return {
    openapi: generated.openapi,
    info: generated.info,
    servers: generated.servers,
    security: [{ Authorization: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      ...components,
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: errorResponses(
        errorCodes.filter((code) => operations.some((operation) => codesOf(operation).includes(code))),
      ),
      schemas: { ...withoutGeneratedErrors(schemas ?? {}), Error: ERROR_SCHEMA },
    },
  };
}

const withoutGeneratedErrors = (schemas: object) =>
  Object.fromEntries(Object.entries(schemas).filter(([name]) => !name.startsWith("error.")));
