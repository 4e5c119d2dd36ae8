// The migration that tells days from instants: due dates of earlier versions at midnight UTC become days.

import { expect, test } from "vitest";
import { apply, doneMigrations, knownMigrations, migrate } from "../../src/db/migrate.js";
import { KINDS, newDriver } from "../helpers/copies.js";

test.each(KINDS)("due dates at midnight UTC become days, on %s", async (kind) => {
  const driver = await newDriver(kind, "empty");
  const run = (text: string) => driver.query(text, [], "object");
  const known = knownMigrations();
  const added = known.findIndex(({ sql }) => sql.some((statement) => statement.includes("due_has_time")));
  await driver.migrate(async (execute) => {
    await doneMigrations(execute);
    await apply(execute, known.slice(0, added));
  });
  await run("insert into workspace (id, public_id, name, slug, card_prefix) values (1, 'w', 'w', 'w', 'W')");
  await run("insert into board (workspace_id, id, public_id, name, slug) values (1, 1, 'b', 'b', 'b')");
  const make = (dates: readonly (string | null)[], from: number) =>
    run(`insert into card (workspace_id, id, public_id, board_id, card_number, title, due_date)
      select 1, n, 'c' || n, 1, n, 'c', due from unnest(array[${dates.map((date) => (date === null ? "null" : `'${date}'`)).join()}]::timestamptz[])
        with ordinality as given(due, place), lateral (select place + ${from} as n) numbered`);
  await make(
    ["2026-12-24T00:00:00Z", "2026-12-24T00:00:00.001Z", "2026-12-24T00:00+01:00", "0001-01-01T00:00Z", null],
    0,
  );

  await migrate(driver);
  // The version before goes on for a while: it makes cards with times.
  await make(["2026-12-24T10:00Z"], 5);

  const cards = await run("select due_has_time from card order by id");
  expect(cards).toEqual([false, true, true, false, false, true].map((due_has_time) => ({ due_has_time })));
});
