// What a module of the built package brings with it.

import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { preProcessFile } from "typescript";

/** What is reached from a module: files of the package, and other packages by name. */
export interface Reached {
  files: Set<string>;
  packages: Set<string>;
}

const packageOf = (specifier: string) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** Walks the imports of a module, or of its types where the file is a declaration. */
export async function reachedFrom(file: string, reached: Reached = { files: new Set(), packages: new Set() }) {
  if (reached.files.has(file)) return reached;
  reached.files.add(file);
  for (const { fileName } of preProcessFile(await readFile(file, "utf8"), true, true).importedFiles) {
    if (!fileName.startsWith(".")) reached.packages.add(packageOf(fileName));
    else await reachedFrom(join(dirname(file), declared(file, fileName)), reached);
  }
  return reached;
}

const declared = (from: string, imported: string) =>
  from.endsWith(".d.ts") ? imported.replace(/\.js$/, ".d.ts") : imported;
