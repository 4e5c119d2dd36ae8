// Nothing reads more because others have more: on a database with thousands of rows in every table, by PostgreSQL's own
// statistics. A query that is added to the router is covered the day it is there.

import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { SWEEPS } from "../../src/sweeper.js";
import { everyQuery, QUERIES_ENV } from "../access/queries.js";
import { type Answer, appOn, ok } from "../helpers/app.js";
import { openCounted } from "../helpers/counted.js";
import { grow } from "../helpers/grown.js";
import { swept } from "../helpers/sweeping.js";

/** Counts whole tables, as its description says. */
const COUNTS_ALL = "admin.status";
/** Rows of guards and joins, whatever the answer. */
const ROWS_A_CALL = 100;
/** Rows for each object of an answer. */
const ROWS_AN_OBJECT = 20;
/** Rows for each thing that a sweep removes. */
const ROWS_A_REMOVAL = 20;
/** Once with what is kept in memory, once without. */
const ROUNDS = 2;

/** A grown database with an application on it, and what one call to it counted. */
async function openGrown() {
  const { db, counts, spentOn } = await openCounted();
  const app = await appOn(db, QUERIES_ENV);
  const { world, queries } = await everyQuery(app);
  const { workspacePublicId } = world.places.open.ids;
  await grow(db, {
    workspaces: 1100,
    people: 8,
    boards: 1,
    cardsABoard: 10,
    within: { workspacePublicId, boards: 100 },
  });
  await db.rows(sql`select pg_stat_force_next_flush()::text`);
  return { app, db, world, queries, counts, spentOn };
}

describe.skipIf(inject("template").kind === "embedded")(
  "on a database that has grown (PostgreSQL counts what is read)",
  () => {
    let grown: Awaited<ReturnType<typeof openGrown>>;
    beforeAll(async () => {
      grown = await openGrown();
    }, 120_000);

    test("no query scans a table that grows, and none reads more rows than its answer needs", async () => {
      const { db, queries, counts, spentOn } = grown;
      const tables = await db.rows<{ table: string }>(sql`
      select relname as table from pg_stat_user_tables where schemaname = 'public' order by relname`);
      const large = (await counts()).map(({ table }) => table);
      const small = tables.map(({ table }) => table).filter((table) => !large.includes(table));
      expect(small, "tests/helpers/grown.ts makes too few rows of these").toEqual([]);

      const faults: string[] = [];
      for (const { path, call } of queries.filter((query) => query.path !== COUNTS_ALL)) {
        for (let round = 0; round < ROUNDS; round += 1) {
          const { answer, scanned, read } = await spentOn(call);
          const objects = answer.split("{").length - 1;
          for (const table of scanned) faults.push(`${path} scans ${table}`);
          if (read > ROWS_A_CALL + ROWS_AN_OBJECT * objects)
            faults.push(`${path} reads ${read} rows for ${objects} objects`);
        }
      }
      expect([...new Set(faults)]).toEqual([]);
    }, 120_000);

    test("no sweep scans a table that grows, and none reads more than what is over", async () => {
      const { db, spentOn } = grown;
      const faults: string[] = [];
      for (const [what, sweep] of Object.entries(SWEEPS)) {
        const { answer, scanned, read } = await spentOn(() => swept(sweep, db));
        const removed = answer.reduce((sum, batch) => sum + batch, 0);
        for (const table of scanned) faults.push(`${what}: scans ${table}`);
        if (read > ROWS_A_CALL + ROWS_A_REMOVAL * removed) faults.push(`${what}: reads ${read} rows for ${removed}`);
      }
      expect(faults).toEqual([]);
    });

    test("a change to one card reads no more of the workspace's cards than a few", async () => {
      const { app, world, spentOn } = grown;
      const { as } = app;
      const admin = { token: world.callers["an admin"].token ?? "" };
      const { boardPublicId, listPublicId, labelPublicId, memberPublicId } = world.places.open.ids;
      const other = ok(await as(admin).post<{ publicId: string }>("/lists", { name: "Other", boardPublicId })).publicId;
      const create = (list: string) =>
        as(admin).post<{ publicId: string }>("/cards", { title: "One", listPublicId: list });
      const card = ok(await create(other)).publicId;
      const spare = ok(await create(other)).publicId;
      const spares = await Promise.all(Array.from({ length: ROUNDS }, async () => ok(await create(other)).publicId));
      const make = async (path: string, body: object) =>
        ok(await as(admin).post<{ publicId: string }>(path, body)).publicId;
      const checklist = await make(`/cards/${card}/checklists`, { name: "Steps" });
      const item = await make(`/checklists/${checklist}/items`, { title: "Step" });
      let n = 0;
      const changes: Record<string, () => Promise<Answer<unknown>>> = {
        "card.create": () => create(other),
        "card.update, its title": () => as(admin).put(`/cards/${card}`, { title: `Title ${n}` }),
        "card.update, its list": () =>
          as(admin).put(`/cards/${card}`, { listPublicId: n % 2 ? other : listPublicId, index: 0 }),
        "card.labels": () => as(admin).put(`/cards/${card}/labels/${labelPublicId}`, {}),
        "card.members": () => as(admin).put(`/cards/${card}/members/${memberPublicId}`, {}),
        "checklist.create": () => as(admin).post(`/cards/${card}/checklists`, { name: `Steps ${n}` }),
        "checklist.createItem": () => as(admin).post(`/checklists/${checklist}/items`, { title: `Step ${n}` }),
        "checklist.updateItem": () => as(admin).put(`/checklist-items/${item}`, { completed: n % 2 === 0 }),
        "comment.create": () => as(admin).post(`/cards/${card}/comments`, { comment: `Comment ${n}` }),
        "card.archive": () => as(admin).post(`/cards/${card}/${n % 2 === 0 ? "archive" : "unarchive"}`),
        "card.duplicate": () => as(admin).post(`/cards/${spare}/duplicate`),
        "card.delete": async () => as(admin).delete(`/cards/${spares[n]}`),
      };
      const faults: string[] = [];
      for (const [name, change] of Object.entries(changes)) {
        for (n = 0; n < ROUNDS; n += 1) {
          const { answer, scanned, read } = await spentOn(change);
          ok(answer);
          for (const table of scanned) faults.push(`${name} scans ${table}`);
          if (read > ROWS_A_CALL) faults.push(`${name} reads ${read} rows`);
        }
      }
      expect([...new Set(faults)]).toEqual([]);
    });
  },
);
