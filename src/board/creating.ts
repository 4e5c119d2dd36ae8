// Creates a board on request.

import type { Visibility } from "../access/boardVisibility.js";
import type { WorkspaceAccess } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { addBoard } from "./boardAdditions.js";
import { freeSlugs, usableSlug } from "./slugs.js";

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
