import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

test("no two modules have names that differ only in case, which the disks of many laptops do not tell apart", () => {
  const folders = ["src", "packages/client/src", "packages/web/src", "tests"];
  const modules = folders.flatMap((folder) =>
    readdirSync(ROOT + folder, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => `${folder}/${path.replace(/\.tsx?$/, "")}`),
  );
  expect(modules.length).toBeGreaterThan(500);
  const seen = new Map<string, string>();
  const alike = modules.filter((path) => {
    const other = seen.get(path.toLowerCase());
    seen.set(path.toLowerCase(), path);
    return other !== undefined;
  });
  expect(alike).toEqual([]);
});
