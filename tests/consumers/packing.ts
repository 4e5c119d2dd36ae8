// The packages as a stranger has them: packed from a copy of the sources, and installed in an empty folder beside the dependencies
// that they declare, and no others. Those come from this repository, so that nothing has to be fetched.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll } from "vitest";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MODULES = join(ROOT, "node_modules");
/** A `node_modules` with other versions of what the client is installed beside, which go before those of this repository. */
export const { CLIENT_PEERS } = process.env;

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

interface Manifest {
  files: string[];
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const manifestIn = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, "package.json"), "utf8"));

/** The folder of a package that a project gets. */
export const folderOf = (name: string): string =>
  [CLIENT_PEERS, MODULES]
    .flatMap((modules) => (modules ? [join(modules, name)] : []))
    .find((folder) => existsSync(folder)) ?? join(MODULES, name);

/** What npm installs with a package: its dependencies, and its peers unless they are optional. */
const neededBy = ({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: Manifest) => [
  ...Object.keys(dependencies),
  ...Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
];

/** Packages with all that they need in turn. */
async function withDependencies(names: readonly string[], found = new Set<string>()): Promise<Set<string>> {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    await withDependencies(neededBy(await manifestIn(folderOf(name))), found);
  }
  return found;
}

/** Runs `npm pack` for a package on a copy of the sources, where it may build and clear as it likes; gives the file's path. */
export async function pack(path: string): Promise<string> {
  const folder = await newFolder();
  const { files } = await manifestIn(ROOT);
  const sources = files.filter((name) => !/^!|^dist$/.test(name));
  const others = ["package.json", "package-lock.json", "tsconfig.json", "scripts", "packages", "README.md", "LICENSE"];
  for (const name of [...sources, ...others]) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(MODULES, join(folder, "node_modules"));
  await run(folder, "npm", ["pack", "--silent", path]);
  const [file = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  return join(folder, file);
}

export interface Project {
  folder: string;
  installed: string;
}

/** Packs a package of this repository and unpacks it under its name in an empty project. */
async function unpacked(name: string, path: string): Promise<Project> {
  const file = await pack(path);
  const folder = await newFolder();
  const at = join(folder, "node_modules", name);
  await mkdir(at, { recursive: true });
  await run(folder, "tar", ["-xzf", file, "-C", at, "--strip-components=1"]);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  return { folder, installed: at };
}

/** A project with the service, whose dependencies are links. */
export async function installedService(): Promise<Project> {
  const project = await unpacked("work-board", ".");
  await link(project, neededBy(await manifestIn(project.installed)));
  return project;
}

/** A project with the client, whose dependencies are copies: it finds nothing else of this repository. Gives their names, too. */
export async function installedClient(): Promise<Project & { dependencies: Set<string> }> {
  const project = await unpacked("work-board-client", "./packages/client");
  const dependencies = await withDependencies(neededBy(await manifestIn(project.installed)));
  for (const name of dependencies) {
    await cp(folderOf(name), join(project.folder, "node_modules", name), { recursive: true });
  }
  return { ...project, dependencies };
}

export const addPackages = async (project: Project, ...names: string[]) => link(project, await withDependencies(names));

async function link({ folder }: Project, packages: Iterable<string>): Promise<void> {
  for (const name of packages) {
    const at = join(folder, "node_modules", name);
    await mkdir(dirname(at), { recursive: true });
    if (!existsSync(at)) await symlink(folderOf(name), at);
  }
}

export async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    files.filter((file) => file.isFile()).map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
