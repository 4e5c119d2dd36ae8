// The shapes of boards and of cards as boards show them (contract section 3).

import { z } from "zod";
import { CARD_FIELDS, shownShape } from "../access/cardFields.js";
import { Label, Member, Person, PublicId, Visibility } from "../api/shapes.js";

/** The path parameter of a board. */
export const ofBoard = { boardPublicId: PublicId };

const Whole = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const { title, description, ...otherFields } = shownShape(CARD_FIELDS);

/** A card as a board shows it; `index` is its place in its list, null while archived. */
export const CardSummary = z.object({
  publicId: z.string(),
  title,
  description,
  cardNumber: Whole,
  index: Whole.nullable(),
  ...otherFields,
  labels: z.array(Label),
  members: z.array(Person),
  checklistItems: z.object({ total: Whole, completed: Whole }),
  commentCount: Whole,
});

/** A list with its open cards. */
export const List = z.object({
  publicId: z.string(),
  name: z.string(),
  index: Whole,
  cards: z.array(CardSummary),
});

const boardFields = {
  publicId: z.string(),
  name: z.string(),
  slug: z.string(),
  visibility: Visibility,
  isArchived: z.boolean(),
  isFavourite: z.boolean(),
  tags: z.array(Label),
};

/** A board in a list of boards. */
export const BoardSummary = z.object({ ...boardFields, openCards: Whole });

/** A whole board. */
export const Board = z.object({
  ...boardFields,
  workspace: z.object({ publicId: z.string(), name: z.string(), slug: z.string(), cardPrefix: z.string() }),
  labels: z.array(Label),
  members: z.array(Member),
  lists: z.array(List),
});

/** A public board as anyone may read it: nobody's name or address, and of the workspace only the name. */
export const PublicBoard = Board.extend({ workspace: z.object({ name: z.string() }) });

/** What making or copying a board answers. */
export const NewBoard = z.object({ publicId: z.string(), name: z.string(), slug: z.string() });
