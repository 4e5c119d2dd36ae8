// The refusal that every test runs behind: each statement on the tables of workspaces is bound to one of them by equality.

import { readFile } from "node:fs/promises";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { ACROSS, acrossWorkspaces } from "../../src/db/acrossWorkspaces.js";
import { openDatabase } from "../../src/db/client.js";
import type { Driver } from "../../src/db/driver.js";
import { board, card } from "../../src/db/schema/index.js";
import { bound, mustHaveRefusedNothing, wrongWith } from "../helpers/bound/driver.js";
import { columnsOf, isOfWorkspaces } from "../helpers/bound/schema.js";

const NONE: readonly (string | number)[] = Array.from({ length: 9 }, () => 7);

test.each([
  ["a table by itself", "select * from card where workspace_id = $1 and public_id = $2"],
  ["a cast and a literal", "select 1 from card where 7 = workspace_id::bigint"],
  [
    "a join on the workspace",
    "select 1 from card c join list l on l.workspace_id = c.workspace_id where c.workspace_id = $1",
  ],
  ["a join by USING", "select 1 from card join list using (workspace_id) where card.workspace_id = $1"],
  ["the workspace itself", "select 1 from workspace w join card c on c.workspace_id = w.id where w.id = $1"],
  [
    "a left join's condition",
    "select 1 from board b left join card c on c.workspace_id = $1 where b.workspace_id = $1",
  ],
  [
    "a correlated subquery that names the workspace",
    "select (select count(*) from card c where c.workspace_id = $1 and c.board_id = b.id) from board b where b.workspace_id = $1",
  ],
  [
    "a lateral subquery that names the workspace",
    "select 1 from board b cross join lateral (select 1 from card c where c.workspace_id = $1 and c.board_id = b.id limit 1) x where b.workspace_id = $1",
  ],
  [
    "what a CTE gives",
    "with h as (select workspace_id as w from board where workspace_id = $1) select 1 from h join card c on c.workspace_id = h.w",
  ],
  [
    "* of a subquery",
    "select 1 from (select * from board where workspace_id = $1) b join card c on c.workspace_id = b.workspace_id",
  ],
  [
    "a union of one workspace",
    "with h as (select board_id from card where workspace_id = $1 union all select id from board where workspace_id = $1) select 1 from card c join h on h.board_id = c.board_id where c.workspace_id = $1",
  ],
  [
    "a recursion that names the workspace in each round",
    "with recursive r as (select id, 0 as n from comment where workspace_id = $1 union all select c.id, r.n + 1 from r join comment c on c.workspace_id = $1 and c.parent_id = r.id) select * from r",
  ],
  ["rows as values", "insert into card (workspace_id, id) values ($1, 2), ($1, 3)"],
  [
    "rows of a document",
    "insert into card (id, workspace_id) select r.id, $1::bigint from jsonb_to_recordset($2) as r(id bigint)",
  ],
  [
    "an upsert",
    "insert into board_favourite (workspace_id, board_id, account_id) values ($1, 2, 3) on conflict do nothing",
  ],
  [
    "UPDATE ... FROM",
    "update card c set title = r.title from jsonb_to_recordset($2) as r(id bigint, title text) where c.workspace_id = $1 and c.id = r.id",
  ],
  ["rows compared", "delete from board_favourite where (workspace_id, board_id) = ($1, $2)"],
  [
    "parts of one statement",
    "with w0 as (insert into card (workspace_id, id) values ($1, 2)), w1 as (update list set open_cards = 1 where workspace_id = $1 and id = 3 returning 1) select 1 / (select count(*) from w1)",
  ],
  [
    "tables of no workspace",
    "select 1 from account a join access_token t on t.account_id = a.id where a.email like $1",
  ],
  ["no table", "begin isolation level read committed"],
])("%s passes", (_, text) => {
  expect(wrongWith(text, NONE)).toBeNull();
});

