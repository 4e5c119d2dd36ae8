// Boards and cards as the page keeps them, for what needs no browser.

import type { BoardState, CardState } from "work-board-client/board";
import { permissionsOf, type Role } from "../../../src/access/permissions.js";

/** A card with some fields, and nothing else. */
export const cardWith = (publicId: string, fields: Partial<CardState> = {}): CardState => ({
  publicId,
  key: publicId,
  title: "",
  description: "",
  cardNumber: 0,
  priority: "none",
  dueDate: null,
  dueHasTime: false,
  completedAt: null,
  labelIds: [],
  members: [],
  checklistItems: { total: 0, completed: 0 },
  commentCount: 0,
  isWaiting: false,
  isGone: false,
  details: null,
  ...fields,
});

/** People by their memberships. */
export const people = (...publicIds: string[]) =>
  publicIds.map((publicId) => ({ publicId, name: `Person ${publicId}`, image: null }));

type Shown = Pick<BoardState, "lists" | "cards">;

/** The reader, of a role. */
export const meOf = (role: Role): BoardState["me"] => ({
  role,
  memberPublicId: "me",
  permissions: permissionsOf(role),
  scope: "write",
});

/** A board in the workspace Harbour, as a member of that reads it, with some fields. */
export const wholeBoard = (fields: Partial<BoardState> = {}): BoardState => ({
  publicId: "board",
  name: "Boats",
  slug: "boats",
  visibility: "workspace",
  isArchived: false,
  isFavourite: false,
  workspace: { publicId: "workspace", name: "Harbour", slug: "harbour", cardPrefix: "WB" },
  me: meOf("member"),
  tags: [],
  members: [],
  labels: [],
  lists: [],
  cards: {},
  ...fields,
});

/** The lists of a board by their names, with their cards in order. The identifier of a list is its name in lower case. */
export const boardOf = (lists: Readonly<Record<string, readonly CardState[]>>): Shown => ({
  lists: Object.entries(lists).map(([name, cards]) => ({
    publicId: name.toLowerCase(),
    key: name,
    name,
    cardIds: cards.map(({ publicId }) => publicId),
  })),
  cards: Object.fromEntries(
    Object.values(lists)
      .flat()
      .map((card) => [card.publicId, card]),
  ),
});
