// The failures in the document: which ones an operation answers with, and one named response for each distinct one.

import { ERRORS, type ErrorCode, type Failure, isErrorCode, unreadable } from "./errors.js";
import { WHEN } from "./openapiTexts.js";
import type { Operation } from "./rest.js";

/** The body of a failure. */
export type FailureBody = Failure["body"];

const errorCodes = Object.keys(ERRORS).filter(isErrorCode);

const RETRIED: readonly ErrorCode[] = ["TOO_MANY_REQUESTS", "SERVICE_UNAVAILABLE"];

/** Whether an operation takes an `Idempotency-Key`. */
export const takesKey = ({ isPublic, type, secretAnswer }: Operation): boolean =>
  !isPublic && !secretAnswer && type === "mutation";

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
        return operation.ifMatch === true;
      default:
        return true;
    }
  };
  return errorCodes.filter((code) => isUsual(code) || operation.fails?.includes(code));
}

/** The texts of a code that any operation can answer with. */
const usualBody = (code: ErrorCode): FailureBody =>
  code === "BAD_REQUEST" ? unreadable().body : { code, message: ERRORS[code].message, issues: [] };

/** A name that distinguishes a failure from others of its code: by the field of its first issue. */
function nameOf({ code, issues }: FailureBody, taken: readonly string[]): string {
  const base = [code, issues[0]?.path.at(-1) ?? "request"].join("_");
  let name = base;
  for (let number = 2; taken.includes(name); number++) name = `${base}_${number}`;
  return name;
}

/** The responses of failures by name; `referencesOf` gives those of an operation by status, with its own examples if it has any. */
export class FailureResponses {
  /** Names by the bodies as JSON. */
  readonly #names = new Map<string, string>();
  readonly components: Record<string, unknown> = {};

  constructor(operations: readonly Operation[], examplesOf: (operation: Operation) => readonly FailureBody[]) {
    const used = new Set(operations.flatMap(codesOf));
    for (const code of errorCodes.filter((known) => used.has(known))) this.#add(code, usualBody(code));
    for (const body of operations.flatMap(examplesOf)) {
      if (!this.#names.has(JSON.stringify(body))) this.#add(nameOf(body, Object.keys(this.components)), body);
    }
  }

  #add(name: string, example: FailureBody): void {
    const { code } = example;
    this.#names.set(JSON.stringify(example), name);
    this.components[name] = {
      description: WHEN[code],
      ...(RETRIED.includes(code) && { headers: { "Retry-After": { $ref: "#/components/headers/Retry-After" } } }),
      content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" }, example } },
    };
  }

  referencesOf(operation: Operation, examples: readonly FailureBody[]): Record<string, unknown> {
    return Object.fromEntries(
      codesOf(operation).map((code) => {
        const body = examples.find((example) => example.code === code) ?? usualBody(code);
        return [ERRORS[code].status, { $ref: `#/components/responses/${this.#names.get(JSON.stringify(body))}` }];
      }),
    );
  }
}
