// What package.json installs with the service is what the service imports.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Package {
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const packageAt = (folder: string): Package => JSON.parse(read(join(folder, "package.json")));

const namedIn = (source: string): string[] =>
  [...source.matchAll(/(?:\bfrom|\bimport|\bimport\(|\bresolve\()\s*["'`]((?:@[\w.-]+\/)?[\w.-]+)/g)].map(
    ([, name = ""]) => name,
  );

/** Dependencies whose only purpose is the version that another dependency gets. */
const PINNED = {
  // Newer versions need Node 22, and fastify accepts any. Overrides do not reach those who install the package.
  "light-my-request": "fastify",
};

test("every dependency is imported below src/, or is one that an imported package asks for", () => {
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  const files = sources.filter((path) => path.endsWith(".ts"));
  const imported = new Set(files.flatMap((path) => namedIn(read(join("src", path)))));
  const dependencies = Object.keys(packageAt(".").dependencies ?? {});
  expect(dependencies.length).toBeGreaterThan(20);
  const peers = dependencies
    .filter((name) => imported.has(name))
    .flatMap((name) => Object.keys(packageAt(`node_modules/${name}`).peerDependencies ?? {}));
  const others = dependencies.filter((name) => !imported.has(name) && !peers.includes(name));
  expect(others).toEqual(Object.keys(PINNED));
  for (const [name, user] of Object.entries(PINNED)) {
    expect(packageAt(`node_modules/${user}`).dependencies).toHaveProperty(name);
  }
});
