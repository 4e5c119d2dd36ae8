// Entity tags: a strong one is made of the bytes of an answer, so it changes exactly when they do (contract section 1, ETag).

import { createHash } from "node:crypto";
import type { z } from "zod";

/** The entity tag of a SHA-256 in base64url. */
export const etagOfDigest = (digest: string) => `"${digest.slice(0, 27)}"`;

/** The entity tag of an answer's bytes. */
export const etagOfBody = (body: string | Buffer) =>
  etagOfDigest(createHash("sha256").update(body).digest("base64url"));

/** The entity tag that the answer of a GET with this output would have. */
export const etagOf = <T extends z.ZodType>(output: T, answer: z.input<T>) =>
  etagOfBody(JSON.stringify(output.parse(answer)));

const GZIPPED = /-gzip"$/;

/** The entity tag of the same bytes as gzip: a strong tag names one encoding. */
export const etagOfGzipped = (etag: string) => `${etag.slice(0, -1)}-gzip"`;

/** The tags that a header names, of whichever encoding. */
const tagsIn = (header: string) => header.split(",").map((tag) => tag.trim().replace(GZIPPED, '"'));

/** Whether `If-None-Match` names an entity tag, compared weakly as HTTP wants it there. */
export const namesWeakly = (header: string, etag: string): boolean =>
  tagsIn(header).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);

/** Whether `If-Match` names an entity tag, compared strongly. */
export const namesStrongly = (header: string, etag: string): boolean =>
  tagsIn(header).some((tag) => tag === "*" || tag === etag);
