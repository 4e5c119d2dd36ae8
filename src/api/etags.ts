// Entity tags: strong, and made of the bytes of a response, so they change exactly when the bytes do (contract section 1, ETag). Only
// `eventId` is not counted: the log grows while the thing stays as it is.

import { createHash } from "node:crypto";
import type { z } from "zod";

/** The entity tag for a SHA-256 in base64url. */
export const etagOfDigest = (digest: string) => `"${digest.slice(0, 27)}"`;

/** The entity tag of a response's bytes. */
export function etagOfBody(...body: (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of body) hash.update(part);
  return etagOfDigest(hash.digest("base64url"));
}

/** The part of an answer that its entity tag covers: everything but its `eventId`. */
export function counted(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || !("eventId" in answer)) return answer;
  const { eventId: _, ...rest } = answer;
  return rest;
}

/** The entity tag that a GET with this output would return. */
export const etagOf = <T extends z.ZodType>(output: T, answer: z.input<T>) =>
  etagOfBody(JSON.stringify(counted(output.parse(answer))));

const GZIPPED = /-gzip"$/;

/** The entity tag of the same bytes as gzip, because a strong tag identifies one encoding. */
export const etagOfGzipped = (etag: string) => `${etag.slice(0, -1)}-gzip"`;

/** The tags in a header, whatever their encoding. */
const tagsIn = (header: string) => header.split(",").map((tag) => tag.trim().replace(GZIPPED, '"'));

/**
 * Whether `If-None-Match` or `If-Match` contains an entity tag. Both are compared weakly: a proxy that compresses an answer makes its tag
 * weak, and the client then has no other.
 */
export const namesTag = (header: string, etag: string): boolean =>
  tagsIn(header).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
