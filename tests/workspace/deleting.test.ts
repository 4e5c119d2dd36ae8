// Deleting a workspace: what goes with it, and what becomes of those who write in it meanwhile.

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { newPublicId, newPublicIdIn } from "../../src/db/ids.js";
import { expectError, freshSlug, ok, testApp, unique, type Workspace } from "../helpers/app.js";
import { deadlocksIn } from "../helpers/databases.js";
import { onServer, untilSomeoneWaits } from "./waiting.js";
import { workspaceRowsOn } from "./workspaceRows.js";

const app = await testApp();
const { as, anonymous, make, db } = app;
const { keyOf } = workspaceRowsOn(app);

/** Puts a row into every table that belongs to a workspace, an archived card in each of its lists among them. */
async function fill(workspace: Workspace): Promise<void> {
  const id = await keyOf(workspace);
  const own = sql`${id}::bigint`;
  const key = sql`1000 + row_number() over ()`;
  const ids = (word: string) => sql`${`${word}-${newPublicId()}-`}::text || row_number() over ()`;
  await db.rows(sql`insert into list (workspace_id, id, public_id, board_id, name, position)
    select ${own}, ${key}, ${ids("l")}, b.id, 'List', n from board b, generate_series(1, 2) n where b.workspace_id = ${own}`);
  await db.rows(sql`insert into card (workspace_id, id, public_id, board_id, list_id, position, card_number, title, archived_at)
    select ${own}, ${key}, ${ids("c")}, l.board_id, l.id, case when n = 1 then 1 end, row_number() over (), 'Card',
      case when n = 2 then now() end
    from list l, generate_series(1, 2) n where l.workspace_id = ${own}`);
  await db.rows(sql`insert into card_text (workspace_id, id, title, description)
    select workspace_id, id, title, description from card where workspace_id = ${own} and archived_at is null`);
  await db.rows(sql`insert into label (workspace_id, id, public_id, board_id, name, name_key, colour_code)
    select ${own}, ${key}, ${ids("b")}, id, 'Label', 'label', '#112233' from board where workspace_id = ${own}`);
  await db.rows(sql`insert into card_label (workspace_id, card_id, label_id)
    select ${own}, c.id, b.id from card c join label b on b.workspace_id = ${own} and b.board_id = c.board_id
    where c.workspace_id = ${own}`);
  await db.rows(sql`insert into card_member (workspace_id, card_id, member_id)
    select ${own}, c.id, m.id from card c, member m where c.workspace_id = ${own} and m.workspace_id = ${own}`);
  await db.rows(sql`insert into reminder (workspace_id, card_id, account_id, due_date)
    select ${own}, c.id, m.account_id, now() from card c join member m on m.workspace_id = ${own}
    where c.workspace_id = ${own}`);
  await db.rows(sql`insert into checklist (workspace_id, id, public_id, card_id, name)
    select ${own}, ${key}, ${ids("k")}, id, 'Checklist' from card where workspace_id = ${own}`);
  await db.rows(sql`insert into checklist_item (workspace_id, id, public_id, checklist_id, title, position)
    select ${own}, ${key}, ${ids("i")}, id, 'Item', 1 from checklist where workspace_id = ${own}`);
  await db.rows(sql`insert into comment (workspace_id, id, public_id, card_id, author_id, comment)
    select ${own}, ${key}, ${ids("m")}, c.id, m.account_id, 'Hello' from card c join member m on m.workspace_id = ${own}
    where c.workspace_id = ${own}`);
  await db.rows(sql`insert into notification (workspace_id, id, public_id, account_id, type, actor_id, card_id)
    select ${own}, ${key}, ${ids("n")}, m.account_id, 'mention', m.account_id, null from member m where m.workspace_id = ${own}`);
  await db.rows(sql`insert into invite (workspace_id, id, public_id, code, member_id, created_by, expires_at)
    select ${own}, ${key}, ${ids("v")}, ${ids("code")}, m.id, m.account_id, now() from member m where m.workspace_id = ${own}`);
  await db.rows(
    sql`insert into meeting (workspace_id, id, public_id, title) values (${own}, 1000, ${newPublicId()}, 'Weekly')`,
  );
  await db.rows(sql`insert into webhook (workspace_id, id, public_id, name, url, events, secret)
    values (${own}, 1000, ${newPublicId()}, 'Hook', 'https://example.org', '[]', 'whsec_')`);
  await db.rows(sql`insert into webhook_delivery (workspace_id, id, public_id, webhook_id, type)
    select ${own}, ${key}, ${ids("d")}, id, 'webhook.test' from webhook where workspace_id = ${own}`);
  await db.rows(sql`insert into board_favourite (workspace_id, board_id, account_id)
    select ${own}, b.id, m.account_id from board b join member m on m.workspace_id = ${own} where b.workspace_id = ${own}`);
  await db.rows(sql`insert into board_opened (workspace_id, board_id, account_id, opened_at)
    select ${own}, b.id, m.account_id, now() from board b join member m on m.workspace_id = ${own} where b.workspace_id = ${own}`);
  await db.rows(sql`insert into idempotency_key (workspace_id, account_id, key, request_hash, answer)
    select ${own}, m.account_id, ${ids("x")}, '', '{}' from member m where m.workspace_id = ${own}`);
  await db.rows(sql`insert into tag (workspace_id, id, public_id, name, name_key, colour_code)
    values (${own}, 1000, ${newPublicId()}, 'Tag', 'tag', '#112233')`);
  await db.rows(sql`insert into board_tag (workspace_id, board_id, tag_id)
    select ${own}, b.id, t.id from board b, tag t where b.workspace_id = ${own} and t.workspace_id = ${own}`);
  await db.rows(sql`insert into former_member (workspace_id, account_id)
    select ${own}, account_id from member where workspace_id = ${own}`);
}

