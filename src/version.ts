// The version of the package.

import { readFileSync } from "node:fs";

/** As package.json states it. */
export function packageVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  return version;
}
