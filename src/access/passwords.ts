// Password hashing with argon2id, at most two at a time, so that a burst of sign-ins does not use all memory and cores.

import { hash, verify } from "@node-rs/argon2";

const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const waiting: (() => void)[] = [];
let running = 0;

async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (running >= 2) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** The encoded argon2id hash of a password. */
export const hashPassword = (password: string): Promise<string> => limited(() => hash(password, OPTIONS));

let decoy: Promise<string> | undefined;

/**
 * Whether a password matches a hash. Without a hash (unknown account) it does the same work and returns false, so that the response
 * time does not reveal which addresses exist.
 */
export async function verifyPassword(encoded: string | null | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword("a password that nobody has");
  const against = encoded ?? (await decoy);
  const fits = await limited(() => verify(against, password));
  return fits && encoded != null;
}
