// The page is small (clients.md section 3).

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const built = (path: string) => readFileSync(new URL(`../../dist/web/${path}`, import.meta.url));

test("the scripts that index.html loads have at most 150 kB as gzip", () => {
  const scripts = [
    ...built("index.html")
      .toString()
      .matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g),
  ];
  expect(scripts.length).toBeGreaterThan(0);
  const bytes = scripts.reduce((sum, [, script = ""]) => sum + built(`${script}.gz`).length, 0);
  expect(bytes).toBeLessThan(150_000);
});
