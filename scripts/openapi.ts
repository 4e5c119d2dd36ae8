// Writes openapi.json from the router; with --check, fails when the committed one is not current.

import { readFileSync, writeFileSync } from "node:fs";
import { documentText } from "../src/document.js";

const file = new URL("../openapi.json", import.meta.url);
const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8"));
const { version } = read("package.json");
const text = documentText(version, read("src/api/examples.json"));

if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== text) {
    console.error("openapi.json is not current: run npm run openapi");
    process.exit(1);
  }
} else {
  writeFileSync(file, text);
}
