// The texts of the OpenAPI document for each operation, in the form in which the client's types need them: by the procedure's path,
// with one schema for everything that goes in and one for what comes out.

import { RESUMPTION } from "../../src/api/openapiTexts.js";

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const objectAt = (value: unknown, ...keys: string[]): Json => {
  const found = keys.reduce<unknown>((outer, key) => (isObject(outer) ? outer[key] : undefined), value);
  return isObject(found) ? found : {};
};

/** A JSON schema whose references are resolved one step at a time. */
export class Schema {
  readonly #document: unknown;
  readonly #json: Json;

  constructor(document: unknown, json: unknown) {
    this.#document = document;
    this.#json = isObject(json) ? json : {};
  }

  /** The schema that a reference leads to, or this one. */
  #resolved(): Json {
    const { $ref, ...own } = this.#json;
    if (typeof $ref !== "string") return this.#json;
    const target = new Schema(this.#document, objectAt(this.#document, ...$ref.replace("#/", "").split("/")));
    return { ...target.#resolved(), ...own };
  }

  get description(): string | undefined {
    const { description } = this.#resolved();
    return typeof description === "string" ? description : undefined;
  }

  /** This schema and everything that it is put together from: alternatives and parts. */
  *variants(): Generator<Schema> {
    yield this;
    const resolved = this.#resolved();
    for (const part of [resolved.anyOf, resolved.oneOf, resolved.allOf].flat()) {
      if (isObject(part)) yield* new Schema(this.#document, part).variants();
    }
  }

  property(name: string): Schema | undefined {
    const found = objectAt(this.#resolved(), "properties")[name];
    return found === undefined ? undefined : new Schema(this.#document, found);
  }

  /** The one value that the schema allows, such as the type of an event. */
  get constant(): unknown {
    const { const: value, enum: values } = this.#resolved();
    return Array.isArray(values) && values.length === 1 ? values[0] : value;
  }

  /** The schema of the items of an array or of the values of a record. */
  get elements(): Schema | undefined {
    const { items, additionalProperties } = this.#resolved();
    const found = items ?? additionalProperties;
    return isObject(found) ? new Schema(this.#document, found) : undefined;
  }
}

/** The texts of an operation in the document. */
export interface Documented {
  summary: string;
  description: string;
  /** Such as `POST /cards`. */
  rest: string;
  input: Schema;
  output: Schema;
}

/** The fields of the path, the query and the body, as one object: over tRPC they travel together. */
function inputOf(document: unknown, operation: Json): Schema {
  const body = objectAt(operation, "requestBody", "content", "application/json").schema;
  const parameters = Array.isArray(operation.parameters) ? operation.parameters : [];
  const fields = parameters.filter(isObject).map((parameter) => {
    const name = parameter.name === RESUMPTION.name ? "lastEventId" : String(parameter.name);
    return [name, { description: parameter.description, ...objectAt(parameter, "schema") }];
  });
  return new Schema(document, { properties: Object.fromEntries(fields), allOf: [body] });
}

/** The body of a success; of a stream: each of its messages. */
function outputOf(document: unknown, operation: Json): Schema {
  const content = objectAt(operation, "responses", "200", "content");
  const message = objectAt(content, "text/event-stream")["x-itemSchema"];
  return new Schema(document, message ?? objectAt(content, "application/json").schema);
}

/** Every operation of the document, by the path of its procedure, such as `card.create`. */
export function documentedOperations(document: unknown): Map<string, Documented> {
  const found = Object.entries(objectAt(document, "paths")).flatMap(([path, methods]) =>
    Object.entries(objectAt(methods)).map(([method, operation]): [string, Documented] => {
      const { operationId, summary, description } = objectAt(operation);
      return [
        String(operationId).replaceAll("_", "."),
        {
          summary: String(summary),
          description: typeof description === "string" ? description : "",
          rest: `${method.toUpperCase()} ${path}`,
          input: inputOf(document, objectAt(operation)),
          output: outputOf(document, objectAt(operation)),
        },
      ];
    }),
  );
  return new Map(found);
}
