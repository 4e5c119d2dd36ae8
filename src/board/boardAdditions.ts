// Creates boards with their first lists and labels, for new, copied and imported boards. The event of each is complete.

import type { Visibility } from "../access/boardVisibility.js";
import { type Named, shownNamed, type WorkspaceAccess } from "../access/guards.js";
import type { Role } from "../access/permissions.js";
import type { Tx } from "../api/change.js";
import { inOrder, type ListKey, type MemberKey } from "../card/model/cardCreation.js";
import { nameKey } from "../db/nameKey.js";
import { GAP } from "../db/positions.js";
import { board, boardMember, boardTag, label, list } from "../db/schema/index.js";
import { NewRows } from "../db/unitOfWork.js";
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
  /** Contained in its event in addition to the board. */
  data?: Record<string, unknown>;
}

/** A new board, with its lists and labels in the given order. */
export interface MadeBoard {
  boardId: number;
  boardPublicId: string;
  boardName: string;
  lists: ListKey[];
  labels: Named[];
}

/** The tables of new boards, in the order in which their rows are written. */
const TABLES = [board, boardMember, boardTag, list, label];

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

/** The origin of a new board. */
type BoardMade = "board.created" | "board.imported";

/** Adds the rows of a board and logs its event. */
function added(tx: Tx, type: BoardMade, wanted: BoardAddition, rows: NewRows): MadeBoard {
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
  rows.add(board, { id: boardId, publicId, name, slug, visibility });
  rows.add(boardMember, ...wanted.members.map(({ id }) => ({ boardId, memberId: id })));
  rows.add(boardTag, ...wanted.tags.map(({ id }) => ({ boardId, tagId: id })));
  for (const [index, one] of lists.entries()) {
    rows.add(list, { ...one, boardId, position: index * GAP, openCards: wanted.lists[index]?.openCards ?? 0 });
  }
  for (const one of labels) rows.add(label, { ...one, boardId, nameKey: nameKey(one.name) });
  const made = { boardId, boardPublicId: publicId, boardName: name, lists, labels };
  tx.log(boardEvent(made, type, { board: loggedBoard(wanted, made), ...wanted.data }));
  return made;
}

/** Creates a board. */
export function addBoard(tx: Tx, type: BoardMade, wanted: BoardAddition): MadeBoard {
  const rows = new NewRows(TABLES);
  const made = added(tx, type, wanted, rows);
  rows.write(tx);
  return made;
}

/** Creates boards, in order. */
export function addBoards(tx: Tx, type: BoardMade, boards: readonly BoardAddition[]): MadeBoard[] {
  const rows = new NewRows(TABLES);
  const made = boards.map((wanted) => added(tx, type, wanted, rows));
  rows.write(tx);
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
