// Password hashing with argon2id, at most two at a time and one of a caller, so that a burst of sign-ins neither uses all memory and
// cores nor holds up the sign-ins of others.

import { hash, verify } from "@node-rs/argon2";
import { type CallerKey, Gate } from "../api/fairness.js";

const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The weight of an operation that compares or hashes a password (`meta.weight`). */
export const HASH_WEIGHT = 8;

const hashes = new Gate({ perCaller: 1, inProcess: 2, waiting: 256, waitMs: 30_000, retryS: 1 });

/** The encoded argon2id hash of a password. Throws SERVICE_UNAVAILABLE if `caller` has too many of them to wait for. */
export const hashPassword = (password: string, caller: CallerKey): Promise<string> =>
  hashes.run({ key: caller, weight: 1 }, () => hash(password, OPTIONS));

let decoy: Promise<string> | undefined;

/** Whether a password matches a hash. Without one it takes as long and is false, which hides whether an address exists. */
export async function verifyPassword(
  encoded: string | null | undefined,
  password: string,
  caller: CallerKey,
): Promise<boolean> {
  decoy ??= hash("a password that nobody has", OPTIONS);
  const against = encoded ?? (await decoy);
  const fits = await hashes.run({ key: caller, weight: 1 }, () => verify(against, password));
  return fits && encoded != null;
}
