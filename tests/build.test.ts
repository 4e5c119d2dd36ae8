// The build as a process, on a small source tree: what it prints, and what it leaves in dist/.
//
// @module-tag slow

import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { spawnNode } from "./helpers/spawned.js";

async function built(sources: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "work-board-build-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const path of [
    "scripts/build.cjs",
    "scripts/buildPage.cjs",
    "bin/nodeVersion.cjs",
    "src/api/pages",
    "package.json",
  ]) {
    await cp(path, join(folder, path), { recursive: true });
  }
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  await mkdir(join(folder, "dist"));
  await writeFile(join(folder, "dist/removed.js"), "");
  for (const [name, source] of Object.entries(sources)) await writeFile(join(folder, "src", name), source);
  const build = spawnNode([join(folder, "scripts/build.cjs")], {});
  const code = await build.ended;
  return { code, ...build.output, dist: await readdir(join(folder, "dist")) };
}

test("it says in one line what it does, how many files it wrote and how long that took", async () => {
  const { code, stdout, stderr, dist } = await built({
    "one.ts": "export const one: number = 1;",
    "two.ts": 'export { one } from "./one.js";',
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^Building work-board \.\.\. 2 files in \d+\.\d s\n$/);
  expect(dist.sort()).toEqual(["api", "one.js", "one.js.map", "two.js", "two.js.map"]);
});

test("it says what it does before it is done, and ends with exit code 1 where a source cannot be read", async () => {
  const { code, stdout, stderr } = await built({ "broken.ts": "export const = 1;" });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "Building work-board ... " });
  expect(stderr).toContain("src/broken.ts:1:13");
});