const NO = "bound to no workspace: ";

test.each([
  ["no condition", "select * from card where public_id = $1", "card"],
  [
    "the workspace of a row outside of a correlated subquery",
    "select (select count(*) from card c where c.workspace_id = b.workspace_id) from board b where b.workspace_id = $1",
    "card c",
  ],
  [
    "the workspace of a row beside a lateral subquery",
    "select 1 from board b cross join lateral (select 1 from card c where c.workspace_id = b.workspace_id limit 1) x where b.workspace_id = $1",
    "card c",
  ],
  [
    "the workspace that a lateral subquery gives",
    "select 1 from lateral (select workspace_id from board where workspace_id = $1 offset 0) b join card c on c.workspace_id = b.workspace_id",
    "card c",
  ],
  ["a list of workspaces", "select 1 from card where workspace_id = any($1)", "card"],
  ["IN", "select 1 from card where workspace_id in ($1, $2)", "card"],
  ["a comparison", "select 1 from card where workspace_id >= $1 and workspace_id <= $1", "card"],
  ["one branch of an OR", "select 1 from card where workspace_id = $1 or public_id = $2", "card"],
  ["a negation", "select 1 from card where not (workspace_id = $1)", "card"],
  ["NULL", "select 1 from card where workspace_id = null", "card"],
  [
    "a join without the workspace",
    "select 1 from list l join card c on c.list_id = l.id where l.workspace_id = $1",
    "card c",
  ],
  [
    "the row's own key only",
    "select 1 from workspace w join card c on c.workspace_id = w.id where w.public_id = $1",
    "card c",
  ],
  [
    "a left join's condition on the other side",
    "select 1 from card c left join list l on l.workspace_id = $1 and c.workspace_id = $1",
    "card c",
  ],
  [
    "a full join",
    "select 1 from board b full join card c on c.workspace_id = b.workspace_id where b.workspace_id = $1",
    "card c",
  ],
  [
    "a CTE",
    "with h as (select id from card where public_id = $2) select 1 from board b, h where b.workspace_id = $1",
    "card",
  ],
  [
    "a CTE that is bound from outside",
    "with h as (select * from card) select 1 from h where h.workspace_id = $1",
    "card",
  ],
  [
    "a subquery in FROM",
    "select 1 from (select * from card) c join board b on b.workspace_id = c.workspace_id where b.workspace_id = $1",
    "card",
  ],
  [
    "a subquery that hides the names around it",
    "select 1 from board c where c.workspace_id = $1 and c.id in (select board_id from card c where c.workspace_id = c.workspace_id)",
    "card c",
  ],
  [
    "EXISTS",
    "select 1 from board b where b.workspace_id = $1 and exists (select from card c where c.board_id = b.id)",
    "card c",
  ],
  [
    "a row that only a subquery binds",
    "select 1 from card c where exists (select from board b where b.workspace_id = $1 and b.workspace_id = c.workspace_id)",
    "card c",
  ],
  ["a subquery in the result", "select (select count(*) from comment) from card where workspace_id = $1", "comment"],
  [
    "a subquery in a function's argument",
    "select coalesce((select max(id) from comment), 0) from card where workspace_id = $1",
    "comment",
  ],
  ["a subquery in ORDER BY", "select 1 from card where workspace_id = $1 order by (select count(*) from list)", "list"],
  ["one part of a UNION", "select 1 from card where workspace_id = $1 union all select 1 from card", "card"],
  [
    "what a materialized CTE gives",
    "with h as materialized (select workspace_id, id from board where workspace_id = $1) update card set title = '' from h where card.workspace_id = h.workspace_id and card.board_id = h.id",
    "card",
  ],
  [
    "what a union of one workspace gives",
    "with h as (select workspace_id from board where workspace_id = $1 union all select $1) select 1 from card c join h on h.workspace_id = c.workspace_id",
    "card c",
  ],
  [
    "what one part of a UNION gives",
    "with h as (select workspace_id from board where workspace_id = $1 union select max(workspace_id) from board where workspace_id = $1) select 1 from card c join h on h.workspace_id = c.workspace_id",
    "card c",
  ],
  [
    "a recursion that carries the workspace",
    "with recursive r as (select workspace_id, id, 0 as n from comment where workspace_id = $1 union all select c.workspace_id, c.id, r.n + 1 from r join comment c on c.workspace_id = r.workspace_id and c.parent_id = r.id) select * from r",
    "comment c",
  ],
  [
    "a recursion that leaves the workspace",
    "with recursive r as (select workspace_id, id from comment where workspace_id = $1 union all select c.workspace_id + 1, c.id from comment c join r on c.workspace_id = r.workspace_id) select 1 from r",
    "comment c",
  ],
  ["UPDATE", "update card set title = $1 where id = $2", "card"],
  [
    "the FROM of an UPDATE",
    "update card c set title = l.name from list l where c.workspace_id = $1 and l.id = c.list_id",
    "list l",
  ],
  [
    "the target of an UPDATE",
    "update card c set title = l.name from list l where l.workspace_id = $1 and l.id = c.list_id",
    "card c",
  ],
  [
    "a row's workspace",
    "update card set workspace_id = $2 where workspace_id = $1",
    "card: rows that change their workspace",
  ],
  ["DELETE ... USING", "delete from card c using list l where c.workspace_id = $1 and l.id = c.list_id", "list l"],
  ["RETURNING", "delete from card where workspace_id = $1 returning (select count(*) from list)", "list"],
  ["an INSERT without a workspace", "insert into card (id) values (1)", "inserted card"],
  [
    "an INSERT of rows of a document",
    "insert into card (workspace_id, id) select r.workspace_id, r.id from jsonb_to_recordset($1) as r(workspace_id bigint, id bigint)",
    "inserted card",
  ],
  [
    "an INSERT of another table's rows",
    "insert into tag (workspace_id, id) select l.workspace_id, l.id from label l",
    "label l, inserted tag",
  ],
  [
    "the end of an upsert",
    "insert into card (workspace_id, id) values ($1, 2) on conflict (id) do update set title = (select name from list limit 1)",
    "list",
  ],
  ["MERGE", "merge into card using list on card.workspace_id = $1 when matched then delete", "a MergeStmt"],
  [
    "a natural join",
    "select 1 from card natural join list where card.workspace_id = $1",
    "list, a natural join, or one with a name",
  ],
])("what is missing in %s is found", (_, text, missing) => {
  expect(wrongWith(text, NONE)).toBe(`${NO}${missing}`);
});

