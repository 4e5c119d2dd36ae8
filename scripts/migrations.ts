// Fails when the schema says what the migrations do not: compares it with the snapshot beside the newest migration.

import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { generateDrizzleJson } from "drizzle-kit/api";

const folder = new URL("../src/db/schema/", import.meta.url);
const modules = await Promise.all(readdirSync(folder).map((file) => import(new URL(file, folder).href)));
const schema = Object.assign({}, ...modules);

const meta = new URL("../migrations/meta/", import.meta.url);
const read = (file: string) => JSON.parse(readFileSync(new URL(file, meta), "utf8"));

const newest = read("_journal.json").entries.at(-1);
const migrated = read(`${String(newest.idx).padStart(4, "0")}_snapshot.json`);
// Through JSON, as drizzle-kit writes it: what is undefined is left out.
const current = JSON.parse(JSON.stringify(generateDrizzleJson(schema)));

if (!isDeepStrictEqual({ ...current, id: migrated.id, prevId: migrated.prevId }, migrated)) {
  console.error("migrations/ does not match src/db/schema/: run npm run db:generate");
  process.exit(1);
}
