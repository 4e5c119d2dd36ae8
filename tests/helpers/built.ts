// Tests load the service from its build, as one set of modules that Node keeps for all files of a worker. Processes that tests start
// run the same build. Watch mode loads the source instead, so that Vitest sees what changes.

import { execFileSync } from "node:child_process";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SOURCE = join(ROOT, "src/");
const BUILD = join(ROOT, "dist/");

/** Matches the modules that Node loads, not Vite. */
export const BUILT = new RegExp(`^${BUILD.replace(/[.+*?()[\]{}|^$\\]/g, "\\$&")}`);

/** Builds the service before anything imports it, and resolves imports of `src/` to `dist/`. */
export function builtSource(): Plugin {
  let isWatching = false;
  return {
    name: "built-source",
    enforce: "pre",
    config() {
      execFileSync(process.execPath, [join(ROOT, "scripts/build.cjs")]);
    },
    configureVitest({ vitest }) {
      isWatching = vitest.config.watch;
    },
    resolveId(id, importer) {
      if (isWatching || importer === undefined || !id.startsWith(".")) return null;
      const path = resolve(dirname(importer), id);
      return path.startsWith(SOURCE) ? join(BUILD, relative(SOURCE, path)) : null;
    },
  };
}