/** How many rows of a workspace each table holds, by its tenant key. */
async function rowsByTable(id: number): Promise<Record<string, number>> {
  const columns = await db.rows<{ table: string; column: string }>(sql`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public' and column_name in ('workspace_id', 'bound_workspace_id')`);
  const counts = columns.map(
    ({ table, column }) =>
      sql`select ${table}::text as name, count(*)::int as rows from ${sql.identifier(table)}
        where ${sql.identifier(column)} = ${id}::bigint`,
  );
  const rows = await db.rows<{ name: string; rows: number }>(sql.join(counts, sql` union all `));
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
}

test("a deleted workspace leaves no row behind in any table, and nothing of another goes with it", async () => {
  const places = [];
  for (let n = 0; n < 2; n += 1) {
    const { owner, workspace } = await make.workspace();
    await make.member(workspace, "member");
    const boards = [];
    for (let m = 0; m < 3; m += 1) boards.push((await make.board({ workspace, owner })).board);
    await make.token(owner, { workspacePublicId: workspace.publicId });
    await fill(workspace);
    places.push({ owner, workspace, boards, id: await keyOf(workspace) });
  }
  const [gone, kept] = places;
  if (gone === undefined || kept === undefined) throw new Error("two places were made");
  const before = await rowsByTable(kept.id);
  expect(Object.entries(await rowsByTable(gone.id)).filter(([, rows]) => rows === 0)).toEqual([]);

  expect(ok(await as(gone.owner).delete(`/workspaces/${gone.workspace.publicId}`))).toEqual({ success: true });

  expect(Object.entries(await rowsByTable(gone.id)).filter(([, rows]) => rows > 0)).toEqual([]);
  expect(await rowsByTable(kept.id)).toEqual(before);
  expectError(await as(gone.owner).get(`/workspaces/${gone.workspace.publicId}`), "NOT_FOUND");
  expectError(await as(gone.owner).delete(`/workspaces/${gone.workspace.publicId}`), "NOT_FOUND");
  expectError(await as(gone.owner).get(`/boards/${gone.boards[0]?.publicId}`), "NOT_FOUND");
});

