// `npm run build`: writes src/ as JavaScript to dist/, file by file, and the page to dist/web. It checks no types; `npm run check`
// does.

require("../bin/nodeVersion.cjs");

const { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { dirname, join, resolve } = require("node:path");
const { build } = require("esbuild");
const { buildPage } = require("./buildPage.cjs");

const ROOT = resolve(__dirname, "..");
const OUT = join(ROOT, "dist");
/** What is served as it is. */
const PAGES = join("api", "pages");
const WEB = join(OUT, "web");

/** Removes what an earlier build wrote and this one did not. */
function removeOthers(written) {
  for (const entry of readdirSync(OUT, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isDirectory() && !written.has(path) && !path.startsWith(join(WEB, "/"))) rmSync(path);
  }
}

/** Writes a file unless it is the same already: other processes may be loading it. */
function write({ path, contents }) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}

async function main() {
  const begun = performance.now();
  process.stdout.write("Building work-board ... ");
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/**/*.ts"],
    outdir: "dist",
    outbase: "src",
    format: "esm",
    platform: "node",
    target: "node20.19",
    sourcemap: true,
    metafile: true,
    write: false,
    logLevel: "error",
  });
  outputFiles.forEach(write);
  cpSync(join(ROOT, "src", PAGES), join(OUT, PAGES), { recursive: true });
  const pages = readdirSync(join(OUT, PAGES)).map((name) => join(OUT, PAGES, name));
  removeOthers(new Set([...Object.keys(metafile.outputs).map((path) => resolve(ROOT, path)), ...pages]));
  const files = Object.keys(metafile.inputs).length;
  const page = (await buildPage(ROOT, WEB)) ? " and the page" : "";
  process.stdout.write(`${files} files${page} in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
}

main().catch((error) => {
  // Errors in the source have been printed by esbuild.
  if (!("errors" in error)) console.error(error);
  process.exitCode = 1;
});
