// Builds what the package `work-board-client` ships: the client and the replica as JavaScript, their types, and the router's type
// beside them, cut loose from the server and with the document's texts as comments. `npm pack ./packages/client` runs it.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";
import ts from "typescript";
import { ERRORS } from "../../src/api/errors.js";
import { documentedOperations } from "./documented.js";
import { routerType } from "./routerType.js";

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const CLIENT = pathOf("packages/client/src/client.ts");
const ROUTER = pathOf("src/router.ts");
/** `work-board-client/board`: bundled beside the client, and declared file by file. */
const BOARD = pathOf("packages/client/src/board");
const BOARD_FILES = readdirSync(BOARD).map((name) => `${BOARD}/${name}`);
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
mkdirSync(`${OUT}/board`, { recursive: true });
const output: BuildOptions = { outdir: OUT, format: "esm", target: "es2022", logLevel: "error" };
buildSync({ ...output, entryPoints: [CLIENT] });
buildSync({
  ...output,
  entryPoints: [{ in: `${BOARD}/index.ts`, out: "board/index" }],
  bundle: true,
  external: ["../client.js"],
});

const program = programOf(CLIENT, ROUTER, ...BOARD_FILES);
const document: unknown = JSON.parse(readFileSync(pathOf("openapi.json"), "utf8"));
const clientTypes = declarationsOf(program, CLIENT).replace("../../../src/router.js", "./router.js");
const routerTypes = routerType(declarationsOf(program, ROUTER), Object.keys(ERRORS), documentedOperations(document));
writeFileSync(`${OUT}/${basename(CLIENT, ".ts")}.d.ts`, clientTypes);
for (const path of BOARD_FILES)
  writeFileSync(`${OUT}/board/${basename(path, ".ts")}.d.ts`, declarationsOf(program, path));
writeFileSync(`${OUT}/${basename(ROUTER, ".ts")}.d.ts`, routerTypes);
copyFileSync(pathOf("LICENSE"), `${OUT}/LICENSE`);
