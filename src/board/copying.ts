// Copies a board: reads it in a fixed number of statements, each bound to the board or to keys that are on it, and makes the
// copies here.

import { and, asc, eq, type GetColumnData, getTableColumns, isNotNull, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { CARD_FIELDS, copiedValues, fieldsOf } from "../access/cardFields.js";
import type { BoardAccess } from "../access/guards.js";
import { seesBoard } from "../access/permissions.js";
import type { Tx } from "../api/change.js";
import { bigints } from "../db/client.js";
import { GAP } from "../db/positions.js";
import {
  boardTag,
  card,
  cardLabel,
  cardMember,
  checklist,
  checklistItem,
  label,
  list,
  member,
  tag,
} from "../db/schema/index.js";
import { addBoard, type MadeBoard, type MemberKey } from "./boardAdditions.js";
import { addCards, type NewCard } from "./cardAdditions.js";
import { freeSlugs } from "./slugs.js";

const MAX_NAME = 255;

interface Wanted {
  name?: string | undefined;
  withCards: boolean;
}

/** Copies a board and what is asked for of it. */
export async function copyBoard(tx: Tx, source: BoardAccess, { name: wantedName, withCards }: Wanted) {
  const name = wantedName ?? `${[...source.boardName].slice(0, MAX_NAME - 7).join("")} (copy)`;
  const [slug = "board"] = await freeSlugs(tx.db, tx.workspaceId, [name]);
  const visibility = source.visibility === "private" ? "private" : "workspace";
  const lists = await listsOf(tx, source);
  const labels = await labelsOf(tx, source);
  const made = addBoard(
    tx,
    "board.created",
    {
      name,
      slug,
      visibility,
      members: [{ id: source.memberId, publicId: source.memberPublicId }],
      tags: await tagsOf(tx, source),
      lists: lists.map((one) => ({ name: one.name, openCards: withCards ? one.openCards : 0 })),
      labels,
    },
    { copiedFrom: source.boardPublicId },
  );
  if (withCards) await copyCards(tx, source, visibility, { lists, labels, made });
  return { publicId: made.boardPublicId, name, slug };
}

const listsOf = (tx: Tx, { boardId }: BoardAccess) =>
  tx.db
    .select({ id: list.id, name: list.name, openCards: list.openCards })
    .from(list)
    .where(and(eq(list.workspaceId, tx.workspaceId), eq(list.boardId, boardId)))
    .orderBy(asc(list.position));

const labelsOf = (tx: Tx, { boardId }: BoardAccess) =>
  tx.db
    .select({ id: label.id, name: label.name, colourCode: label.colourCode })
    .from(label)
    .where(and(eq(label.workspaceId, tx.workspaceId), eq(label.boardId, boardId)))
    .orderBy(asc(label.id));

const tagsOf = (tx: Tx, { boardId }: BoardAccess) =>
  tx.db
    .select({ id: tag.id, publicId: tag.publicId, name: tag.name, colourCode: tag.colourCode })
    .from(boardTag)
    .innerJoin(tag, and(eq(tag.workspaceId, tx.workspaceId), eq(tag.id, boardTag.tagId)))
    .where(and(eq(boardTag.workspaceId, tx.workspaceId), eq(boardTag.boardId, boardId)))
    .orderBy(asc(tag.id));

/**
 * Columns of the rows whose `key` is one of many. Each key is looked up by itself: the barrier keeps a planner without statistics
 * from comparing all keys with every row of the workspace.
 */
function rowsAt<Columns extends Record<string, PgColumn>>(
  tx: Tx,
  key: PgColumn,
  keys: readonly number[],
  columns: Columns,
): Promise<{ [Name in keyof Columns]: GetColumnData<Columns[Name]> }[]> {
  const selected = Object.entries(columns).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`);
  const workspaceId = sql`${key.table}.workspace_id`;
  return tx.db.rows(sql`
    select x.* from unnest(${bigints(keys)}) as k(id)
    cross join lateral (
      select ${sql.join(selected, sql`, `)} from ${key.table}
      where ${workspaceId} = ${tx.workspaceId}::bigint and ${key} = k.id offset 0
    ) x`);
}

/** Rows by a key that several of them may share, in their order. */
function grouped<Row>(rows: readonly Row[], keyOf: (row: Row) => number): (key: number) => Row[] {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return (key) => groups.get(key) ?? [];
}

interface Copied {
  lists: readonly { id: number }[];
  labels: readonly { id: number }[];
  /** The copy, whose lists and labels stand where theirs do. */
  made: MadeBoard;
}

/** Copies the open cards, each with its labels, its checklists, and those of its assignees who see the copy. */
async function copyCards(
  tx: Tx,
  source: BoardAccess,
  visibility: "workspace" | "private",
  { lists, labels, made }: Copied,
): Promise<void> {
  const cards = grouped(await openCardsOf(tx, source), ({ listId }) => listId ?? 0);
  const inOrder = lists.flatMap(({ id }) => cards(id));
  const ids = inOrder.map(({ id }) => id);
  const labelsOn = grouped(await cardLabelsOf(tx, ids), ({ cardId }) => cardId);
  const membersOn = await assigneesOf(tx, ids, source, visibility);
  const checklistsOn = await checklistsOf(tx, ids);
  const copyOfLabel = new Map(labels.map(({ id }, index) => [id, made.labels[index]]));

  const { boardId, boardPublicId, boardName } = made;
  const { workspacePublicId, cardPrefix } = source;
  const board = { boardId, boardPublicId, boardName, workspacePublicId, cardPrefix };
  const copies = lists.flatMap((one, listIndex) =>
    cards(one.id).map(
      ({ id, ...fields }, index): NewCard => ({
        ...copiedValues(fields),
        board,
        list: made.lists[listIndex] ?? null,
        place: { position: index * GAP, index },
        archivedAt: null,
        createdAt: null,
        labels: labelsOn(id).flatMap(({ labelId }) => copyOfLabel.get(labelId) ?? []),
        members: membersOn(id),
        checklists: checklistsOn(id),
        comments: [],
      }),
    ),
  );
  await addCards(tx, copies);
}

const openCardsOf = (tx: Tx, { boardId }: BoardAccess) =>
  tx.db
    .select({ id: card.id, listId: card.listId, ...fieldsOf(getTableColumns(card), CARD_FIELDS) })
    .from(card)
    .where(and(eq(card.workspaceId, tx.workspaceId), eq(card.boardId, boardId), isNotNull(card.position)))
    .orderBy(asc(card.position));

const cardLabelsOf = (tx: Tx, cardIds: readonly number[]) =>
  rowsAt(tx, cardLabel.cardId, cardIds, { cardId: cardLabel.cardId, labelId: cardLabel.labelId });

/** The assignees of cards who see a board that has nobody but the caller as its member. */
async function assigneesOf(
  tx: Tx,
  cardIds: readonly number[],
  caller: BoardAccess,
  visibility: "workspace" | "private",
): Promise<(cardId: number) => MemberKey[]> {
  const columns = { cardId: cardMember.cardId, memberId: cardMember.memberId };
  const assigned = await rowsAt(tx, cardMember.cardId, cardIds, columns);
  const memberIds = [...new Set(assigned.map(({ memberId }) => memberId))];
  const people = await rowsAt(tx, member.id, memberIds, {
    id: member.id,
    publicId: member.publicId,
    role: member.role,
  });
  const seeing = people.filter(({ id, role }) => seesBoard(role, visibility, id === caller.memberId));
  const found = new Map(seeing.map(({ id, publicId }) => [id, { id, publicId }]));
  const on = grouped(assigned, ({ cardId }) => cardId);
  return (cardId) => on(cardId).flatMap(({ memberId }) => found.get(memberId) ?? []);
}

/** The checklists of cards in the order in which they were made, their items in order. */
async function checklistsOf(tx: Tx, cardIds: readonly number[]): Promise<(cardId: number) => NewCard["checklists"]> {
  const columns = { id: checklist.id, cardId: checklist.cardId, name: checklist.name };
  const checklists = await rowsAt(tx, checklist.cardId, cardIds, columns);
  const { checklistId, title, completed, position } = checklistItem;
  const itemColumns = { checklistId, title, completed, position };
  const items = await rowsAt(
    tx,
    checklistId,
    checklists.map(({ id }) => id),
    itemColumns,
  );
  items.sort((a, b) => a.position - b.position);
  checklists.sort((a, b) => a.id - b.id);
  const itemsOn = grouped(items, ({ checklistId }) => checklistId);
  const on = grouped(checklists, ({ cardId }) => cardId);
  return (cardId) => on(cardId).map(({ id, name }) => ({ name, items: itemsOn(id) }));
}