describe("one workspace", () => {
  const joined =
    "select 1 from card c join list l on l.id = c.list_id where c.workspace_id = $1 and l.workspace_id = $2";
  const added = "insert into card (workspace_id, id) values ($1, 2), ($2, 3)";

  test("is what all parameters name", () => {
    for (const text of [joined, added]) expect(wrongWith(text, [7, "7"])).toBeNull();
  });

  test("is not two", () => {
    for (const text of [joined, added]) expect(wrongWith(text, [7, 8])).toMatch(/^bound to several workspaces: /);
    expect(wrongWith("select 1 from card, list where card.workspace_id = 1 and list.workspace_id = 2", [])).toMatch(
      /several/,
    );
  });

  test("may be none: two conditions on a table find nothing where they differ", () => {
    expect(wrongWith("select 1 from card where workspace_id = $1 and workspace_id = $2", [7, 8])).toBeNull();
  });
});

describe("behind a driver", () => {
  function refusing() {
    const sent: string[] = [];
    const refused: Error[] = [];
    const answer = async (text: string) => {
      sent.push(text);
      return [];
    };
    const driver: Driver = {
      isDistributed: false,
      query: answer,
      transaction: (run) => run({ query: answer, last: answer }),
      migrate: async () => {},
      snapshot: async (_tables, run) => run({ query: answer }),
      ping: async () => {},
      asOnlyProcess: async () => false,
      waitingMs: () => 0,
      close: async () => {},
    };
    const db = openDatabase(bound(driver, (error) => void refused.push(error)));
    return { db, driver, sent, refused };
  }
  const unbound = eq(card.publicId, "abcdefghijkl");

  test("a statement is refused and not sent, in transactions too", async () => {
    const { db, sent, refused } = refusing();
    await expect(db.select({ id: card.id }).from(card).where(unbound)).rejects.toThrow();
    await expect(db.transaction((tx) => tx.delete(card).where(unbound))).rejects.toThrow();
    expect(sent).toEqual([]);
    expect(refused.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^bound to no workspace: card, in:\nselect/),
      expect.stringMatching(/^bound to no workspace: card, in:\ndelete/),
    ]);
  });

  test("so is one that goes with COMMIT, and whoever asks is told of it once", async () => {
    const { driver, sent } = refusing();
    const going = bound(driver).transaction(({ last }) => Promise.resolve("select 1 from card").then(last as never));
    await expect(going).rejects.toThrow("bound to no workspace: card");
    expect(sent).toEqual([]);
    expect(mustHaveRefusedNothing).toThrow("bound to no workspace: card");
    expect(mustHaveRefusedNothing).not.toThrow();
  });

  test("a bound one is sent, and so is one that says why it is not", async () => {
    const { db, sent, refused } = refusing();
    await db.select({ id: board.id }).from(board).where(eq(board.workspaceId, 7));
    await db.select({ id: card.id }).from(card).where(acrossWorkspaces("expired rows", unbound));
    expect(sent).toHaveLength(2);
    expect(refused).toEqual([]);
  });

  test("a name that is not on the list is no reason", () => {
    expect(wrongWith("/* across workspaces: because */ select 1 from card", [])).toMatch(/^"because" is no statement/);
  });

  test("the time within COALESCE or CASE has no place in a change of several workspaces, which Citus refuses", () => {
    const across = "/* across workspaces: notifications of an account */ account_id = 7";
    const change = (value: string) => `update notification set read_at = ${value} where ${across}`;
    for (const value of ["coalesce(read_at, now())", "case when read_at is null then now() end"]) {
      expect(wrongWith(change(value), [])).toMatch(/^now\(\) within COALESCE or CASE/);
    }
    expect(wrongWith(change("least(read_at, now())"), [])).toBeNull();
    expect(wrongWith(`select coalesce(read_at, now()) from notification where ${across}`, [])).toBeNull();
  });

  test("a test's own statements pass", async () => {
    const { db, sent } = refusing();
    await db.rows(sql`select id from card`);
    await db.transaction((tx) => tx.rows(sql`select id from list`));
    expect(sent).toHaveLength(2);
  });
});

test("the tables of workspaces are those of the schema", () => {
  const names = [...columnsOf.keys()];
  expect(names.filter(isOfWorkspaces)).toEqual(
    expect.arrayContaining(["card", "event", "workspace_counter", "webhook"]),
  );
  expect(names.filter((name) => !isOfWorkspaces(name)).sort()).toEqual([
    "access_token",
    "account",
    "account_link",
    "audit_entry",
    "identity",
    "mail",
    "notification_counter",
    "notification_settings",
    "oidc_flow",
    "recovery_code",
    "sign_in_failure",
    "two_factor",
    "workspace",
  ]);
});

test("the guide to Citus lists the statements that visit several workspaces, with their reasons", async () => {
  const guide = await readFile(new URL("../../docs/citus.md", import.meta.url), "utf8");
  const rows = guide.matchAll(/^\| `across workspaces: (.+?)` \| (.+?) \|$/gm);
  expect(Object.fromEntries([...rows].map(([, name, reason]) => [name, reason]))).toEqual(ACROSS);
});
