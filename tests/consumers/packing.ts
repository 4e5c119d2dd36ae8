// The package as a stranger has it: packed from a copy of the sources, and installed in an empty folder beside the dependencies
// that it declares, and no others. Those are linked from here, so that nothing has to be fetched.

import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll } from "vitest";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MODULES = join(ROOT, "node_modules");

const execute = promisify(execFile);

/** What a program wrote to its standard output; throws with everything it wrote when it fails. */
export async function run(cwd: string, command: string, args: string[], env: Record<string, string> = {}) {
  try {
    const { stdout } = await execute(command, args, {
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_loglevel: "error", ...env },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = Object(error);
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

export const tsc = (cwd: string, ...args: string[]) =>
  run(cwd, process.execPath, [join(MODULES, "typescript/bin/tsc"), ...args]);

/** A folder that is gone when the tests end. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "work-board-test-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function link(folder: string, packages: Iterable<string>): Promise<void> {
  for (const name of packages) {
    const at = join(folder, "node_modules", name);
    await mkdir(dirname(at), { recursive: true });
    await symlink(join(MODULES, name), at);
  }
}

/** Runs `npm pack` on a copy, where it may build and clear as it likes; gives the path of the package. */
async function pack(): Promise<string> {
  const folder = await newFolder();
  const { files }: { files: string[] } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const sources = files.filter((name) => !/^!|^dist$/.test(name));
  const others = ["package.json", "tsconfig.json", "tsconfig.build.json", "scripts", "README.md", "LICENSE"];
  for (const name of [...sources, ...others]) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(MODULES, join(folder, "node_modules"));
  await run(folder, "npm", ["pack", "--silent"]);
  const [file = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  return join(folder, file);
}

/** A project that has installed the package: its folder, and that of the package in it. */
export interface Project {
  folder: string;
  installed: string;
}

/** Packs the package and installs it into an empty project, with other packages if it needs them. */
export async function installed(...others: string[]): Promise<Project> {
  const file = await pack();
  const folder = await newFolder();
  const at = join(folder, "node_modules/work-board");
  await mkdir(at, { recursive: true });
  await run(folder, "tar", ["-xzf", file, "-C", at, "--strip-components=1"]);
  const { dependencies }: { dependencies: object } = JSON.parse(await readFile(join(at, "package.json"), "utf8"));
  await link(folder, new Set([...Object.keys(dependencies), ...others]));
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  return { folder, installed: at };
}
