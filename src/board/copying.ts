// Copies a board: reads it with a fixed number of statements, each bound to the board or to keys on it, and creates the copies in
// the process.

import { and, asc, eq, getTableColumns, isNotNull } from "drizzle-orm";
import { seesBoard } from "../access/boardVisibility.js";
import { type BoardAccess, namedFields } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { LENGTHS } from "../api/shapes.js";
import { copyOf } from "../card/model/cardCopies.js";
import { addCards } from "../card/model/cardCreation.js";
import { CARD_FIELDS, fieldsOf } from "../card/model/cardFields.js";
import { partsOf } from "../card/model/cardParts.js";
import { GAP } from "../db/positions.js";
import { groupedBy } from "../db/records.js";
import { boardTag, card, list, tag } from "../db/schema/index.js";
import { addBoard, type MadeBoard } from "./boardAdditions.js";
import { labelsIn } from "./labels.js";
import { freeSlugs } from "./slugs.js";

interface Wanted {
  name?: string | undefined;
  withCards: boolean;
}

/** Copies a board with the requested parts. */
export async function copyBoard(tx: Tx, source: BoardAccess, { name: wantedName, withCards }: Wanted) {
  const name = wantedName ?? `${[...source.boardName].slice(0, LENGTHS.name - 7).join("")} (copy)`;
  const [slug = "board"] = await freeSlugs(tx.db, tx.workspaceId, [name]);
  const visibility = source.visibility === "private" ? "private" : "workspace";
  const lists = await listsOf(tx, source);
  const labels = await labelsIn(tx.db, source);
  const made = addBoard(tx, "board.created", {
    name,
    slug,
    visibility,
    members: [{ id: source.memberId, publicId: source.memberPublicId, role: source.role }],
    tags: await tagsOf(tx, source),
    lists: lists.map((one) => ({ name: one.name, openCards: withCards ? one.openCards : 0 })),
    labels,
    data: { copiedFrom: source.boardPublicId },
  });
  if (withCards) await copyCards(tx, source, visibility, { lists, labels, made });
  return { publicId: made.boardPublicId, name, slug };
}

const listsOf = (tx: Tx, { boardId }: BoardAccess) =>
  tx.db
    .select({ id: list.id, name: list.name, openCards: list.openCards })
    .from(list)
    .where(and(eq(list.workspaceId, tx.workspaceId), eq(list.boardId, boardId)))
    .orderBy(asc(list.position));

const tagsOf = (tx: Tx, { boardId }: BoardAccess) =>
  tx.db
    .select(namedFields(tag))
    .from(boardTag)
    .innerJoin(tag, and(eq(tag.workspaceId, tx.workspaceId), eq(tag.id, boardTag.tagId)))
    .where(and(eq(boardTag.workspaceId, tx.workspaceId), eq(boardTag.boardId, boardId)))
    .orderBy(asc(tag.id));

interface Copied {
  lists: readonly { id: number }[];
  labels: readonly { id: number }[];
  /** The copy, with its lists and labels in the same order. */
  made: MadeBoard;
}

/** Copies the open cards. The only member of the copy is the caller. */
async function copyCards(
  tx: Tx,
  source: BoardAccess,
  visibility: "workspace" | "private",
  { lists, labels, made }: Copied,
): Promise<void> {
  const cards = await openCardsOf(tx, source);
  const cardsOf = groupedBy(cards, ({ listId }) => listId ?? 0);
  const cardIds = cards.map(({ id }) => id);
  const parts = await partsOf(tx, cardIds);
  const labelCopies = new Map(labels.map(({ id }, index) => [id, made.labels[index]]));
  const board = { ...made, workspacePublicId: source.workspacePublicId, cardPrefix: source.cardPrefix };
  const copies = lists.flatMap((one, listIndex) =>
    (cardsOf.get(one.id) ?? []).map((original, index) =>
      copyOf(original, parts(original.id), {
        board,
        list: made.lists[listIndex] ?? null,
        place: { position: index * GAP, index },
        labelFor: ({ id }) => labelCopies.get(id),
        sees: ({ id, role }) => seesBoard(role, visibility, id === source.memberId),
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
