// Digests of secrets: what is stored of them, and how they are compared.

import { hash, timingSafeEqual } from "node:crypto";

/** The SHA-256 of a text, as hex. */
export const hashOf = (text: string): string => hash("sha256", text);

/** Compares in constant time, which reveals nothing about where two texts differ. */
export const isSame = (sent: string, wanted: string): boolean =>
  timingSafeEqual(Buffer.from(hashOf(sent)), Buffer.from(hashOf(wanted)));
