// The committed OpenAPI document as a tester reads it: its operations, what they take, and whether a value fits.
// Nothing here knows the router or its schemas.

import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** The part of JSON Schema that the document may use. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  not?: Schema;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: Schema;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: Schema;
}

/** The identifiers that requests may name, by the field that takes them. */
export type Ids = Record<string, string[]>;

export interface Described {
  /** Its operationId with dots, such as `board.lists.create`. */
  name: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Under the base, parameters in braces. */
  path: string;
  isPublic: boolean;
  parameters: Parameter[];
  /** Null where it takes none. */
  body: Schema | null;
  /** Takes a form as well, beside which its input stands in the query. */
  takesForm: boolean;
  /** Answers with a stream of events, which ends when the reader goes. */
  isStream: boolean;
}

interface Response {
  $ref?: string;
  content?: Record<string, { schema?: Schema }>;
}

interface RawOperation {
  operationId: string;
  security?: object[];
  parameters?: (Parameter & { $ref?: string })[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Response>;
}

interface Document {
  servers: { url: string }[];
  paths: Record<string, Record<string, RawOperation>>;
}

const document: Document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));

/** The path under which the document says that it is served. */
export const BASE = document.servers[0]?.url ?? "";

/** What a reference of the document points to; the caller states its shape. */
function followed<T extends object>(node: T): T {
  const { $ref } = node as { $ref?: string };
  if ($ref === undefined) return node;
  let found: unknown = document;
  for (const part of $ref.replace(/^#\//, "").split("/")) {
    found = Reflect.get(Object(found), part.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return followed(found as T);
}

export const resolved = (schema: Schema): Schema => followed(schema);

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;

export const FORM_TYPE = "application/x-www-form-urlencoded";

function describe(path: string, method: Described["method"], raw: RawOperation): Described {
  return {
    name: raw.operationId.replaceAll("_", "."),
    method,
    path,
    isPublic: raw.security?.length === 0,
    parameters: (raw.parameters ?? []).map((parameter) => ({
      ...followed(parameter),
      required: followed(parameter).required === true,
    })),
    body: raw.requestBody?.content["application/json"]?.schema ?? null,
    takesForm: raw.requestBody?.content[FORM_TYPE] !== undefined,
    isStream: followed(raw.responses[200] ?? {}).content?.["text/event-stream"] !== undefined,
  };
}

export const operations: Described[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  METHODS.flatMap((method) => {
    const raw = methods[method.toLowerCase()];
    return raw === undefined ? [] : [describe(path, method, raw)];
  }),
);

/** The fields of a body; none where the operation takes no body. */
export const bodyFields = ({ body }: Described): Schema => (body === null ? {} : resolved(body));

const ajv = new Ajv2020({ strict: false, allErrors: false, unicodeRegExp: true });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: "document" });

const validators = new Map<object, ValidateFunction>();

/** References in a schema of the document count from its root. */
function absolute(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(absolute);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" ? `document${value}` : absolute(value),
    ]),
  );
}

function validatorOf(schema: Schema): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const made = ajv.compile(Object(absolute(schema)));
  validators.set(schema, made);
  return made;
}

/** What a value breaks of a schema; null where it fits. */
export function violationOf(schema: Schema, value: unknown): string | null {
  const validate = validatorOf(schema);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}
