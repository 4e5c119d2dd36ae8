// The OpenAPI document as Markdown for readers to whom it is too long: `/llms.txt` has a line per operation, and a page per tag has
// paths, fields and examples.

import { isRecord } from "./json.js";

interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema?: Schema; example?: unknown }>;

interface DocumentedOperation {
  summary: string;
  description: string;
  tags: string[];
  security: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

/** The parts of the OpenAPI document that the guides are made from. */
export interface Documented {
  info: { title: string; summary: string };
  servers: { url: string }[];
  tags: { name: string; description: string; externalDocs?: { url: string } }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

/** The folder of the pages below the guides. */
const FOLDER = "api";

/** The path of a tag's page below `/guides`, such as `api/many-cards.md`. */
const addressOf = (tag: string) => `${FOLDER}/${tag.toLowerCase().replaceAll(" ", "-")}.md`;

/** An operation with its address in the document. */
interface Named {
  method: string;
  path: string;
  operation: DocumentedOperation;
}

const operationsIn = ({ paths }: Documented): Named[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** The text of `/llms.txt`: how to call the service, and a line per operation, in the order of the document. */
export function operationIndex(document: Documented): string {
  const { info, servers, tags } = document;
  const operations = operationsIn(document);
  const sections = tags.map(({ name, description }) => {
    const lines = operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ method, path, operation }) => `- ${method} ${path}: ${operation.summary}`);
    return `### [${name}](/guides/${addressOf(name)})\n\n${description}\n\n${lines.join("\n")}\n`;
  });
  return `# ${info.title}

> ${info.summary}

Paths of operations are relative to \`${servers[0]?.url}\`. Send \`Authorization: Bearer <token>\`: a personal token that a person made in the
account settings or with \`POST /tokens\`, or the \`accessToken\` of \`POST /auth/sign-in\`. Bodies are JSON objects; unknown fields are an
error. A PUT changes only the fields that it contains. Errors are \`{ code, message, issues }\`, and \`issues\` names the wrong fields. To repeat
a change safely, send an \`Idempotency-Key\`. Long lists take \`limit\` and \`cursor\` and return \`nextCursor\`, null at the end. Identifiers are
opaque.

To find the boards of a workspace, begin with GET /workspaces, then GET /workspaces/{workspacePublicId}/boards, then GET
/boards/{boardPublicId}, which holds its lists and cards.

**Guides**: [Getting started](/guides/getting-started.md), [Imports and exports](/guides/imports.md), [Streams](/guides/streams.md),
[Webhooks](/guides/webhooks.md), [Limits](/guides/limits.md), [TypeScript client](/guides/typescript-client.md),
[Generated clients](/guides/generated-clients.md), and [all others](/guides).

**Reference**: the page of each group below has its fields and examples. [/openapi.json](/openapi.json) is the whole OpenAPI document,
[/docs](/docs) shows it in a browser.

## Operations

${sections.join("\n")}`;
}

const between = (least: number | undefined, most: number | undefined, unit: string): string[] => {
  if (least === undefined && (most === undefined || most >= Number.MAX_SAFE_INTEGER)) return [];
  if (most === undefined || most >= Number.MAX_SAFE_INTEGER) return [`at least ${least}${unit}`];
  return [least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`];
};

/** The type of a value in a few words: `string, 1 to 255 characters`. */
function typeOf(schema: Schema): string {
  const { $ref, anyOf, items, type = "any" } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1);
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(" or ");
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (items !== undefined)
    return [`array of ${typeOf(items)}`, ...between(schema.minItems, schema.maxItems, "")].join("; ");
  const characters = between(schema.minLength, schema.maxLength, " characters");
  return [type, ...characters, ...between(schema.minimum, schema.maximum, "")].join(", ");
}

/** A field of a request or an answer. */
interface Field {
  name: string;
  place: string;
  isRequired: boolean;
  schema: Schema;
  description: string | undefined;
}

const inCell = (text: string) => text.replace(/\s+/g, " ").replaceAll("|", "\\|");

const rowOf = ({ name, place, isRequired, schema, description = schema.description ?? "" }: Field) => {
  const byDefault = schema.default === undefined ? "" : ` Default: \`${JSON.stringify(schema.default)}\`.`;
  return `| \`${name}\` | ${place}${isRequired ? ", required" : ""} | ${inCell(typeOf(schema))} | ${inCell(description + byDefault).trim()} |`;
};

const jsonOf = (content: Content | undefined) => content?.["application/json"];

const block = (title: string, example: unknown) =>
  example === undefined ? [] : [`${title}:\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``];

/** The first items of long arrays in an example: they all have the same form. */
function shortened(example: unknown): unknown {
  if (Array.isArray(example)) return example.slice(0, 1).map(shortened);
  if (!isRecord(example)) return example;
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, shortened(value)]));
}

/** Renders the pages of one document. */
class Pages {
  readonly #document: Documented;

  constructor(document: Documented) {
    this.#document = document;
  }

  #parametersOf({ parameters = [] }: DocumentedOperation): Field[] {
    const { parameters: shared } = this.#document.components;
    return parameters
      .map((parameter) => shared[parameter.$ref?.slice("#/components/parameters/".length) ?? ""] ?? parameter)
      .filter((parameter) => parameter.in !== "header")
      .map(({ name, in: place, required = false, schema, description }) => ({
        name,
        place,
        isRequired: required,
        schema,
        description,
      }));
  }

  #fieldsIn(schema: Schema | undefined, place: string): Field[] {
    const { schemas } = this.#document.components;
    const named = schema?.$ref === undefined ? schema : schemas[schema.$ref.slice("#/components/schemas/".length)];
    return Object.entries(named?.properties ?? {}).map(([name, property]) => ({
      name,
      place,
      isRequired: place === "body" && (named?.required ?? []).includes(name),
      schema: property,
      description: undefined,
    }));
  }

  #operation({ method, path, operation }: Named): string {
    const body = jsonOf(operation.requestBody?.content);
    const answer = jsonOf(operation.responses[200]?.content);
    const fields = [
      ...this.#parametersOf(operation),
      ...this.#fieldsIn(body?.schema, "body"),
      ...this.#fieldsIn(answer?.schema, "answer"),
    ];
    const table = `| Field | Place | Type | Description |\n|---|---|---|---|\n${fields.map(rowOf).join("\n")}`;
    return [
      `## ${operation.summary}`,
      `\`${method} ${path}\`${operation.security.length === 0 ? ", without a token" : ""}`,
      operation.description,
      ...(fields.length > 0 ? [table] : []),
      ...block("Example of a body", body?.example),
      ...block("Example of an answer", shortened(answer?.example)),
    ].join("\n\n");
  }

  page({ name, description, externalDocs }: Documented["tags"][number]): string {
    const operations = operationsIn(this.#document).filter(({ operation }) => operation.tags.includes(name));
    const guide = externalDocs === undefined ? "" : ` See the [guide](${externalDocs.url}.md).`;
    return `# ${name}

${description}${guide}

Paths are relative to \`${this.#document.servers[0]?.url}\`. [/llms.txt](/llms.txt) explains tokens, errors and pages, and lists the other groups.

${operations.map((operation) => this.#operation(operation)).join("\n\n")}
`;
  }
}

/** A page of Markdown per tag of the document, by its path below `/guides`. */
export function operationPages(document: Documented): Map<string, string> {
  const pages = new Pages(document);
  return new Map(document.tags.map((tag) => [addressOf(tag.name), pages.page(tag)]));
}
