// Encrypts what the service must be able to read again (capabilities section 3): AES-256-GCM with the first key of SECRET_KEY; every
// key decrypts, so that a new one can be put before the old.

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The keys of SECRET_KEY. */
type SecretKeys = readonly Buffer[];

/** Encrypts a text; null where there is no key. `purpose` says what it is and whose: stored elsewhere it does not decrypt. */
export function encrypt(keys: SecretKeys, text: string, purpose: string): string | null {
  const [key] = keys;
  if (key === undefined) return null;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(purpose));
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString("base64");
}

function decryptWith(key: Buffer, stored: Buffer, purpose: string): string | null {
  try {
    const nonce = stored.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(purpose))
      .setAuthTag(stored.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const encrypted = stored.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString("utf8");
  } catch {
    // Another key, another purpose, or bytes that were changed: the tag does not fit.
    return null;
  }
}

/** The text that was encrypted, and whether it was by the first key; null where no key decrypts it. */
export function decrypt(keys: SecretKeys, stored: string, purpose: string): { text: string; isNewest: boolean } | null {
  const bytes = Buffer.from(stored, "base64");
  for (const [place, key] of keys.entries()) {
    const text = decryptWith(key, bytes, purpose);
    if (text !== null) return { text, isNewest: place === 0 };
  }
  return null;
}
