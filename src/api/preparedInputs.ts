// Inputs that a worker thread has prepared: large bodies, parsed and planned as far as possible without the database.

import { setImmediate as eventLoopTurn } from "node:timers/promises";
import type { z } from "zod";
import type { ErrorCode, Issue } from "./errors.js";

/** A task for a worker thread: the path of an operation, and its body. */
export interface Task {
  path: string;
  /** The file of the body, which the threads of a process share. */
  fd: number;
  size: number;
  /** Whether the body is a batch of one call; tRPC's client also sends single calls in this form. */
  isBatch: boolean;
}

/** The result of a worker thread; `rendered` is a response as bytes, `bodyHash` the SHA-256 of the body. */
export type TaskResult =
  | { kind: "plan"; plan: unknown; bodyHash: string }
  | { kind: "rendered"; bytes: Uint8Array; bodyHash: string }
  | { kind: "refused"; code: ErrorCode; issues: Issue[] };

/** A large body that a worker thread has prepared. */
export class Prepared {
  constructor(
    readonly plan: unknown,
    readonly bodyHash: string,
  ) {}
}

/** Parses an input and prepares what its operation starts with. */
export type Preparation = (input: unknown) => unknown;

/** The preparation of an operation: its input schema, then `planFor`, which does not use the database. */
export const preparation =
  <Schema extends z.ZodObject>(schema: Schema, planFor: (input: z.output<Schema>) => unknown): Preparation =>
  (input) =>
    planFor(schema.parse(input));

/** An input schema that also accepts input that a worker thread has prepared with it. The document shows the schema itself. */
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

/**
 * The plan of an operation. Its input is made with `orPrepared`, and its preparation uses the same `planFor`. Validating, planning
 * and writing each keep the process busy, so other calls run in between.
 */
export async function plannedFrom<Input, Plan>(input: Input, planFor: (input: Input) => Plan): Promise<Plan> {
  if (input instanceof Prepared) return input.plan as Plan;
  await eventLoopTurn();
  const plan = planFor(input);
  await eventLoopTurn();
  return plan;
}
