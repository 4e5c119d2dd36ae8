// Programs of this machine.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether a file can be run. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of a program: the first of its names that a folder of `PATH` has; undefined if there is none. */
export const programNamed = (...names: string[]): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isExecutable);
