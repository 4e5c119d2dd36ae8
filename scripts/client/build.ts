// Builds what the package `work-board-client` ships: the client and the replica, each as one file of JavaScript, both in one file for
// browsers, and their types file by file. Beside them lie the types of what they take from the service: the router, cut loose from the
// server and with the document's texts as comments, and the table of permissions. `npm pack ./packages/client` runs it.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";
import ts from "typescript";
import { ERRORS } from "../../src/api/errors.js";
import { documentedOperations } from "./documented.js";
import { routerType } from "./routerType.js";

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const SOURCES = pathOf("packages/client/src");
const CLIENT = `${SOURCES}/client.ts`;
const FILES = readdirSync(SOURCES)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => `${SOURCES}/${name}`);
const PERMISSIONS = pathOf("src/access/permissions.ts");
const ROUTER = pathOf("src/router.ts");
/** Further entries, such as `work-board-client/board`: each is bundled beside the client, and declared file by file. */
const ENTRIES = ["board", "react", "webhooks"];
/** The parts of the replica that are loaded where they are used. */
const LATER = ["sharedStream", "storedQueue"];
const ENTRY_FILES = ENTRIES.flatMap((entry) => readdirSync(`${SOURCES}/${entry}`).map((name) => `${entry}/${name}`));
/** The packages in the file for browsers, whose licences go with it. */
const BUNDLED = ["@trpc/client", "@trpc/server", "eventsource-parser"];
const OUT = pathOf("packages/client/dist");

/** The declarations that the compiler writes for a file; throws with its complaints, if any. */
function declarationsOf(program: ts.Program, path: string): string {
  let text = "";
  const { diagnostics } = program.emit(
    program.getSourceFile(path),
    (_name, written) => (text = written),
    undefined,
    true,
  );
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, FORMAT));
  return text;
}

const FORMAT: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => pathOf(""),
  getNewLine: () => "\n",
};

function programOf(...files: string[]): ts.Program {
  const { config } = ts.readConfigFile(pathOf("tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, pathOf(""));
  return ts.createProgram(files, { ...options, noEmit: false, emitDeclarationOnly: true });
}

rmSync(OUT, { recursive: true, force: true });
for (const entry of ENTRIES) mkdirSync(`${OUT}/${entry}`, { recursive: true });
const output: BuildOptions = { outdir: OUT, bundle: true, format: "esm", target: "es2022", logLevel: "error" };
buildSync({ ...output, entryPoints: [CLIENT], packages: "external" });
buildSync({ ...output, entryPoints: [`${SOURCES}/index.ts`], external: ["./client.js"] });
buildSync({
  ...output,
  entryPoints: [...ENTRIES.map((entry) => `${entry}/index`), ...LATER.map((part) => `board/${part}`)].map((out) => ({
    in: `${SOURCES}/${out}.ts`,
    out,
  })),
  external: ["../client.js", ...LATER.map((part) => `./${part}.js`)],
  packages: "external",
});
const licences = ["LICENSE", ...BUNDLED.map((name) => `node_modules/${name}/LICENSE`)].map((path) =>
  readFileSync(pathOf(path), "utf8").trim(),
);
buildSync({
  ...output,
  entryPoints: [`${SOURCES}/browser.ts`],
  minify: true,
  banner: { js: `/*! work-board-client, with ${BUNDLED.join(", ")}\n\n${licences.join("\n\n")}\n*/` },
});

const program = programOf(...FILES, PERMISSIONS, ROUTER, ...ENTRY_FILES.map((file) => `${SOURCES}/${file}`));
const document: unknown = JSON.parse(readFileSync(pathOf("openapi.json"), "utf8"));
const routerTypes = routerType(declarationsOf(program, ROUTER), Object.keys(ERRORS), documentedOperations(document));
for (const path of [...FILES, PERMISSIONS]) {
  const types = declarationsOf(program, path).replaceAll(/"\.\.\/\.\.\/\.\.\/src\/(?:\w+\/)*(\w+\.js)"/g, '"./$1"');
  writeFileSync(`${OUT}/${basename(path, ".ts")}.d.ts`, types);
}
for (const file of ENTRY_FILES) {
  writeFileSync(`${OUT}/${file.replace(/ts$/, "d.ts")}`, declarationsOf(program, `${SOURCES}/${file}`));
}
writeFileSync(`${OUT}/${basename(ROUTER, ".ts")}.d.ts`, routerTypes);
copyFileSync(pathOf("LICENSE"), `${OUT}/LICENSE`);
