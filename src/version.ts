// The version of the package.

import { readFileSync } from "node:fs";

const { version }: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** As package.json states it. */
export const VERSION = version;