test("its slug is free again and the tokens bound to it end", async () => {
  const { owner, workspace } = await make.workspace();
  const bound = await make.token(owner, { workspacePublicId: workspace.publicId });

  ok(await as(bound).delete(`/workspaces/${workspace.publicId}`));

  expectError(await as(bound).get("/workspaces"), "UNAUTHORIZED");
  ok(await as(owner).post("/workspaces", { name: "Again", slug: workspace.slug }));
});

test("only an admin deletes a workspace", async () => {
  const { owner, workspace } = await make.workspace();
  const path = `/workspaces/${workspace.publicId}`;

  for (const person of [
    await make.member(workspace, "member"),
    await make.member(workspace, "guest"),
    await make.user(),
    await make.token(owner, { scope: "read" }),
  ]) {
    expectError(await as(person).delete(path), "FORBIDDEN");
  }
  expectError(await anonymous.delete(path), "UNAUTHORIZED");
  expectError(await as(owner).delete(path, { force: true }), "BAD_REQUEST", "force");
  expect(await keyOf(workspace)).toBeGreaterThan(0);
});

test("deleted twice at once, it is deleted once and not found once", async () => {
  const { owner, workspace } = await make.workspace();
  const path = `/workspaces/${workspace.publicId}`;

  const answers = await Promise.all([as(owner).delete(path), as(owner).delete(path)]);

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
});

test("it is deleted in one go while people write in it, and each of them is answered plainly", async () => {
  const { owner, workspace } = await make.workspace();
  const first = await make.board({ workspace });
  const second = await make.board({ workspace });
  const places = [await make.list({ board: first.board }), await make.list({ board: second.board })];
  const client = as(owner);
  const statuses: number[] = [];
  let isDeleted = false;

  const writers = Array.from({ length: 5 }, async (_, n) => {
    while (!isDeleted) {
      const place = places[n % places.length];
      const calls = [
        () => client.post("/cards", { listPublicId: place?.list.publicId, title: "Card" }),
        () => client.post("/lists", { boardPublicId: place?.board.publicId, name: "List" }),
        () => client.post(`/workspaces/${workspace.publicId}/tags`, { name: unique("Tag"), colourCode: "#112233" }),
        () => client.put(`/workspaces/${workspace.publicId}`, { slug: freshSlug() }),
        () => client.post(`/workspaces/${workspace.publicId}/invites`),
      ];
      const res = await calls[n % calls.length]?.();
      if (res !== undefined) statuses.push(res.status);
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 150));
  const deleted = await client.delete(`/workspaces/${workspace.publicId}`);
  isDeleted = true;
  await Promise.all(writers);

  ok(deleted);
  expect(statuses.filter((status) => ![200, 403, 404].includes(status))).toEqual([]);
});

test.runIf(onServer)(
  "a deletion waits for whoever writes in the workspace from elsewhere, who never waits for it",
  async () => {
    const { owner, workspace } = await make.board();
    const id = await keyOf(workspace);
    const before = await deadlocksIn(db);
    let runs = 0;

    const deleted = await db.changeAll(
      async () => [id],
      async (tx) => {
        runs += 1;
        const deletion = as(owner).delete(`/workspaces/${workspace.publicId}`);
        await untilSomeoneWaits(db);
        await tx.rows(sql`
      insert into notification (workspace_id, id, public_id, account_id, type)
      select ${id}::bigint, 1000, ${newPublicIdIn(id)}::text, a.id, 'mention' from account a
      where a.public_id = ${owner.publicId}::text`);
        return { deletion };
      },
    );

    ok(await deleted.deletion);
    expect(runs).toBe(1);
    expect(await deadlocksIn(db)).toBe(before);
  },
);
