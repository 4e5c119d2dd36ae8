// The page is small (clients.md section 3).

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const fileOf = (path: string) => new URL(`../../dist/web/${path}`, import.meta.url);
const built = (path: string) => readFileSync(fileOf(path));
/** A script as it is sent: those that would hardly be smaller are not compressed. */
const sent = (script: string) => built(existsSync(fileOf(`${script}.gz`)) ? `${script}.gz` : script);

test("the scripts that index.html loads have at most 150 kB as gzip", () => {
  const scripts = [
    ...built("index.html")
      .toString()
      .matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g),
  ];
  expect(scripts.length).toBeGreaterThan(0);
  const bytes = scripts.reduce((sum, [, script = ""]) => sum + sent(script).length, 0);
  expect(bytes).toBeLessThan(150_000);
});

test("no built script needs itself through others, which would run in the wrong order", () => {
  const scripts = readdirSync(fileOf("assets")).filter((name) => name.endsWith(".js"));
  const imports = new Map(
    scripts.map((name) => {
      const found = built(`assets/${name}`)
        .toString()
        .matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g);
      return [name, [...found].map(([, other = ""]) => other)];
    }),
  );
  const needs = (name: string, known = new Set<string>()): Set<string> => {
    for (const other of imports.get(name) ?? []) {
      if (known.has(other)) continue;
      known.add(other);
      needs(other, known);
    }
    return known;
  };
  expect(scripts.filter((name) => needs(name).has(name))).toEqual([]);
});
