// Builds the page into dist/web, unless what was built there is of the same sources.

const { createHash } = require("node:crypto");
const { existsSync, readdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

/** The sources of the page. */
const SOURCES = ["packages/web", "packages/client/src", "package-lock.json"];

/** A hash of every source, by its name and content. */
function hashOf(root) {
  const hash = createHash("sha256");
  const add = (path) =>
    hash
      .update(path)
      .update("\0")
      .update(readFileSync(join(root, path)))
      .update("\0");
  for (const source of SOURCES) {
    if (source.endsWith(".json")) {
      add(source);
      continue;
    }
    const entries = readdirSync(join(root, source), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.sort()) add(file.slice(root.length + 1));
  }
  return hash.digest("hex");
}

/** Builds the page of a clone. Returns whether there was anything to do; an installed package has no sources of it. */
async function buildPage(root, out) {
  const config = join(root, "packages/web/vite.config.ts");
  if (!existsSync(config)) return false;
  const stamp = join(out, "sources.sha256");
  const hash = hashOf(root);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return false;
  // Tests build with another value, for which React ships its development build.
  process.env.NODE_ENV = "production";
  const { build } = await import("vite");
  await build({ configFile: config, logLevel: "error" }).catch((error) => {
    throw new Error("The page could not be built. If package-lock.json has changed, run npm ci.", { cause: error });
  });
  writeFileSync(stamp, hash);
  return true;
}

module.exports = { buildPage };
