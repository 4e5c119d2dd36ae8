// Each class of a CSS module is in use, each that is in use is defined, and the build keeps them all.

import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const PAGE = join(import.meta.dirname, "../../packages/web/src");
const read = (path: string) => readFileSync(join(PAGE, path), "utf8");
const paths = readdirSync(PAGE, { recursive: true, encoding: "utf8" });
const modules = paths.filter((path) => path.endsWith(".module.css"));
const components = paths.filter((path) => /\.tsx?$/.test(path));

const definedIn = (path: string) => {
  const own = read(path).replace(/:global\([^)]*\)|\/\*[\s\S]*?\*\//g, "");
  return new Set([...own.matchAll(/\.([A-Za-z]\w*)/g)].map(([, name]) => name));
};

function usedOf(path: string) {
  const names = new Set<string | undefined>();
  for (const component of components) {
    const text = read(component);
    for (const [, alias, from = ""] of text.matchAll(/import \* as (\w+) from "([^"]+\.module\.css)"/g)) {
      if (join(dirname(component), from) !== path) continue;
      for (const [, name] of text.matchAll(new RegExp(`\\b${alias}\\.(\\w+)`, "g"))) names.add(name);
    }
  }
  return names;
}

test("no two CSS modules have the same name, which begins the names of their classes", () => {
  const names = modules.map((path) => basename(path));
  expect(names).toEqual([...new Set(names)]);
});

test.each(modules)("the classes that components use are those that %s defines", (path) => {
  expect([...usedOf(path)].sort()).toEqual([...definedIn(path)].sort());
});

test.each(modules)("the build writes the styles of %s", (path) => {
  const built = join(import.meta.dirname, "../../dist/web/assets");
  const styles = readdirSync(built).filter((name) => name.endsWith(".css"));
  const written = styles.map((name) => readFileSync(join(built, name), "utf8")).join("");
  const missing = [...definedIn(path)].filter((name) => !written.includes(`.${basename(path, ".module.css")}-${name}`));
  expect(missing).toEqual([]);
});
