// What `.ci/run` says of its runs: the reporter of Vitest, on a small run of its own, and the sum over all runs.
//
// @module-tag slow

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { spawnNode } from "./helpers/spawned.js";

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "work-board-report-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs test files as `.ci/run` does, and gives what the reporter printed and wrote. */
async function reported(files: Record<string, string>) {
  const folder = await newFolder();
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  for (const [name, lines] of Object.entries(files)) {
    await writeFile(join(folder, name), `import { describe, test } from "vitest";\n${lines}`);
  }
  const TEST_REPORT = join(folder, "report.json");
  const reporter = `--reporter=${resolve(".ci/report.mjs")}`;
  const vitest = [resolve("node_modules/vitest/vitest.mjs"), "run", "--root", folder, "--retry=1", "--maxWorkers=1"];
  const run = spawnNode([...vitest, reporter], { TEST_REPORT });
  const code = await run.ended;
  return { code, stdout: run.output.stdout, report: JSON.parse(await readFile(TEST_REPORT, "utf8")) };
}

const FLAKY = `let tries = 0;
describe("a group", () => {
  test("steady", () => {});
  test("flaky", () => {
    tries += 1;
    if (tries === 1) throw new Error("the first time");
  });
});`;
const FAILING = 'test("wrong", () => { throw new Error("always"); });';

test("a test that failed once and then passed is named, beside what passed, and what failed with its reason", async () => {
  const { code, stdout, report } = await reported({
    "broken.test.js": 'throw new Error("cannot be loaded");',
    "flaky.test.js": FLAKY,
    "failing.test.js": FAILING,
  });
  expect(code).toBe(1);
  expect(report).toEqual({
    passed: 2,
    failed: ["broken.test.js: cannot be loaded", "failing.test.js > wrong: always"],
    triedAgain: ["flaky.test.js > a group > flaky"],
  });
  expect(stdout.match(/^Failed once, then passed: .*$/gm)).toEqual([
    "Failed once, then passed: flaky.test.js > a group > flaky",
  ]);
});

test("a run in which every test passes at once names none", async () => {
  const { code, stdout, report } = await reported({ "steady.test.js": 'test("steady", () => {});' });
  expect({ code, report }).toEqual({ code: 0, report: { passed: 1, failed: [], triedAgain: [] } });
  expect(stdout).not.toContain("Failed once");
});

test("the sum names and counts the tests that passed only when they were tried again and what failed, of all runs", async () => {
  const folder = await newFolder();
  const runs = [
    { passed: 20, failed: [], triedAgain: ["a.test.ts > first"] },
    {
      passed: 3,
      failed: ["b.test.ts > third: 1 is not 2", "c.test.ts: no such file"],
      triedAgain: ["b.test.ts > second"],
    },
  ];
  await mkdir(join(folder, "reports"));
  for (const [at, run] of runs.entries()) await writeFile(join(folder, "reports", `${at}.json`), JSON.stringify(run));
  await writeFile(join(folder, "failed"), "check\ntests, embedded\n");
  const [sum = ""] = /^print_sum\(\) \{$[\s\S]*?^\}$/m.exec(await readFile(".ci/run", "utf8")) ?? [];
  const script = `temporary=${folder}\n${sum}\nprint_sum`;
  const { stdout } = await promisify(execFile)("bash", ["-euc", script]);
  expect(stdout).toBe(`failed once, then passed: a.test.ts > first
failed once, then passed: b.test.ts > second
2 tests passed only when they were tried again
failed: check
failed: tests, embedded
failed: b.test.ts > third: 1 is not 2
failed: c.test.ts: no such file
23 passed, 3 failed
`);
});
