// Reads that may lag go to the replicas, and nothing else; least of all what one may see.
//
// @module-tag slow

import { type SQL, sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import type { Database } from "../../src/db/client.js";
import { workspaceOf } from "../../src/db/ids.js";
import { openPostgres } from "../../src/db/postgres.js";
import { type Reads, readsOn } from "../../src/db/replicas.js";
import type { Selection } from "../../src/db/selections.js";
import { everyQuery, QUERIES_ENV } from "../access/queries.js";
import { appOn, ok, type TestApp, testApp } from "../helpers/app.js";
import { openBound, openTestDatabase } from "../helpers/databases.js";

/** What the contract allows to lag (section 7, DATABASE_REPLICA_URLS). */
const LAGGING = ["board.list", "workspace.calendar", "workspace.events", "workspace.search"];

const primary = await testApp();

/** The same reads, and how many there were. */
function counted(reads: Reads) {
  let count = 0;
  const read = <Row>(selection: Selection<Row>, statement: SQL) => {
    count += 1;
    return reads.read(selection, statement);
  };
  return { read, count: () => count };
}

test("searches, calendars, board lists and event pages are read on a replica, and nothing else is", async () => {
  const replica = counted(primary.db);
  const { queries } = await everyQuery(await appOn(primary.db, QUERIES_ENV, { replica }));
  const readThere: string[] = [];
  for (const { path, call } of queries) {
    const before = replica.count();
    await call();
    if (replica.count() > before) readThere.push(path);
  }
  const built = queries.map(({ path }) => path);
  expect(readThere.sort()).toEqual(LAGGING.filter((path) => built.includes(path)));
}, 120_000);

/** Gives the only workspace of a database the key of another database's. Constraints are not checked meanwhile. */
const takeKey = (db: Database, workspacePublicId: string) =>
  db.rows(
    sql.raw(`do $$ declare t record; begin
      set local session_replication_role = replica;
      for t in select table_name as name from information_schema.columns
          where table_schema = 'public' and column_name = 'workspace_id' loop
        execute format('update %I set workspace_id = ${workspaceOf(workspacePublicId)}', t.name);
      end loop;
      update workspace set id = ${workspaceOf(workspacePublicId)};
    end $$`),
  );

/** A workspace with a private board whose member is no admin. Two databases that hold nothing else give its rows the same keys. */
async function furnish({ make, as }: TestApp, place: string) {
  const { board, list } = await make.list({ board: (await make.board({ visibility: "private", name: place })).board });
  await make.card({ list, title: `Card on the ${place}`, dueDate: "2027-01-15" });
  const { publicId } = board.workspace;
  const member = await make.member(board, "member");
  const lists = async (reader: TestApp) => ({
    boards: ok(await reader.as(member).get<{ name: string }[]>(`/workspaces/${publicId}/boards`)).map(
      ({ name }) => name,
    ),
    found: ok(
      await reader.as(member).get<{ items: { title: string }[] }>(`/workspaces/${publicId}/search?query=card`),
    ).items.map(({ title }) => title),
    due: ok(await reader.as(member).get<{ title: string }[]>(`/workspaces/${publicId}/calendar?anchor=2027-01-15`)).map(
      ({ title }) => title,
    ),
  });
  const remove = async () =>
    ok(await as(board.owner).delete(`/boards/${board.publicId}/members/${member.memberPublicId}`));
  return { lists, remove, owner: board.owner, workspacePublicId: publicId };
}

test("what a replica holds is shown, but not of a board that the reader no longer sees on the primary", async () => {
  const databases = [await openTestDatabase(), await openTestDatabase()] as const;
  for (const database of databases) afterAll(() => database.close());
  const writer = await appOn(databases[0].db, {});
  const here = await furnish(writer, "primary");
  await furnish(await appOn(databases[1].db, {}), "replica");
  await takeKey(databases[1].db, here.workspacePublicId);
  const reader = await appOn(databases[0].db, {}, { replica: databases[1].db });

  expect(await here.lists(reader)).toEqual({
    boards: ["replica"],
    found: ["Card on the replica"],
    due: ["Card on the replica"],
  });
  await here.remove();
  expect(await here.lists(reader)).toEqual({ boards: [], found: [], due: [] });
  expect(ok(await reader.as(here.owner).get(`/workspaces/${here.workspacePublicId}/boards`))).toMatchObject([
    { name: "replica" },
  ]);
});

test("a replica that is out of reach is left alone for a while, and the primary answers for it", async () => {
  const gone = openBound(
    openPostgres({
      url: "postgres://nobody@127.0.0.1:1/none",
      poolSize: 1,
      prepare: true,
      statementTimeoutMs: 0,
      acquireTimeoutMs: 50,
    }),
  );
  afterAll(() => gone.close());
  const asked = counted(gone);
  const warnings: string[] = [];
  const reads = readsOn(primary.db, [{ ...gone, read: asked.read }], (message) => void warnings.push(message));
  const { as, make } = await appOn(primary.db, {}, { replica: reads });
  const { owner, workspace, board } = await make.board();
  for (let time = 0; time < 3; time += 1) {
    expect(ok(await as(owner).get(`/workspaces/${workspace.publicId}/boards`))).toMatchObject([{ name: board.name }]);
  }
  expect({ asked: asked.count(), warnings }).toEqual({
    asked: 1,
    warnings: ["A replica failed and is not used for 5 seconds"],
  });
});

test("several replicas are read in turn", async () => {
  const replicas = [counted(primary.db), counted(primary.db), counted(primary.db)];
  const reads = readsOn(
    primary.db,
    replicas.map(({ read }) => ({ ...primary.db, read })),
    () => {},
  );
  const { as, make } = await appOn(primary.db, {}, { replica: reads });
  const { owner, workspace } = await make.board();
  for (let time = 0; time < 6; time += 1) ok(await as(owner).get(`/workspaces/${workspace.publicId}/boards`));
  expect(replicas.map(({ count }) => count())).toEqual([2, 2, 2]);
});
