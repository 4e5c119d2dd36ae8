// Makes cards with all that is on them, as they are created, copied or imported: each complete in its event, and written once.

import type { PgTable } from "drizzle-orm/pg-core";
import { type BoardAccess, type Named, shownNamed } from "../../access/guards.js";
import type { Tx } from "../../api/change.js";
import { byName } from "../../api/shapes.js";
import { card, cardLabel, cardMember, cardText, comment } from "../../db/schema/index.js";
import { NewRows } from "../../db/unitOfWork.js";
import { cardEvent } from "../../events/log.js";
import { type CardValues, cardValues } from "./cardFields.js";
import { cardCreated } from "./loggedCards.js";
import { addParts, PART_TABLES, type SomeParts, shownCounts } from "./ownParts.js";

/** A member of the workspace. */
export interface MemberKey {
  id: number;
  publicId: string;
}

/** Members in the order in which they joined the workspace, as events list them. */
export const inOrder = <Key extends MemberKey>(members: readonly Key[]) => members.toSorted((a, b) => a.id - b.id);

/** A list with the fields that events show. */
export interface ListKey {
  id: number;
  publicId: string;
  name: string;
}

/** A card to be made. What it may be left without is empty. */
export interface CardAddition extends CardValues, SomeParts {
  board: Pick<BoardAccess, "boardId" | "boardPublicId" | "boardName" | "workspacePublicId" | "cardPrefix">;
  list: ListKey | null;
  /** Its position among the open cards of its list, which count it already; null for an archived card. */
  place: { position: number; index: number } | null;
  /** ISO 8601 in UTC with milliseconds, as are all instants of a card. */
  archivedAt: string | null;
  /** Null: now. */
  createdAt: string | null;
  labels: readonly Named[];
  members: readonly MemberKey[];
  comments?: readonly NewComment[];
}

/** A comment of the caller's that came from elsewhere. */
interface NewComment {
  comment: string;
  importedFrom: { name: string; createdAt: string };
  editedAt: string | null;
  /** Place in the card's `comments`, before this one, of the comment that it replies to. */
  parentIndex: number | null;
}

/** A card that was made. */
export interface MadeCard {
  id: number;
  publicId: string;
  cardNumber: number;
}

/** The tables of new cards, in the order in which their rows are written. */
const TABLES: readonly PgTable[] = [card, cardText, cardLabel, cardMember, ...PART_TABLES, comment];

/** Logs the comments of a card, after its own event; gives the number of the last event. */
function commentsOf(tx: Tx, wanted: CardAddition, made: MadeCard, revision: number, rows: NewRows): number {
  const { comments = [] } = wanted;
  const { accountId, publicId: authorPublicId } = tx.user;
  const on = { boardPublicId: wanted.board.boardPublicId, cardPublicId: made.publicId };
  const keys = comments.map(() => ({ id: tx.newRowId(), publicId: tx.newPublicId() }));
  let last = revision;
  for (const [index, { id, publicId }] of keys.entries()) {
    const from = comments[index];
    if (from === undefined) continue;
    const { importedFrom, editedAt } = from;
    const parent = from.parentIndex === null ? undefined : keys[from.parentIndex];
    rows.add(comment, {
      id,
      publicId,
      cardId: made.id,
      authorId: accountId,
      comment: from.comment,
      parentId: parent?.id ?? null,
      importedName: importedFrom.name,
      importedAt: importedFrom.createdAt,
      editedAt,
    });
    const parentCommentPublicId = parent?.publicId ?? null;
    const author = { publicId: authorPublicId };
    const times = { importedFrom, createdAt: tx.now, editedAt };
    const logged = { publicId, comment: from.comment, author, parentCommentPublicId, ...times };
    last = tx.log(cardEvent(on, "comment.created", { commentPublicId: publicId, comment: logged }));
  }
  return last;
}

function rowsOf(tx: Tx, wanted: CardAddition, rows: NewRows): MadeCard {
  const { board, list, place, archivedAt } = wanted;
  const made = { id: tx.newRowId(), publicId: tx.newPublicId(), cardNumber: tx.newCardNumber() };
  const fields = { archivedAt, createdAt: wanted.createdAt ?? tx.now, updatedAt: tx.now, ...cardValues(wanted) };
  const { parts, counts } = addParts(tx, rows, { cardId: made.id, wanted });
  const created = tx.log(
    cardCreated(board, {
      publicId: made.publicId,
      cardNumber: made.cardNumber,
      index: place?.index ?? null,
      labels: wanted.labels.toSorted(byName).map(shownNamed),
      members: inOrder(wanted.members).map(({ publicId }) => ({ publicId })),
      ...shownCounts(counts),
      commentCount: 0,
      list: list === null ? null : { publicId: list.publicId, name: list.name },
      ...parts,
      ...fields,
    }),
  );
  rows.add(card, {
    boardId: board.boardId,
    listId: list?.id ?? null,
    position: place?.position ?? null,
    ...counts,
    commentCount: wanted.comments?.length ?? 0,
    createdBy: tx.user.accountId,
    revision: commentsOf(tx, wanted, made, created, rows),
    ...made,
    ...fields,
  });
  if (archivedAt === null) rows.add(cardText, { id: made.id, title: fields.title, description: fields.description });
  rows.add(cardLabel, ...wanted.labels.map(({ id }) => ({ cardId: made.id, labelId: id })));
  rows.add(cardMember, ...wanted.members.map(({ id }) => ({ cardId: made.id, memberId: id })));
  return made;
}

/** Makes one card, as `addCards` makes many. */
export function addCard(tx: Tx, wanted: CardAddition): MadeCard {
  const rows = new NewRows(TABLES);
  const made = rowsOf(tx, wanted, rows);
  rows.write(tx);
  return made;
}

/** The number of cards that are made before their rows are sent: meanwhile the process does nothing else. */
const AT_ONCE = 100;

/** Makes cards at their positions, and logs `card.created` and `comment.created`. The caller updates `openCards` of lists. */
export async function addCards(tx: Tx, cards: readonly CardAddition[]): Promise<MadeCard[]> {
  const all: MadeCard[] = [];
  for (let from = 0; from < cards.length; from += AT_ONCE) {
    if (from > 0) await tx.flush();
    const rows = new NewRows(TABLES);
    for (const wanted of cards.slice(from, from + AT_ONCE)) all.push(rowsOf(tx, wanted, rows));
    rows.write(tx);
  }
  return all;
}
