// Validates a file part by part and stops at the first mistake, because an issue for each of a million mistakes would be larger
// than the file.

import { z } from "zod";
import { type Issue, issuesOf } from "../../api/errors.js";

const PART_ISSUES_MAX = 20;
/** The maximum number of items in the arrays of one part. */
const PART_ITEMS_MAX = 20_000;
const DEPTH_MAX = 6;

/** An array of a file: the schema of its items, and their maximum number. */
interface ListOf {
  part: z.ZodType;
  max: number;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** The number of items in the arrays of a value, counted only up to the limit. */
function itemsIn(value: unknown, depth = 0): number {
  if (!isRecord(value) || depth > DEPTH_MAX) return 0;
  let count = Array.isArray(value) ? value.length : 0;
  for (const key of Object.keys(value)) {
    if (count > PART_ITEMS_MAX) return count;
    count += itemsIn(value[key], depth + 1);
  }
  return count;
}

function problemsOf(value: unknown, { part, max }: ListOf): Issue[] {
  if (!Array.isArray(value)) return [];
  if (value.length > max) return [{ path: [], message: `Must have at most ${max} items` }];
  for (const [index, item] of value.entries()) {
    if (itemsIn(item) > PART_ITEMS_MAX)
      return [{ path: [index], message: `Must have at most ${PART_ITEMS_MAX} items in its arrays` }];
    const { error } = part.safeParse(item);
    if (error === undefined) continue;
    return issuesOf(error)
      .slice(0, PART_ISSUES_MAX)
      .map(({ path, message }) => ({ path: [index, ...path], message }));
  }
  return [];
}

/** The schema of a file whose arrays are validated first, up to the first invalid item. */
export const checked = <File extends z.ZodType>(lists: Record<string, ListOf>, file: File) =>
  z.preprocess((value, ctx) => {
    if (!isRecord(value)) return value;
    for (const [name, list] of Object.entries(lists)) {
      const problems = problemsOf(value[name], list);
      for (const { path, message } of problems) ctx.addIssue({ code: "custom", path: [name, ...path], message });
      if (problems.length > 0) break;
    }
    return value;
  }, file);
