// The files that a container is made of: what they name exists here, or is what the build before it makes.

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readConfig } from "../src/config.js";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const dockerfile = read("Dockerfile");
const compose = read("compose.yaml");
const { files, scripts }: { files: string[]; scripts: Record<string, string> } = JSON.parse(read("package.json"));

/** What `npm ci` and `npm run build` make. */
const MADE = ["dist", "node_modules"];
const isThere = (path: string) => MADE.includes(path) || existsSync(new URL(`../${path}`, import.meta.url));

/** The sources of each COPY, without the stage that they come from. */
const copied = [...dockerfile.matchAll(/^COPY (--from=build )?(.+) \S+$/gm)].map(([, stage, sources = ""]) => ({
  isFromBuild: stage !== undefined,
  sources: sources.split(" ").map((source) => source.replace("/app/", "")),
}));

test("everything that the Dockerfile copies exists, or is made by its build", () => {
  const sources = copied.flatMap((copy) => copy.sources);
  expect(sources.length).toBeGreaterThan(5);
  expect(sources.filter((source) => !isThere(source))).toEqual([]);
});

test("its last stage has all that the package ships but the sources, and the dependencies", () => {
  // npm packs these three anyway.
  const shipped = ["package.json", "README.md", "LICENSE", ...files.filter((name) => name !== "src")];
  const sources = copied.filter(({ isFromBuild }) => isFromBuild).flatMap((copy) => copy.sources);
  expect(sources.sort()).toEqual([...shipped, "node_modules"].sort());
});

test("the image has no TypeScript, and packed packages never come into it or the repository", () => {
  expect(dockerfile).toMatch(/npm prune --omit=dev && rm -r node_modules\/typescript /);
  for (const file of [".dockerignore", ".gitignore"]) expect(read(file).split("\n")).toContain("*.tgz");
});

test("it runs scripts of package.json, and a command that exists", () => {
  const run = [...dockerfile.matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name);
  expect(run.length).toBeGreaterThan(0);
  expect(run.filter((name) => scripts[name] === undefined)).toEqual([]);
  const command: string[] = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? "[]");
  expect(command.filter((part) => part.startsWith("bin/")).filter(isThere)).toHaveLength(1);
});

test("nothing that its build needs is kept from it by .dockerignore", () => {
  const ignored = read(".dockerignore").split("\n").filter(Boolean);
  expect(ignored.filter((name) => [...files, "scripts"].includes(name) && !MADE.includes(name))).toEqual([]);
  expect(ignored).toEqual(expect.arrayContaining(MADE));
});

test("the service takes the settings that the Dockerfile and compose.yaml give it", () => {
  const inImage = /^ENV (.+)$/m.exec(dockerfile)?.[1]?.split(" ") ?? [];
  const service = /^ {2}work-board:\n((?: {4}.*\n)+)/m.exec(compose)?.[1] ?? "";
  const inCompose = [...service.matchAll(/^ {6}([A-Z_]+: .+)$/gm)].map(([, line = ""]) => line.replace(": ", "="));
  const env = Object.fromEntries(
    [...inImage, ...inCompose].map((pair) => {
      const [name = "", ...value] = pair.split("=");
      // A variable of compose stands for what follows `:-` where it is unset.
      return [name, value.join("=").replace(/\$\{\w+:-([^}]*)\}/g, "$1")];
    }),
  );
  const config = readConfig(env);
  expect(config).toMatchObject({
    host: "0.0.0.0",
    dataDir: "/data",
    databaseUrl: "postgres://board:board@postgres/board",
    publicUrl: "http://localhost:3000",
  });
  expect(dockerfile).toContain(`EXPOSE ${config.port}\n`);
  expect(service).toContain(`"127.0.0.1:${config.port}:${config.port}"`);
});

test("compose.yaml gives the service longer to end than its drain takes", () => {
  expect(Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1])).toBeGreaterThan(10);
});
