// Reads a board for its file: a fixed number of statements whatever its size, all of one snapshot, so that no link in the file
// leads to what was deleted meanwhile.

import { type SQL, sql } from "drizzle-orm";
import { FILED_FIELDS, fieldColumns } from "../access/cardFields.js";
import type { BoardAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { notFound } from "../api/errors.js";
import type { Database, Queries } from "../db/client.js";
import { shownMember } from "../workspace/people.js";
import { peopleOn } from "./cardSummaries.js";
import { type BoardFile, FILE_FORMAT, FILE_VERSION, type FileCard } from "./file.js";

type Labels = BoardFile["labels"];
type Checklist = FileCard["checklists"][number];
type Comment = FileCard["comments"][number];

interface BoardRow extends Pick<BoardFile, "name" | "slug" | "visibility"> {
  showEmailsToMembers: boolean;
}

interface CardRow extends Omit<FileCard, "labelPublicIds" | "memberPublicIds" | "checklists" | "comments"> {
  id: number;
}

interface OnCard {
  cardId: number;
}

type ItemRow = OnCard & { checklistId: number; name: string; title: string | null; completed: boolean };

/** The keys of a board. */
type Place = Pick<BoardAccess, "workspaceId" | "boardId">;

const ofBoard = ({ workspaceId, boardId }: Place) =>
  sql`workspace_id = ${workspaceId}::bigint and board_id = ${boardId}::bigint`;

/** The rows of a table that hangs on cards, for every card of a board. */
const onCards = (table: SQL, { workspaceId, boardId }: Place) => sql`
  from card c join ${table} on t.workspace_id = c.workspace_id and t.card_id = c.id
  where c.workspace_id = ${workspaceId}::bigint and c.board_id = ${boardId}::bigint`;

/** Rows by the card they are on, in their order. */
function byCard<Row extends OnCard, T>(rows: readonly Row[], shown: (row: Row) => T): (card: CardRow) => T[] {
  const found = new Map<number, T[]>();
  for (const row of rows) {
    const ofCard = found.get(row.cardId);
    if (ofCard === undefined) found.set(row.cardId, [shown(row)]);
    else ofCard.push(shown(row));
  }
  return ({ id }) => found.get(id) ?? [];
}

/** A board as its file, with the addresses that the caller may see. NOT_FOUND when it is gone since it was looked up. */
export function readBoardFile(ctx: Signed<Database>, access: BoardAccess): Promise<BoardFile> {
  return ctx.db.transaction(async (db) => {
    await db.rows(sql`set transaction isolation level repeatable read, read only`);
    const [board] = await db.rows<BoardRow>(sql`
      select b.name, b.slug, b.visibility, w.show_emails_to_members as "showEmailsToMembers"
      from board b join workspace w on w.id = b.workspace_id
      where b.workspace_id = ${access.workspaceId}::bigint and b.id = ${access.boardId}::bigint`);
    if (board === undefined) throw notFound();
    const { showEmailsToMembers, ...named } = board;
    const { assigned, cards } = await cardsOf(db, access);
    const people = await peopleOn(db, access.workspaceId, access.boardId, assigned);
    const shown = people.map((person) => shownMember(person, { ...access, showEmailsToMembers }));
    return {
      format: FILE_FORMAT,
      version: FILE_VERSION,
      ...named,
      tags: await tagsOf(db, access),
      people: shown.map(({ publicId, name, email }) => ({ publicId, name, email })),
      memberPublicIds: people.filter(({ isBoardMember }) => isBoardMember).map(({ publicId }) => publicId),
      labels: await db.rows<Labels[number]>(sql`
        select public_id as "publicId", name, colour_code as "colourCode" from label where ${ofBoard(access)} order by id`),
      lists: await db.rows<BoardFile["lists"][number]>(sql`
        select public_id as "publicId", name from list where ${ofBoard(access)} order by position`),
      cards,
    };
  });
}

/** Ordered by the key of the name: what the workspace calls first may differ from one workspace to the next. */
const tagsOf = (db: Queries, { workspaceId, boardId }: Place) =>
  db.rows<BoardFile["tags"][number]>(sql`
    select t.name, t.colour_code as "colourCode"
    from board_tag bt join tag t on t.workspace_id = bt.workspace_id and t.id = bt.tag_id
    where bt.workspace_id = ${workspaceId}::bigint and bt.board_id = ${boardId}::bigint
    order by t.name_key collate "C"`);

const filedColumns = sql.raw(fieldColumns("c", FILED_FIELDS));

/** Every card of a board in the order of the file, and the keys of those assigned. */
async function cardsOf(db: Queries, board: Place): Promise<{ cards: FileCard[]; assigned: Set<number> }> {
  const rows = await db.rows<CardRow>(sql`
    select c.id, c.public_id as "publicId", c.card_number as "cardNumber", l.public_id as "listPublicId",
      ${filedColumns}, c.archived_at as "archivedAt", c.created_at as "createdAt"
    from card c left join list l on l.workspace_id = c.workspace_id and l.id = c.list_id
    where c.workspace_id = ${board.workspaceId}::bigint and c.board_id = ${board.boardId}::bigint
    order by c.archived_at nulls first, case when c.position is not null then l.position end, c.position, c.card_number`);
  const labels = await db.rows<OnCard & { publicId: string }>(sql`
    select t.card_id as "cardId", l.public_id as "publicId"
    ${onCards(sql`card_label t join label l on l.workspace_id = t.workspace_id and l.id = t.label_id`, board)}
    order by l.id`);
  const members = await db.rows<OnCard & { id: number; publicId: string }>(sql`
    select t.card_id as "cardId", m.id, m.public_id as "publicId"
    ${onCards(sql`card_member t join member m on m.workspace_id = t.workspace_id and m.id = t.member_id`, board)}
    order by m.id`);
  const labelsOf = byCard(labels, ({ publicId }) => publicId);
  const membersOf = byCard(members, ({ publicId }) => publicId);
  const checklistsOf = byCard(await checklistsOn(db, board), ({ name, items }) => ({ name, items }));
  const commentsOf = byCard(await commentsOn(db, board), ({ cardId, ...comment }): Comment => comment);
  const cards = rows.map((card) => {
    const { id, ...fields } = card;
    return {
      ...fields,
      labelPublicIds: labelsOf(card),
      memberPublicIds: membersOf(card),
      checklists: checklistsOf(card),
      comments: commentsOf(card),
    };
  });
  return { cards, assigned: new Set(members.map(({ id }) => id)) };
}

async function checklistsOn(db: Queries, board: Place): Promise<(OnCard & Checklist)[]> {
  const rows = await db.rows<ItemRow>(sql`
    select t.card_id as "cardId", t.id as "checklistId", t.name, i.title, i.completed
    ${onCards(sql`(checklist t left join checklist_item i on i.workspace_id = t.workspace_id and i.checklist_id = t.id)`, board)}
    order by t.id, i.position`);
  const checklists: (OnCard & Checklist & { id: number })[] = [];
  for (const { cardId, checklistId, name, title, completed } of rows) {
    let checklist = checklists.at(-1);
    if (checklist?.id !== checklistId) {
      checklist = { id: checklistId, cardId, name, items: [] };
      checklists.push(checklist);
    }
    if (title !== null) checklist.items.push({ title, completed });
  }
  return checklists;
}

/** Author and time of an imported comment are those it came with. */
const commentsOn = (db: Queries, board: Place) =>
  db.rows<OnCard & Comment>(sql`
    select t.card_id as "cardId", t.public_id as "publicId", p.public_id as "parentCommentPublicId",
      coalesce(t.imported_name, a.name) as author, t.comment, coalesce(t.imported_at, t.created_at) as "createdAt",
      t.edited_at as "editedAt"
    ${onCards(
      sql`(comment t join account a on a.id = t.author_id
        left join comment p on p.workspace_id = t.workspace_id and p.id = t.parent_id)`,
      board,
    )}
    order by t.id`);
