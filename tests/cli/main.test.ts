// The command `work-board` as a process: what its arguments do, and what an old Node is told.
//
// @module-tag slow

import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transform } from "esbuild";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { newStore } from "../helpers/processes.js";
import { COMMAND_LINE, SERVER, serving, spawnNode } from "../helpers/spawned.js";

const folder = await mkdtemp(join(tmpdir(), "work-board-test-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const DATA_DIR = join(folder, "data");

function command(args: string[], env: Record<string, string> = { DATA_DIR }) {
  const started = spawnNode([COMMAND_LINE, ...args], env);
  onTestFinished(() => started.signal("SIGKILL"));
  return started;
}

async function outcome(args: string[]) {
  const started = command(args);
  const code = await started.ended;
  return { code, ...started.output };
}

test.each([[["--help"]], [["-h"]], [["help"]], [["help", "user"]], [["user", "list", "-h"]]])(
  "%s prints the commands, and neither starts the service nor makes a database",
  async (args) => {
    const { code, stdout, stderr } = await outcome(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^usage: work-board \[command\]$/m);
    expect(stdout).toMatch(/^ {2}start +\S/m);
    expect(existsSync(DATA_DIR)).toBe(false);
  },
);

test.each(["user", "admin", "workspace", "mail"])("%s --help prints the commands, too", async (group) => {
  const { code, stdout, stderr } = await outcome([group, "--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(new RegExp(`^ {2}${group} \\w`, "m"));
});

test.each(["--version", "-v"])("%s prints the version of the package", async (option) => {
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  expect(await outcome([option])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test.each([
  ["an unknown option", ["--port"], "--port"],
  ["an unknown command", ["stop"], '"stop"'],
  ["a command with a line break", ["st\nop"], '"st\\nop"'],
  ["an argument that the command does not take", ["start", "now"], '"now"'],
  ["an unknown command beside --help", ["stop", "--help"], '"stop"'],
  ["help on an unknown command", ["help", "stop"], '"stop"'],
])("%s ends it with one line that names it and exit code 2, and makes no database", async (_, args, named) => {
  const { code, stdout, stderr } = await outcome(args);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(/^[^\n]+\n$/) });
  expect(stderr).toContain(named);
  expect(existsSync(DATA_DIR)).toBe(false);
});

test.each([
  ["start", ["start"]],
  ["no argument", []],
])("%s starts the service", async (_, args) => {
  const { url } = await serving(command(args, (await newStore()).env));
  expect((await fetch(`${url}/ready`)).status).toBe(200);
});

test("before the first build, the command says in one line what is missing", async () => {
  const clone = join(folder, "clone");
  await cp("bin", join(clone, "bin"), { recursive: true });
  await cp("package.json", join(clone, "package.json"));
  const started = spawnNode([join(clone, "bin", "work-board.cjs"), "--help"], {});
  expect(await started.ended).toBe(1);
  expect(started.output).toEqual({ stdout: "", stderr: "work-board is not built yet: run npm run build\n" });
});

describe("on a Node that is too old", () => {
  const running = (version: string) =>
    `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`;

  test.each([
    ["12.22.12", "bin/work-board.cjs"],
    ["18.20.8", "bin/work-board.cjs"],
    ["18.20.8", SERVER],
    ["20.18.3", SERVER],
  ])("%s, %s ends with one line and exit code 1", async (version, script) => {
    const started = spawnNode(["--import", running(version), script], { DATA_DIR });
    expect(await started.ended).toBe(1);
    const stderr = `work-board needs Node 20.19 or newer; this is Node ${version}\n`;
    expect(started.output).toEqual({ stdout: "", stderr });
  });

  test("the build says so too, which npm start runs first", async () => {
    const started = spawnNode(["--import", running("18.20.8"), "scripts/build.cjs"], {});
    expect(await started.ended).toBe(1);
    expect(started.output.stderr).toBe("work-board needs Node 20.19 or newer; this is Node 18.20.8\n");
  });

  test.each(["bin/work-board.cjs", "bin/nodeVersion.cjs", SERVER])(
    "%s is in syntax that Node 12 parses",
    async (file) => {
      const source = await readFile(file, "utf8");
      // What it imports statically, an old Node would have to parse as well.
      expect(source.match(/^import .*/gm) ?? []).toEqual(file === SERVER ? ['import "../bin/nodeVersion.cjs";'] : []);
      const forNode = async (target: string) => (await transform(source, { target })).code;
      expect(await forNode("node12.20")).toBe(await forNode("esnext"));
    },
  );
});
