// The directory of an embedded database: how it is made, and the error, in words for operators, where it cannot be used.

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { codes } from "../failures.js";

/** DATA_DIR cannot be used. The message is one line that names the variable or its value. */
export class DataDirError extends Error {
  override readonly name: string = "DataDirError";
}

const OWNER_ONLY = 0o700;

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, OWNER_ONLY);
  } catch (error) {
    if (!codes(error).includes("EEXIST")) throw error;
  }
}

/**
 * Makes a directory and those above it, for their owner alone; what is there already stays as it is. Node's own `recursive` never ends
 * where the system takes no new directory in one that is there, as in /proc.
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if (!codes(error).includes("ENOENT") || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await makeOne(path);
  }
}
