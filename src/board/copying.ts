// Copies a board: every row of the original is written again by one statement a table, new identifiers matched to old keys.

import { type SQL, sql } from "drizzle-orm";
import type { BoardAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { bigints, type Transaction, texts } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { boardEvent, cardEvent, record } from "../events/log.js";
import { freeSlugs } from "./slugs.js";
import { lockAssignees } from "./visibility.js";

/** The keys of what is copied, in an order that the copies keep, each with the identifier of its copy. */
interface Copies {
  ids: number[];
  publicIds: string[];
}

const copiesOf = (rows: readonly { id: number }[]): Copies => ({
  ids: rows.map(({ id }) => id),
  publicIds: rows.map(() => newPublicId()),
});

/** Old key, new identifier and place of each copy, as rows of the table `m`. */
const asRows = ({ ids, publicIds }: Copies) =>
  sql`unnest(${bigints(ids)}, ${texts(publicIds)}) with ordinality as m(id, public_id, ordinal)`;

const MAX_NAME = 255;

interface Wanted {
  name?: string | undefined;
  withCards: boolean;
}

/** Copies a board and what is asked for of it. */
export async function copyBoard(tx: Signed<Transaction>, source: BoardAccess, { name: wantedName, withCards }: Wanted) {
  const { workspaceId } = source;
  const from = sql`workspace_id = ${workspaceId}::bigint and board_id = ${source.boardId}::bigint`;
  const [original] = await tx.db.rows<{ name: string }>(
    sql`select name from board where workspace_id = ${workspaceId}::bigint and id = ${source.boardId}::bigint`,
  );
  const name = wantedName ?? `${[...(original?.name ?? "")].slice(0, MAX_NAME - 7).join("")} (copy)`;
  const [slug = "board"] = await freeSlugs(tx.db, workspaceId, [name]);
  const visibility = source.visibility === "private" ? "private" : "workspace";
  const publicId = newPublicId();

  const [board] = await tx.db.rows<{ id: number }>(sql`
    insert into board (workspace_id, public_id, name, slug, visibility)
    values (${workspaceId}::bigint, ${publicId}::text, ${name}::text, ${slug}::text, ${visibility}::text) returning id`);
  const boardId = board?.id ?? 0;
  await tx.db.rows(sql`insert into board_member (workspace_id, board_id, member_id)
    values (${workspaceId}::bigint, ${boardId}::bigint, ${source.memberId}::bigint)`);
  await tx.db.rows(sql`insert into board_tag (workspace_id, board_id, tag_id)
    select bt.workspace_id, ${boardId}::bigint, t.id
    from board_tag bt join tag t on t.workspace_id = bt.workspace_id and t.id = bt.tag_id
    where bt.workspace_id = ${workspaceId}::bigint and bt.board_id = ${source.boardId}::bigint
    order by t.id for key share of t`);

  const lists = await lockedLists(tx, source);
  await tx.db.rows(sql`insert into list (workspace_id, public_id, board_id, name, position, open_cards)
    select l.workspace_id, m.public_id, ${boardId}::bigint, l.name, l.position, case when ${withCards}::boolean then l.open_cards else 0 end
    from ${asRows(lists)} join list l on l.workspace_id = ${workspaceId}::bigint and l.id = m.id`);
  const labels = copiesOf(await tx.db.rows<{ id: number }>(sql`select id from label where ${from} order by id`));
  await tx.db.rows(sql`insert into label (workspace_id, public_id, board_id, name, name_key, colour_code)
    select l.workspace_id, m.public_id, ${boardId}::bigint, l.name, l.name_key, l.colour_code
    from ${asRows(labels)} join label l on l.workspace_id = ${workspaceId}::bigint and l.id = m.id order by m.ordinal`);

  const created = boardEvent({ boardPublicId: publicId }, "board.created", {
    name,
    slug,
    visibility,
    copiedFrom: source.boardPublicId,
  });
  if (withCards) await copyCards(tx, source, { boardId, publicId, visibility }, created);
  else await record(tx, source, { events: [created] });
  return { publicId, name, slug };
}

/** The lists of the original, locked so that no card moves while it is copied. */
async function lockedLists(tx: Signed<Transaction>, source: BoardAccess): Promise<Copies> {
  const rows = await tx.db.rows<{ id: number }>(sql`
    select id from list where workspace_id = ${source.workspaceId}::bigint and board_id = ${source.boardId}::bigint
    order by id for no key update`);
  return copiesOf(rows);
}

interface Target {
  boardId: number;
  publicId: string;
  visibility: "workspace" | "private";
}

async function copyCards(
  tx: Signed<Transaction>,
  source: BoardAccess,
  target: Target,
  created: ReturnType<typeof boardEvent>,
): Promise<void> {
  const workspaceId = sql`${source.workspaceId}::bigint`;
  const rows = await tx.db.rows<{ id: number; title: string }>(sql`
    select c.id, c.title from card c join list l on l.workspace_id = c.workspace_id and l.id = c.list_id
    where c.workspace_id = ${workspaceId} and c.board_id = ${source.boardId}::bigint and c.position is not null
    order by l.position, c.position`);
  const cards = copiesOf(rows);
  const checklists = copiesOf(
    await tx.db.rows<{ id: number }>(sql`
      select id from checklist where workspace_id = ${workspaceId} and card_id = any(${bigints(cards.ids)}) order by id`),
  );
  const items = copiesOf(
    await tx.db.rows<{ id: number }>(sql`
      select id from checklist_item where workspace_id = ${workspaceId} and checklist_id = any(${bigints(checklists.ids)})
      order by id`),
  );
  await lockAssignees(tx, source);
  const board = { boardPublicId: target.publicId };
  const events = cards.publicIds.map((cardPublicId, index) =>
    cardEvent({ ...board, cardPublicId }, "card.created", { title: rows[index]?.title }),
  );

  await record(tx, source, {
    events: [created, ...events],
    cardNumbers: cards.ids.length,
    write: (next) => sql`select ${next.seq()} as seq from next`,
    also: [...cardWrites(source, target, cards), ...checklistWrites(workspaceId, checklists, items)],
  });
}

/** The CTEs that write the cards, paired with their originals, and put labels and people on them. */
function cardWrites(source: BoardAccess, target: Target, cards: Copies): SQL[] {
  const workspaceId = sql`${source.workspaceId}::bigint`;
  return [
    sql`carded as (
      insert into card (workspace_id, public_id, board_id, list_id, position, card_number, title, description, due_date,
        completed_at, priority, items_total, items_completed, revision)
      select c.workspace_id, m.public_id, ${target.boardId}::bigint, copy.id, c.position, next.card_number + m.ordinal, c.title,
        c.description, c.due_date, c.completed_at, c.priority, c.items_total, c.items_completed, next.seq + 1 + m.ordinal
      from next, ${asRows(cards)}
      join card c on c.workspace_id = ${workspaceId} and c.id = m.id
      join list l on l.workspace_id = c.workspace_id and l.id = c.list_id
      join list copy on copy.workspace_id = c.workspace_id and copy.board_id = ${target.boardId}::bigint and copy.position = l.position
      returning workspace_id, id, public_id
    )`,
    sql`paired as (
      select carded.workspace_id, carded.id, m.id as original from carded join ${asRows(cards)} on m.public_id = carded.public_id
    )`,
    sql`labelled as (
      insert into card_label (workspace_id, card_id, label_id)
      select p.workspace_id, p.id, copy.id
      from paired p
      join card_label cl on cl.workspace_id = p.workspace_id and cl.card_id = p.original
      join label l on l.workspace_id = cl.workspace_id and l.id = cl.label_id
      join label copy on copy.workspace_id = l.workspace_id and copy.board_id = ${target.boardId}::bigint and copy.name_key = l.name_key
    )`,
    sql`assigned as (
      insert into card_member (workspace_id, card_id, member_id)
      select p.workspace_id, p.id, cm.member_id
      from paired p
      join card_member cm on cm.workspace_id = p.workspace_id and cm.card_id = p.original
      join member m on m.workspace_id = cm.workspace_id and m.id = cm.member_id
      where m.role = 'admin' or m.id = ${source.memberId}::bigint or (m.role = 'member' and ${target.visibility}::text = 'workspace')
    )`,
  ];
}

/** The CTEs that write the checklists of the paired cards, and their items. */
function checklistWrites(workspaceId: SQL, checklists: Copies, items: Copies): SQL[] {
  return [
    sql`checklisted as (
      insert into checklist (workspace_id, public_id, card_id, name)
      select p.workspace_id, m.public_id, p.id, k.name
      from ${asRows(checklists)}
      join checklist k on k.workspace_id = ${workspaceId} and k.id = m.id
      join paired p on p.original = k.card_id
      order by m.ordinal
      returning workspace_id, id, public_id
    )`,
    sql`itemised as (
      insert into checklist_item (workspace_id, public_id, checklist_id, title, completed, position)
      select copy.workspace_id, m.public_id, copy.id, i.title, i.completed, i.position
      from ${asRows(items)}
      join checklist_item i on i.workspace_id = ${workspaceId} and i.id = m.id
      join ${sql`unnest(${bigints(checklists.ids)}, ${texts(checklists.publicIds)}) as k(id, public_id)`} on k.id = i.checklist_id
      join checklisted copy on copy.public_id = k.public_id
      order by m.ordinal
    )`,
  ];
}
