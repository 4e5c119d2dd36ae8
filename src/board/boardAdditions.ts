// Creates boards with their first lists and labels, for new, copied and imported boards. The event of each is complete.

import type { Visibility } from "../access/boardVisibility.js";
import { type Named, shownNamed, type WorkspaceAccess } from "../access/guards.js";
import type { Role } from "../access/permissions.js";
import type { Tx } from "../api/change.js";
import { inOrder, type ListKey, type MemberKey } from "../card/model/cardCreation.js";
import { nameKey } from "../db/nameKey.js";
import { GAP } from "../db/positions.js";
import { board, boardMember, boardTag, label, list } from "../db/schema/index.js";
import { addRows, type NewRow } from "../db/unitOfWork.js";
import { boardEvent, loggedMember } from "../events/log.js";
import { freeSlugs, usableSlug } from "./slugs.js";

/** An active member of the workspace who becomes a member of the board. */
export interface BoardMemberKey extends MemberKey {
  role: Role;
}

/** A board to create. */
interface BoardAddition {
  name: string;
  /** Free in the workspace. */
  slug: string;
  visibility: Visibility;
  /** The members of the board, each once. */
  members: readonly BoardMemberKey[];
  tags: readonly Named[];
  /** In order, each with the number of open cards that will be on it. */
  lists: readonly { name: string; openCards: number }[];
  /** Names must be unique, regardless of case. */
  labels: readonly { name: string; colourCode: string }[];
}

/** A new board, with its lists and labels in the given order. */
export interface MadeBoard {
  boardId: number;
  boardPublicId: string;
  boardName: string;
  lists: ListKey[];
  labels: Named[];
}

/** The rows of boards, by table: many boards are written with as many statements as one. */
interface Rows {
  boards: NewRow<typeof board>[];
  members: NewRow<typeof boardMember>[];
  tags: NewRow<typeof boardTag>[];
  lists: NewRow<typeof list>[];
  labels: NewRow<typeof label>[];
}

function rowsOf(tx: Tx, wanted: BoardAddition, rows: Rows): MadeBoard {
  const { name, slug, visibility } = wanted;
  const boardId = tx.newRowId();
  const publicId = tx.newPublicId();
  const lists = wanted.lists.map((one) => ({ id: tx.newRowId(), publicId: tx.newPublicId(), name: one.name }));
  const labels = wanted.labels.map(({ name: of, colourCode }) => ({
    id: tx.newRowId(),
    publicId: tx.newPublicId(),
    name: of,
    colourCode,
  }));
  rows.boards.push({ id: boardId, publicId, name, slug, visibility });
  rows.members.push(...wanted.members.map(({ id }) => ({ boardId, memberId: id })));
  rows.tags.push(...wanted.tags.map(({ id }) => ({ boardId, tagId: id })));
  for (const [index, one] of lists.entries()) {
    rows.lists.push({ ...one, boardId, position: index * GAP, openCards: wanted.lists[index]?.openCards ?? 0 });
  }
  for (const one of labels) rows.labels.push({ ...one, boardId, nameKey: nameKey(one.name) });
  return { boardId, boardPublicId: publicId, boardName: name, lists, labels };
}

/** A board as its event shows it. */
const loggedBoard = (
  { name, slug, visibility, tags, members }: BoardAddition,
  { boardPublicId, lists, labels }: MadeBoard,
) => ({
  publicId: boardPublicId,
  name,
  slug,
  visibility,
  isArchived: false,
  tags: tags.map(shownNamed),
  labels: labels.map(shownNamed),
  members: inOrder(members).map((member) => loggedMember({ ...member, isActive: true })),
  lists: lists.map(({ publicId, name: of }, index) => ({ publicId, name: of, index })),
});

/** Adds the rows of a board and logs its event, with `data` in addition to the board. */
function logged(
  tx: Tx,
  type: BoardMade,
  wanted: BoardAddition,
  rows: Rows,
  data: Record<string, unknown> = {},
): MadeBoard {
  const made = rowsOf(tx, wanted, rows);
  tx.log(boardEvent(made, type, { board: loggedBoard(wanted, made), ...data }));
  return made;
}

function writeRows(tx: Tx, rows: Rows): void {
  addRows(tx, board, rows.boards);
  addRows(tx, boardMember, rows.members);
  addRows(tx, boardTag, rows.tags);
  addRows(tx, list, rows.lists);
  addRows(tx, label, rows.labels);
}

const noRows = (): Rows => ({ boards: [], members: [], tags: [], lists: [], labels: [] });

/** The origin of a new board. */
type BoardMade = "board.created" | "board.imported";

/** Creates a board; its event contains `data` in addition. */
export function addBoard(tx: Tx, type: BoardMade, wanted: BoardAddition, data?: Record<string, unknown>): MadeBoard {
  const rows = noRows();
  const made = logged(tx, type, wanted, rows, data);
  writeRows(tx, rows);
  return made;
}

/** Creates boards, in order. */
export function addBoards(tx: Tx, type: BoardMade, boards: readonly BoardAddition[]): MadeBoard[] {
  const rows = noRows();
  const made = boards.map((wanted) => logged(tx, type, wanted, rows));
  writeRows(tx, rows);
  return made;
}

interface NewBoardFields {
  name: string;
  slug?: string | undefined;
  visibility: Visibility;
  lists: readonly string[];
  labels: readonly { name: string; colourCode: string }[];
}

/** Creates a board with its creator as member. */
export async function createBoard(tx: Tx, { memberId, memberPublicId, role }: WorkspaceAccess, fields: NewBoardFields) {
  const { name, visibility, labels } = fields;
  const [free = "board"] = fields.slug === undefined ? await freeSlugs(tx.db, tx.workspaceId, [name]) : [];
  const slug = fields.slug === undefined ? free : await usableSlug(tx.db, tx.workspaceId, fields.slug, null);
  const members = [{ id: memberId, publicId: memberPublicId, role }];
  const lists = fields.lists.map((list) => ({ name: list, openCards: 0 }));
  const made = addBoard(tx, "board.created", { name, slug, visibility, members, tags: [], lists, labels });
  return { publicId: made.boardPublicId, name, slug };
}
