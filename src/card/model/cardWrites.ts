// Writes changes to cards: the new state of each card and its events, the texts that searches find it by, the lists' counts of open
// cards, and the labels and members of cards.

import { and, eq, inArray } from "drizzle-orm";
import type { ListAccess } from "../../access/guards.js";
import type { Acting } from "../../api/acting.js";
import type { Tx } from "../../api/change.js";
import { cardLabel, cardMember, card as cards, cardText, list } from "../../db/schema/index.js";
import { addRows, setRows } from "../../db/unitOfWork.js";
import { cardEvent, type NewEvent } from "../../events/log.js";
import type { CardValues } from "./cardFields.js";
import type { CardAccess } from "./cardGuards.js";

/** The fields of a card that a change may set. */
export interface CardState extends CardValues {
  boardId: number;
  listId: number | null;
  position: number | null;
  archivedAt: string | null;
  itemsTotal: number;
  itemsCompleted: number;
  commentCount: number;
}

/** The change of one card, and its events, at least one. */
export interface CardChange {
  card: CardAccess;
  to?: Partial<CardState>;
  events: readonly NewEvent[];
}

/** A list that cards move to. */
interface Target {
  listId: number;
  openCards: number;
}

/** The texts that searches find a card by. */
interface CardText {
  id: number;
  title: string;
  description: string;
}

/** Labels or members on cards, as pairs of keys. */
export interface Pair {
  cardId: number;
  otherId: number;
}

const stateFields = (state: Partial<CardState>) => Object.keys(state) as (keyof CardState)[];

/** The fields that any of the changes sets, since rows of one statement have the same columns. */
const pick = (state: CardState, fields: ReadonlySet<keyof CardState>): Partial<CardState> =>
  Object.fromEntries([...fields].map((field) => [field, state[field]]));

/** Writes changes to cards in order; the revision of a card is the number of its last event. */
export function writeCards(tx: Tx, changes: readonly CardChange[], target?: Target): void {
  const fields = new Set(changes.flatMap(({ to = {} }) => stateFields(to)));
  const rows = changes.map(({ card, to = {}, events }) => {
    const revision = Math.max(...events.map((event) => tx.log(event)));
    return { id: card.cardId, revision, updatedAt: tx.now, ...pick({ ...card, ...to }, fields) };
  });
  setRows(tx, cards, rows);
  writeTexts(tx, changes);
  countOpenCards(tx, changes, target);
}

/** Updates the texts that searches find cards by: those of open cards. */
function writeTexts(tx: Tx, changes: readonly CardChange[]): void {
  const texts = { added: [] as CardText[], changed: [] as CardText[], removed: [] as number[] };
  for (const { card, to = {} } of changes) {
    const { title = card.title, description = card.description, archivedAt = card.archivedAt } = to;
    const text = { id: card.cardId, title, description };
    const isSame = title === card.title && description === card.description;
    if (archivedAt !== null) {
      if (card.archivedAt === null) texts.removed.push(card.cardId);
    } else if (card.archivedAt !== null) texts.added.push(text);
    else if (!isSame) texts.changed.push(text);
  }
  addRows(tx, cardText, texts.added);
  setRows(tx, cardText, texts.changed);
  if (texts.removed.length > 0) tx.remove(cardText, { id: texts.removed });
}

/** Archives the open cards of a deleted list; archived ones lose the list. `logDeletion` logs it after them; gives its number. */
export async function archiveCardsOf(tx: Tx, list: ListAccess, logDeletion: () => number): Promise<void> {
  const onList = await tx.db
    .select({ id: cards.id, cardPublicId: cards.publicId, archivedAt: cards.archivedAt, updatedAt: cards.updatedAt })
    .from(cards)
    .where(and(eq(cards.workspaceId, tx.workspaceId), eq(cards.listId, list.listId)))
    .orderBy(cards.position, cards.id);
  const archived = new Map<number, number>();
  for (const { id, cardPublicId, archivedAt } of onList) {
    if (archivedAt !== null) continue;
    const from = { listPublicId: list.listPublicId };
    archived.set(id, tx.log(cardEvent({ ...list, cardPublicId }, "card.archived", { from })));
  }
  const deleted = logDeletion();
  const rows = onList.map(({ id, archivedAt, updatedAt }) => ({
    id,
    listId: null,
    position: null,
    archivedAt: archivedAt ?? tx.now,
    updatedAt: archived.has(id) ? tx.now : updatedAt,
    revision: archived.get(id) ?? deleted,
  }));
  tx.setEach(cards, rows);
  if (archived.size > 0) tx.remove(cardText, { id: [...archived.keys()] });
}

/** Gives the cards that have a label a new revision. */
export const raiseRevisions = (tx: Tx, labelId: number, revision: number) =>
  tx.write(
    tx.db
      .update(cards)
      .set({ revision })
      .where(
        and(
          eq(cards.workspaceId, tx.workspaceId),
          inArray(
            cards.id,
            tx.db
              .select({ cardId: cardLabel.cardId })
              .from(cardLabel)
              .where(and(eq(cardLabel.workspaceId, tx.workspaceId), eq(cardLabel.labelId, labelId))),
          ),
        ),
      )
      .getSQL(),
  );

/** Updates the lists' counts of open cards. */
export function countOpenCards(tx: Tx, changes: readonly Pick<CardChange, "card" | "to">[], target?: Target): void {
  const counts = new Map<number, { before: number; delta: number }>();
  const count = (listId: number | null, position: number | null, delta: number, openCards: number | null) => {
    if (listId === null || position === null) return;
    const known = counts.get(listId) ?? { before: openCards ?? 0, delta: 0 };
    counts.set(listId, { ...known, delta: known.delta + delta });
  };
  if (target !== undefined) counts.set(target.listId, { before: target.openCards, delta: 0 });
  for (const { card, to = {} } of changes) {
    const { listId = card.listId, position = card.position } = to;
    count(card.listId, card.position, -1, card.listOpenCards);
    count(listId, position, 1, null);
  }
  const changed = [...counts].filter(([, { delta }]) => delta !== 0);
  const rows = changed.map(([id, { before, delta }]) => ({ id, openCards: before + delta }));
  if (rows.length > 2) tx.setEach(list, rows);
  else for (const { id, openCards } of rows) tx.set(list, { id }, { openCards });
}

const labelRow = ({ cardId, otherId }: Pair) => ({ cardId, labelId: otherId });
const memberRow = ({ cardId, otherId }: Pair) => ({ cardId, memberId: otherId });

/** Adds labels to cards that do not have them. */
export const labelCards = (tx: Tx, pairs: readonly Pair[]) => addRows(tx, cardLabel, pairs.map(labelRow));

/** Assigns members to cards that do not have them. */
export const addMembers = (tx: Tx, pairs: readonly Pair[]) => addRows(tx, cardMember, pairs.map(memberRow));

const cardIdsOf = (pairs: readonly Pair[]) => [...new Set(pairs.map(({ cardId }) => cardId))];
const otherIdsOf = (pairs: readonly Pair[]) => [...new Set(pairs.map(({ otherId }) => otherId))];

/** Removes labels from cards: each label from each card. */
export function removeLabels(tx: Tx, pairs: readonly Pair[]): void {
  if (pairs.length > 0) tx.remove(cardLabel, { cardId: cardIdsOf(pairs), labelId: otherIdsOf(pairs) });
}

/** Removes members from cards: each member from each card. */
export function removeMembers(tx: Acting, pairs: readonly Pair[]): void {
  if (pairs.length > 0) tx.remove(cardMember, { cardId: cardIdsOf(pairs), memberId: otherIdsOf(pairs) });
}
