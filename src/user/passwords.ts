// Password hashing with argon2id, at most two at a time and one of a caller, so that a burst of sign-ins neither uses all memory and
// cores nor holds up the sign-ins of others.

import { hash, verify } from "@node-rs/argon2";
import { type CallerKey, Gate } from "../api/fairness.js";

/** The cost of a hash, as OWASP recommends it: memory in KiB, and passes over it. */
export const HASH_COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The cost of the hashes that this process makes. Tests lower it. */
export const hashing = { cost: HASH_COST };

/** The weight of an operation that compares or hashes a password (`meta.weight`). */
export const HASH_WEIGHT = 8;

const hashes = new Gate({ perCaller: 1, inProcess: 2, waiting: 256, waitMs: 30_000, retryS: 1 });

/**
 * The last parameter of an encoded hash, and how it marks the hash of a password in NFC: argon2 stores a key identifier there, from which
 * it computes nothing.
 */
const [AS_SENT, NORMALISED] = ["p=1$", "p=1,keyid=bmZj$"] as const;

/** Systems type the same letter with an accent as one code point or as two. */
const normalised = (password: string) => password.normalize("NFC");

/** The encoded argon2id hash of a password in NFC. Throws SERVICE_UNAVAILABLE if `caller` has too many of them to wait for. */
export async function hashPassword(password: string, caller: CallerKey): Promise<string> {
  const encoded = await hashes.run({ key: caller, weight: 1 }, () => hash(normalised(password), hashing.cost));
  return encoded.replace(AS_SENT, () => NORMALISED);
}

let decoy: Promise<string> | undefined;

/**
 * Whether a password matches a hash, in NFC; as it was sent if the hash is older than that rule. Without a hash it takes as long and is
 * false, which hides whether an address exists.
 */
export async function verifyPassword(
  encoded: string | null | undefined,
  password: string,
  caller: CallerKey,
): Promise<boolean> {
  decoy ??= hash("a password that nobody has", hashing.cost);
  const against = encoded ?? (await decoy);
  const compare = (form: string) => hashes.run({ key: caller, weight: 1 }, () => verify(against, form));
  const isOlder = encoded?.includes(NORMALISED) === false;
  const fits = await compare(normalised(password));
  // Compared for any hash, so that the time does not say which one is older.
  const fitsAsSent = password !== normalised(password) && (await compare(password)) && isOlder;
  return (fits || fitsAsSent) && encoded != null;
}
