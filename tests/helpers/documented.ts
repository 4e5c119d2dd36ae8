// Holds the answers that tests see to openapi.json: status, content type, headers and every field must stand there.

import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { REST_BASE } from "../../src/api/rest.js";

/** An answer and what it answers; header names in lower case. */
export interface Seen {
  method: string;
  /** From the root, with its query. */
  url: string;
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
}

interface Reference {
  $ref?: string;
}

interface DocumentedResponse {
  content?: Record<string, { schema?: object }>;
  headers?: Record<string, Reference & { schema?: object }>;
}

interface DocumentedOperation {
  responses: Record<string, Reference & DocumentedResponse>;
}

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>;
  /** The headers of every answer. */
  "x-headers": Record<string, Reference & { schema?: object }>;
  components: Record<string, Record<string, unknown>>;
}

const document: Document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));

/** The headers that are the service's own: one that an answer has must be documented there. */
const OWN_HEADERS = Object.keys({ ...document["x-headers"], ...document.components.headers }).map((name) =>
  name.toLowerCase(),
);

const literals = (path: string) => path.split("/").filter((segment) => !segment.startsWith("{")).length;

/** Paths with more literal segments first, as the service's own routing prefers them. */
const templates = Object.keys(document.paths)
  .sort((a, b) => literals(b) - literals(a))
  .map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/[.]/g, "\\$&").replace(/\{\w+\}/g, "[^/]+")}$`),
  }));

function resolved<T extends object>(value: T & Reference): T {
  if (value.$ref === undefined) return value;
  let found: unknown = document;
  for (const key of value.$ref.slice(2).split("/")) found = Reflect.get(Object(found), key);
  return found as T;
}

const DOCUMENT = "openapi.json";

/** The same schema, its references into the document: what they name is read and compiled once, not for each schema. */
const inDocument = (schema: object): object =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key === "$ref" ? DOCUMENT + value : value)));

let ajv: Ajv2020 | undefined;
const validators = new Map<object, ValidateFunction>();

/** Compiled once for each schema and worker, when the first answer of its kind is seen. */
function validatorOf(schema: object): ValidateFunction {
  let validator = validators.get(schema);
  if (validator === undefined) {
    if (ajv === undefined) {
      ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
      ajv.addVocabulary(["components", "example", "discriminator", "x-enum-varnames"]);
      addFormats.default(ajv);
      ajv.addSchema({ $id: DOCUMENT, components: { schemas: document.components.schemas } });
    }
    validator = ajv.compile(inDocument(schema));
    validators.set(schema, validator);
  }
  return validator;
}

function mustMatch(schema: object, value: unknown, what: string): void {
  const validate = validatorOf(schema);
  if (validate(value)) return;
  const [error] = validate.errors ?? [];
  throw new Error(
    `${what} is not what openapi.json says: ${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`,
  );
}

/** An answer of no operation: the path or the method does not exist, or could not be read. */
function mustBeFailure({ status, text }: Seen, what: string): void {
  const failure = document.components.schemas?.ErrorBody;
  if (status < 400) throw new Error(`${what}: no operation of openapi.json answers there`);
  mustMatch(Object(failure), JSON.parse(text), what);
}

function mustHaveDocumentedBody(response: DocumentedResponse, { headers, text }: Seen, what: string): void {
  if (response.content === undefined) {
    if (text !== "") throw new Error(`${what} has a body, which openapi.json does not know`);
    return;
  }
  const type = headers["content-type"]?.split(";")[0] ?? "";
  const media = response.content[type];
  if (media === undefined) throw new Error(`${what} has the content type "${type}", which openapi.json does not know`);
  if (media.schema !== undefined) mustMatch(media.schema, type === "application/json" ? JSON.parse(text) : text, what);
}

function mustHaveDocumentedHeaders(response: DocumentedResponse, { headers }: Seen, what: string): void {
  const listed = Object.entries({ ...document["x-headers"], ...response.headers });
  const described = new Map(listed.map(([name, header]) => [name.toLowerCase(), resolved(header)]));
  for (const name of OWN_HEADERS) {
    const value = headers[name];
    if (value === undefined) continue;
    const header = described.get(name);
    if (header === undefined) throw new Error(`${what} has the header ${name}, which openapi.json does not know there`);
    const { schema = {} } = header;
    const isInteger = Reflect.get(schema, "type") === "integer";
    mustMatch(schema, isInteger ? Number(value) : value, `${what}: header ${name}`);
  }
}

/**
 * Checks an answer of the API against the document; answers of other paths and of HEAD and OPTIONS are let through.
 * @throws Error that names the operation and what is not documented.
 */
export function mustBeDocumented(seen: Seen): void {
  if (!seen.url.startsWith(`${REST_BASE}/`) || seen.method === "HEAD" || seen.method === "OPTIONS") return;
  const [path = ""] = seen.url.slice(REST_BASE.length).split("?");
  const template = templates.find(({ pattern }) => pattern.test(path))?.path;
  const operation = template === undefined ? undefined : document.paths[template]?.[seen.method.toLowerCase()];
  if (operation === undefined) {
    mustBeFailure(seen, `${seen.status} of ${seen.method} ${path}`);
    return;
  }
  const what = `${seen.status} of ${seen.method} ${template}`;
  const response = operation.responses[seen.status];
  if (response === undefined) throw new Error(`${what} is not in openapi.json: ${seen.text}`);
  mustHaveDocumentedBody(resolved(response), seen, what);
  mustHaveDocumentedHeaders(resolved(response), seen, what);
}
