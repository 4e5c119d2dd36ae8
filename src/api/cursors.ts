// Paging with cursors: one page of a list, and an opaque cursor that marks its end.

import { createHash } from "node:crypto";
import { z } from "zod";
import { readInstant } from "../db/instants.js";
import { badRequest } from "./errors.js";

/** The values that define the order of a list, as cursors contain them. */
export const cursorValues = {
  instant: z.string().refine((value) => readInstant(value) !== null),
  publicId: z.string().regex(/^[0-9A-Za-z]{12}$/),
  /** A number from 1 to 2^53 - 1. */
  number: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
};

/** One list, read page by page. */
interface Pages<End> {
  /** The values at which the page before ended; null without a cursor. @throws BAD_REQUEST, naming `cursor`, for a wrong one. */
  endOf(cursor: string | undefined): End | null;
  /** The page that begins with `rows`, which has one more row than `limit` if the list continues. */
  pageOf<Row>(rows: readonly Row[], limit: number, endAt: (last: Row) => End): Page<Row>;
}

interface Page<Row> {
  items: Row[];
  nextCursor: string | null;
}

/** A fingerprint of 8 characters that distinguishes the cursors of one list from those of all others. */
const markOf = (name: string, of: readonly string[]) =>
  createHash("sha256")
    .update(JSON.stringify([name, ...of]))
    .digest("base64url")
    .slice(0, 8);

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return null;
  }
}

/** The lists of one name, such as comments, ordered by `values`. A cursor is valid for one list, which `of` identifies. */
export function pagesOf<End extends readonly unknown[]>(name: string, values: z.ZodType<End>) {
  return (...of: string[]): Pages<End> => {
    const mark = markOf(name, of);
    return {
      endOf: (cursor) => {
        if (cursor === undefined) return null;
        const parts = parse(cursor);
        const end = Array.isArray(parts) && parts[0] === mark ? values.safeParse(parts.slice(1)) : undefined;
        if (end?.success !== true) throw badRequest("Must be a nextCursor of this list", "cursor");
        return end.data;
      },
      pageOf: (rows, limit, endAt) => {
        const items = rows.slice(0, limit);
        const last = rows.length > limit ? items.at(-1) : undefined;
        if (last === undefined) return { items, nextCursor: null };
        const cursor = JSON.stringify([mark, ...endAt(last)]);
        return { items, nextCursor: Buffer.from(cursor).toString("base64url") };
      },
    };
  };
}
