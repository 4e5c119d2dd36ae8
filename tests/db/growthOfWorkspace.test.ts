// What a call reads does not grow with its workspace: as PostgreSQL counts it, with and without statistics for its planner.

import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, inject, test } from "vitest";
import type { Database } from "../../src/db/client.js";
import { workspaceOf } from "../../src/db/ids.js";
import { type Answer, anAddress, appOn, ok, type Workspace } from "../helpers/app.js";
import { openCounted } from "../helpers/counted.js";
import { grow } from "../helpers/grown.js";

/** Enough of them that each of their parts fills a table that grows. */
const BOARDS = 200;
/** Of each board. */
const CARDS = 20;
/** Rows that the copy of a board reads for each of its cards: the card and its parts, and again what foreign keys refer to. */
const ROWS_A_CARD = 40;
/** Of each kind: members with an account, and pending ones. */
const MEMBERS = 1500;
/** Rows that an invitation reads of tables that grow. */
const ROWS_AN_INVITATION = 30;
/** Boards that the first read of a page lists, and rows that it reads for each: the board, its lists and tags, and the caller's place. */
const RECENT = 20;
const ROWS_A_RECENT_BOARD = 40;

/** What the planner knows of the tables. */
const KNOWN: Record<string, (db: Database) => Promise<unknown>> = {
  "fresh statistics": (db) => db.rows(sql`analyze`),
  "no statistics": async (db) => {
    await db.rows(sql`delete from pg_statistic`);
    await db.rows(sql`update pg_class set reltuples = -1, relpages = 0 where relnamespace = 'public'::regnamespace`);
  },
};

/** Adds members to a workspace: `crowd1@example.org` and so on have accounts, `pending1@example.org` and so on were invited. */
async function crowd(db: Database, { publicId }: Workspace): Promise<void> {
  const workspaceId = workspaceOf(publicId);
  const numbers = sql`generate_series(1, ${MEMBERS}::int) n`;
  const idOf = (letter: string) => sql`${letter}::text || lpad(n::text, 11, '0')`;
  await db.rows(sql`
    insert into account (public_id, name, email) select ${idOf("q")}, 'Crowd', 'crowd' || n || '@example.org' from ${numbers}`);
  await db.rows(sql`
    insert into member (workspace_id, id, public_id, account_id, role)
    select ${workspaceId}::bigint, 10000000 + id, public_id, id, 'member' from account where name = 'Crowd'`);
  await db.rows(sql`
    insert into member (workspace_id, id, public_id, invited_email, role)
    select ${workspaceId}::bigint, 20000000 + n, ${idOf("p")}, 'pending' || n || '@example.org', 'member' from ${numbers}`);
  await db.rows(sql`
    insert into invite (workspace_id, id, public_id, code, member_id, expires_at)
    select workspace_id, id, public_id, lpad(id::text, 24, 'p'), id, now() + interval '7 days'
    from member where workspace_id = ${workspaceId}::bigint and invited_email is not null`);
}

async function openGrown() {
  const { db, spentOn } = await openCounted();
  const app = await appOn(db, {});
  const { board, workspace } = await app.make.board();
  const within = { workspacePublicId: workspace.publicId, boards: BOARDS };
  await grow(db, { workspaces: 1, people: 2, boards: 1, cardsABoard: CARDS, within });
  await crowd(db, workspace);
  await db.rows(sql`
    insert into board_opened (workspace_id, board_id, account_id, opened_at)
    select b.workspace_id, b.id, a.id, now() - b.id * interval '1 minute' from board b
    join account a on a.public_id = ${workspace.owner.publicId}::text or a.name = 'Crowd' and a.id % 20 = 0
    where b.workspace_id = ${workspaceOf(workspace.publicId)}::bigint`);
  return { ...app, db, spentOn, board, workspace };
}

describe.skipIf(inject("template").kind === "embedded")("in a large workspace (PostgreSQL counts what is read)", () => {
  let grown: Awaited<ReturnType<typeof openGrown>>;
  beforeAll(async () => {
    grown = await openGrown();
  }, 60_000);

  test.each(Object.keys(KNOWN))("the copy of a board reads the rows of that board only, with %s", async (known) => {
    const { db, as, workspace, spentOn } = grown;
    const { owner } = workspace;
    const rows = Array.from({ length: CARDS }, (_, n) => [`Card ${n}`, `List ${n % 10}`, "a,b", "1;2;3;4;5"]);
    const mapping = { title: 0, list: 1, labels: 2, checklist: 3 };
    const file = { workspacePublicId: workspace.publicId, boardName: "Own", rows, mapping };
    const { boardPublicId } = ok(await as(owner).post<{ boardPublicId: string }>("/imports/csv/boards", file));
    await KNOWN[known]?.(db);

    const copy = () => as(owner).post<{ publicId: string }>(`/boards/${boardPublicId}/duplicate`);
    const { answer, scanned, read } = await spentOn(copy);

    const path = `/boards/${ok(answer).publicId}`;
    const { lists } = ok(await as(owner).get<{ lists: { cards: unknown[] }[] }>(path));
    expect(lists.flatMap(({ cards }) => cards)).toHaveLength(CARDS);
    expect(scanned).toEqual([]);
    expect(read).toBeLessThan(ROWS_A_CARD * CARDS);
  });

  test.each(Object.keys(KNOWN))("the first read of a page reads the boards that it lists, with %s", async (known) => {
    const { db, as, workspace, spentOn } = grown;
    await KNOWN[known]?.(db);
    const { answer, scanned, read } = await spentOn(() =>
      as(workspace.owner).get<{ recent: unknown[] }>("/users/me/start"),
    );
    expect(ok(answer).recent).toHaveLength(RECENT);
    expect(scanned).toEqual([]);
    expect(read).toBeLessThan(RECENT * ROWS_A_RECENT_BOARD);
  });

  test.each(Object.keys(KNOWN))("an invitation by address looks nobody else up, with %s", async (known) => {
    const { db, as, make, board, workspace, spentOn } = grown;
    const { email: stranger } = await make.user();
    const { email: guest } = await make.user();
    await KNOWN[known]?.(db);
    const faults: string[] = [];
    const invited: string[] = [];
    for (const path of [`/workspaces/${workspace.publicId}`, `/boards/${board.publicId}`]) {
      const addresses = {
        "an unknown address": anAddress(),
        "an account's": path.startsWith("/boards") ? guest : stranger,
        "a member's": "crowd700@example.org",
        "a pending member's": "pending700@example.org",
      };
      for (const [whose, email] of Object.entries(addresses)) {
        const invite = (): Promise<Answer<{ invited: boolean }>> =>
          as(workspace.owner).post(`${path}/members/invite`, { email });
        const { answer, scanned, read } = await spentOn(invite);
        if (ok(answer).invited) invited.push(whose);
        for (const table of scanned) faults.push(`${path}, ${whose}: scans ${table}`);
        if (read > ROWS_AN_INVITATION) faults.push(`${path}, ${whose}: reads ${read} rows`);
      }
    }
    expect(faults).toEqual([]);
    expect(invited).toEqual(["an unknown address", "an account's", "an unknown address", "an account's"]);
  });
});
