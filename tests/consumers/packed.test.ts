// The package of the service: what npm installs with it, and what it holds.
// @module-tag slow

import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { newFolder, pack, ROOT, run } from "./packing.js";

const TIMEOUT_MS = 120_000;

const file = await pack(".");
const packed = (await run(ROOT, "tar", ["-tzf", file])).split("\n").map((path) => path.replace("package/", ""));

/** Guides of the repository, whose readers have a clone. */
const OF_THE_REPOSITORY = ["docs/architecture.md", "docs/benchmarks.md", "docs/drills.md", "CONTRIBUTING.md"];

const pages = packed.filter((path) => path.endsWith(".md"));

/** The files of the repository that a page links to, or names as code or in a command. */
function filesNamedIn(page: string): string[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  const linked = [...text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map(([, to = ""]) =>
    normalize(join(dirname(page), to)),
  );
  const named = [...text.matchAll(/[\w-]+[\w./-]*\.[a-z]+|\bDockerfile\b/g)].map(([name]) => name);
  return [...linked, ...(OF_THE_REPOSITORY.includes(page) ? [] : named)].filter((path) => existsSync(join(ROOT, path)));
}

test.each(pages)("has the files that %s links to or names", (page) => {
  expect([...new Set(filesNamedIn(page))].filter((path) => !packed.includes(path))).toEqual([]);
});

test("has guides that link to files of it", () => {
  expect(pages.length).toBeGreaterThan(15);
  expect(pages.flatMap(filesNamedIn)).toEqual(
    expect.arrayContaining(["CHANGELOG.md", "compose.yaml", "examples/webhook-receiver.ts", "examples/backlog.csv"]),
  );
});

const isRegistryThere = await run(ROOT, "npm", ["view", "light-my-request", "name", "--fetch-retries=0"]).then(
  () => true,
  () => false,
);
const NO_REGISTRY = isRegistryThere ? "" : " (left out: no package registry)";

test.skipIf(!isRegistryThere)(
  `installs without a dependency that does not support this version of Node${NO_REGISTRY}`,
  async () => {
    const folder = await newFolder();
    await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true }));
    // Where npm would only warn otherwise, it fails.
    await run(folder, "npm", ["install", "--engine-strict", "--package-lock-only", "--no-audit", file]);
    const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
    expect(Object.keys(packages).length).toBeGreaterThan(50);
  },
  TIMEOUT_MS,
);
