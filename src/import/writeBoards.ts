// Writes the boards that an import planned: a statement for a thousand rows of a table, all in the caller's transaction. Cards
// get their numbers last, so that the workspace's counter is not held while a long text goes in.

import { type SQL, sql } from "drizzle-orm";
import type { WorkspaceAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { freeSlugs } from "../board/slugs.js";
import { bigints, json, type Transaction, texts } from "../db/client.js";
import { record } from "../events/log.js";
import { KEYED, type Keyed, keysOf, Rows } from "./planRows.js";
import type { BoardPlan } from "./plans.js";
import { tagsNamed } from "./tags.js";

/**
 * Makes the boards, whose members are the importer and whom the plan names, and ends the transaction. The workspace is locked by
 * its guard. Gives the public identifiers of the boards.
 */
export async function writeBoards(
  tx: Signed<Transaction>,
  workspace: WorkspaceAccess,
  plans: readonly BoardPlan[],
): Promise<string[]> {
  const slugs = await freeSlugs(
    tx.db,
    workspace.workspaceId,
    plans.map(({ name, slug }) => slug ?? name),
  );
  const rows = new Rows(await reserveKeys(tx.db, plans), workspace.memberId);
  for (const [index, plan] of plans.entries()) rows.addBoard(plan, slugs[index] ?? "");
  const tagEvents = await tagsNamed(tx.db, workspace, plans);
  await insertRows(tx, workspace, rows);
  await record(tx, workspace, {
    events: [...rows.events, ...tagEvents],
    cardNumbers: rows.numbers.length,
    also: [
      sql`numbered as (
        update card set card_number = next.card_number + r.number, revision = next.seq + r.event
        from next, jsonb_to_recordset(${json(rows.numbers)}) as r(id bigint, number int, event int)
        where card.workspace_id = ${workspace.workspaceId}::bigint and card.id = r.id)`,
    ],
  });
  return rows.boards.map(({ publicId }) => publicId);
}

/** Takes the keys that rows refer to each other by out of the tables' own sequences, which hand none out twice. */
async function reserveKeys(db: Transaction, plans: readonly BoardPlan[]): Promise<(table: Keyed) => number> {
  const counts = keysOf(plans);
  const rows = await db.rows<{ name: string; id: number }>(sql`
    select t.name, nextval(pg_get_serial_sequence(t.name, 'id')) as id
    from unnest(${texts(KEYED)}, ${bigints(KEYED.map((table) => counts[table]))}) as t(name, n), generate_series(1, t.n)`);
  const keys = new Map(KEYED.map((table) => [table, rows.filter(({ name }) => name === table).values()]));
  return (table) => {
    const key = keys.get(table)?.next().value;
    if (key === undefined) throw new Error(`No key is left for a ${table}`);
    return key.id;
  };
}

/** Inserts every row, parents first. Cards have numbers below zero until `record` gives them theirs. */
async function insertRows(
  { db, user }: Signed<Transaction>,
  { workspaceId }: WorkspaceAccess,
  rows: Rows,
): Promise<void> {
  const into = sql`${workspaceId}::bigint`;
  await insertAll(
    db,
    rows.boards,
    (from) => sql`
    insert into board (workspace_id, id, public_id, name, slug, visibility)
    select ${into}, r.id, r."publicId", r.name, r.slug, r.visibility
    from ${from} as r(id bigint, "publicId" text, name text, slug text, visibility text)`,
  );
  await insertAll(
    db,
    rows.boardMembers,
    (from) => sql`
    insert into board_member (workspace_id, board_id, member_id)
    select ${into}, r."boardId", r."memberId" from ${from} as r("boardId" bigint, "memberId" bigint)`,
  );
  await insertAll(
    db,
    rows.boardTags,
    (from) => sql`
    insert into board_tag (workspace_id, board_id, tag_id)
    select ${into}, r."boardId", t.id
    from ${from} as r("boardId" bigint, "nameKey" text)
    join tag t on t.workspace_id = ${into} and t.name_key = r."nameKey"`,
  );
  await insertAll(
    db,
    rows.lists,
    (from) => sql`
    insert into list (workspace_id, id, public_id, board_id, name, position, open_cards)
    select ${into}, r.id, r."publicId", r."boardId", r.name, r.position, r."openCards"
    from ${from} as r(id bigint, "publicId" text, "boardId" bigint, name text, position bigint, "openCards" int)`,
  );
  await insertAll(
    db,
    rows.labels,
    (from) => sql`
    insert into label (workspace_id, id, public_id, board_id, name, name_key, colour_code)
    select ${into}, r.id, r."publicId", r."boardId", r.name, r."nameKey", r."colourCode"
    from ${from} as r(id bigint, "publicId" text, "boardId" bigint, name text, "nameKey" text, "colourCode" text)`,
  );
  await insertAll(
    db,
    rows.cards,
    (from) => sql`
    insert into card (workspace_id, id, public_id, board_id, list_id, position, card_number, title, description, due_date,
      priority, completed_at, archived_at, created_at, items_total, items_completed, comment_count)
    select ${into}, r.id, r."publicId", r."boardId", r."listId", r.position, r.number, r.title, r.description, r."dueDate",
      r.priority, r."completedAt", r."archivedAt", coalesce(r."createdAt", now()), r."itemsTotal", r."itemsCompleted",
      r."commentCount"
    from ${from} as r(id bigint, "publicId" text, "boardId" bigint, "listId" bigint, position bigint, number int, title text,
      description text, "dueDate" timestamptz, priority text, "completedAt" timestamptz, "archivedAt" timestamptz,
      "createdAt" timestamptz, "itemsTotal" int, "itemsCompleted" int, "commentCount" int)`,
  );
  await insertAll(
    db,
    rows.cardLabels,
    (from) => sql`
    insert into card_label (workspace_id, card_id, label_id)
    select ${into}, r."cardId", r."labelId" from ${from} as r("cardId" bigint, "labelId" bigint)`,
  );
  await insertAll(
    db,
    rows.cardMembers,
    (from) => sql`
    insert into card_member (workspace_id, card_id, member_id)
    select ${into}, r."cardId", r."memberId" from ${from} as r("cardId" bigint, "memberId" bigint)`,
  );
  await insertAll(
    db,
    rows.checklists,
    (from) => sql`
    insert into checklist (workspace_id, id, public_id, card_id, name)
    select ${into}, r.id, r."publicId", r."cardId", r.name
    from ${from} as r(id bigint, "publicId" text, "cardId" bigint, name text)`,
  );
  await insertAll(
    db,
    rows.items,
    (from) => sql`
    insert into checklist_item (workspace_id, public_id, checklist_id, title, completed, position)
    select ${into}, r."publicId", r."checklistId", r.title, r.completed, r.position
    from ${from} as r("publicId" text, "checklistId" bigint, title text, completed boolean, position bigint)`,
  );
  await insertAll(
    db,
    rows.comments,
    (from) => sql`
    insert into comment (workspace_id, id, public_id, card_id, author_id, comment, parent_id, imported_name, imported_at, edited_at)
    select ${into}, r.id, r."publicId", r."cardId", ${user.accountId}::bigint, r.comment, r."parentId", r.author, r."createdAt",
      r."editedAt"
    from ${from} as r(id bigint, "publicId" text, "cardId" bigint, comment text, "parentId" bigint, author text,
      "createdAt" timestamptz, "editedAt" timestamptz)`,
  );
}

async function insertAll(db: Transaction, rows: readonly object[], insert: (from: SQL) => SQL): Promise<void> {
  for (const part of partsOf(rows)) await db.rows(insert(sql`jsonb_to_recordset(${part}::text::jsonb)`));
}

/** Limits of a statement: the embedded database keeps the process waiting while one runs. */
const MAX_ROWS = 1000;
const MAX_LENGTH = 1_000_000;

/** The rows as JSON arrays, each as much as one statement takes. */
function* partsOf(rows: readonly object[]): Generator<string> {
  let part: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (part.length === MAX_ROWS || (part.length > 0 && length + text.length > MAX_LENGTH)) {
      yield `[${part.join()}]`;
      part = [];
      length = 0;
    }
    part.push(text);
    length += text.length;
  }
  if (part.length > 0) yield `[${part.join()}]`;
}
