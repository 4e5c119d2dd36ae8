// The projects of those who build on the service.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { expect } from "vitest";
import { CLIENT_PEERS, type Project, tsc } from "./packing.js";

/** Compiler options of a new, strict project, which believes nobody's types and has none of Node's. */
export const strict = (module: "bundler" | "node16", ...files: string[]) => ({
  compilerOptions: {
    // tRPC's types name Disposable, which older targets do not have.
    target: "ESNext",
    module: module === "bundler" ? "ESNext" : "Node16",
    moduleResolution: module,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    // Those of earlier versions of tRPC name modules of Node.
    skipLibCheck: CLIENT_PEERS !== undefined,
    types: [],
    // Linked dependencies must not find what only this repository has installed.
    preserveSymlinks: true,
    outDir: "out",
  },
  files,
});

/** Compiles files of a project strictly; gives the complaints. */
export async function compile(
  { folder }: Project,
  name: string,
  module: "bundler" | "node16",
  files: string[],
  ...args: string[]
): Promise<string> {
  await writeFile(join(folder, `${name}.json`), JSON.stringify(strict(module, ...files)));
  return tsc(folder, "-p", `${name}.json`, ...args);
}

/** A bundle for browsers of a program that may use JSX and what the project has installed. */
export async function bundled({ folder }: Project, program: string): Promise<string> {
  const bundle = await build({
    stdin: { contents: program, resolveDir: folder, loader: "tsx" },
    bundle: true,
    format: "esm",
    platform: "browser",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    metafile: true,
  });
  expect(Object.keys(bundle.metafile.inputs).filter((input) => input.includes("node:"))).toEqual([]);
  return bundle.outputFiles[0]?.text ?? "";
}
