// The migrations as files: what a clone does to them changes nothing.

import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { knownMigrations } from "../../src/db/migrate.js";

test("a clone with line ends of Windows has the same migrations, so that it accepts databases and backups of others", async () => {
  const folder = await mkdtemp(join(tmpdir(), "migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(new URL("../../migrations", import.meta.url), folder, { recursive: true });
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".sql"))) {
    const text = await readFile(join(folder, file), "utf8");
    await writeFile(join(folder, file), text.replaceAll("\n", "\r\n"));
  }
  expect(knownMigrations(folder)).toEqual(knownMigrations());
});

test("their hashes are those of the files, under which databases and backups know them", async () => {
  const [first] = knownMigrations();
  expect(first?.hash).toBe("269b2c157598ed6ddb709029445a58b65df31d82d25ccbaec325a08ebfa40e92");
});
