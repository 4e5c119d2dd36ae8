// Inputs that a worker thread has read: what an operation makes of a large body before it needs the database.

import type { z } from "zod";
import type { ErrorCode, Issue } from "./errors.js";

/** What a worker thread is given: the path of an operation, and its body. */
export interface Task {
  path: string;
  bytes: Uint8Array;
  /** Whether the body is that of a batch of one call, which tRPC's client also makes of a single call. */
  isBatch: boolean;
}

/** What a worker thread gives back; `rendered` is an answer as its bytes, `bodyHash` the SHA-256 of the body. */
export type Outcome =
  | { kind: "plan"; plan: unknown; bodyHash: string }
  | { kind: "rendered"; bytes: Uint8Array; bodyHash: string }
  | { kind: "refused"; code: ErrorCode; issues: Issue[] };

/** What a worker thread made of a large body. */
export class Prepared {
  constructor(
    readonly plan: unknown,
    readonly bodyHash: string,
  ) {}
}

/** Reads an input and makes of it what its operation begins with. */
export type Preparation = (input: unknown) => unknown;

/** The preparation of an operation: its input schema, then `planFor`, which knows no database. */
export const preparation =
  <Schema extends z.ZodObject>(schema: Schema, planFor: (input: z.output<Schema>) => unknown): Preparation =>
  (input) =>
    planFor(schema.parse(input));

/** An input schema that also takes what a worker thread read with it. The document sees the schema itself. */
export function orPrepared<Schema extends z.ZodObject>(schema: Schema): Schema {
  const parse = (input: unknown) => (input instanceof Prepared ? input : schema.parse(input));
  const safeParse = (input: unknown) =>
    input instanceof Prepared ? { success: true, data: input } : schema.safeParse(input);
  return Object.create(schema, {
    parse: { value: parse },
    parseAsync: { value: async (input: unknown) => parse(input) },
    safeParse: { value: safeParse },
  });
}

/** What an operation begins with. Its input is of `orPrepared`, and its preparation plans with the same `planFor`. */
export const plannedFrom = <Input, Plan>(input: Input, planFor: (input: Input) => Plan): Plan =>
  input instanceof Prepared ? (input.plan as Plan) : planFor(input);
