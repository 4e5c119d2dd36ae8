// The side effects of moving cards to another board: labels are matched by name, missing ones are created, and assignees without
// access to the new board are removed (contract section 2, 4.5).

import { and, eq } from "drizzle-orm";
import { seesBoard } from "../access/boardVisibility.js";
import { type BoardAccess, type ListAccess, type Named, shownNamed } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { addLabels, labelsIn } from "../board/labels.js";
import { boardMember } from "../db/schema/index.js";
import { cardEvent, type NewEvent } from "../events/log.js";
import { cardValues } from "./model/cardFields.js";
import type { CardAccess } from "./model/cardGuards.js";
import { type CardParts, type LabelPart, type MemberPart, partsOf } from "./model/cardParts.js";
import { labelCards, removeLabels, removeMembers } from "./model/cardWrites.js";
import { loggedCard } from "./model/loggedCards.js";
import { shownCounts } from "./model/ownParts.js";

/** The consequences of a change of boards for one card. */
export interface BoardChange {
  /** Events on the board that it leaves. */
  leaving(card: CardAccess): NewEvent[];
  /** The card as it arrives, before its new labels. */
  logged(card: CardAccess, index: number): object;
  /** Events on the board that it moves to. */
  arriving(card: CardAccess): NewEvent[];
}

const NONE = { of: () => null };

/** Changes the labels and assignees of the cards that move to another board; `of` returns what the move means for one of them. */
export async function boardChange(
  tx: Tx,
  cards: readonly CardAccess[],
  target: ListAccess,
): Promise<{ of(card: CardAccess): BoardChange | null }> {
  const leaving = cards.filter(({ boardId }) => boardId !== target.boardId);
  if (leaving.length === 0) return NONE;
  const cardIds = leaving.map(({ cardId }) => cardId);
  const partsOn = await partsOf(tx, cardIds);
  const partsFor = ({ cardId }: CardAccess) => partsOn(cardId);
  const parts = leaving.map(partsFor);
  const labels = parts.flatMap((one) => one.labels);
  const members = parts.flatMap((one) => one.members);
  const [labelFor, sees] = await Promise.all([labelsAt(tx, labels, target), seersOf(tx, members, target)]);
  const withoutAccess = ({ members }: CardParts) => members.filter((one) => !sees(one));
  writeChange(tx, leaving, partsFor, labelFor, withoutAccess);

  const change: BoardChange = {
    leaving: (card) => {
      const parts = partsFor(card);
      return [
        ...parts.labels.map(({ publicId }) => cardEvent(card, "card.label.removed", { labelPublicId: publicId })),
        ...withoutAccess(parts).map(({ publicId }) =>
          cardEvent(card, "card.member.removed", { memberPublicId: publicId }),
        ),
      ];
    },
    logged: (card, index) => {
      const { members, own } = partsFor(card);
      return cardAt(card, target, index, { labels: [], members: members.filter(sees), own }, tx.now);
    },
    arriving: (card) => {
      const on = { ...target, cardPublicId: card.cardPublicId };
      return partsFor(card).labels.map((old) =>
        cardEvent(on, "card.label.added", { labelPublicId: labelFor(old).publicId }),
      );
    },
  };
  return { of: ({ boardId }) => (boardId === target.boardId ? null : change) };
}

function writeChange(
  tx: Tx,
  cards: readonly CardAccess[],
  partsFor: (card: CardAccess) => CardParts,
  labelFor: (old: LabelPart) => { id: number },
  withoutAccess: (parts: CardParts) => { id: number }[],
): void {
  const pairs = (one: (card: CardAccess) => { id: number }[]) =>
    cards.flatMap((card) => one(card).map(({ id }) => ({ cardId: card.cardId, otherId: id })));
  const oldLabels = pairs((card) => partsFor(card).labels);
  const newLabels = pairs((card) => partsFor(card).labels.map(labelFor));
  const unseeing = pairs((card) => withoutAccess(partsFor(card)));
  removeLabels(tx, oldLabels);
  labelCards(tx, newLabels);
  removeMembers(tx, unseeing);
}

/** The labels of a board that match the names of others; missing ones are created. */
export async function labelsAt(
  tx: Tx,
  wanted: readonly LabelPart[],
  target: BoardAccess,
): Promise<(old: LabelPart) => Named> {
  const present = wanted.length === 0 ? [] : await labelsIn(tx.db, target);
  const byKey = new Map<string, Named>(present.map((one) => [one.nameKey, one]));
  for (const one of wanted) {
    if (byKey.has(one.nameKey)) continue;
    for (const made of addLabels(tx, target, [one])) byKey.set(one.nameKey, made);
  }
  return ({ nameKey }) => {
    const match = byKey.get(nameKey);
    if (match === undefined) throw new Error("A label that was asked for is neither there nor made");
    return match;
  };
}

/** Determines which of some members see a board. */
export async function seersOf(
  tx: Tx,
  members: readonly MemberPart[],
  { boardId, visibility }: BoardAccess,
): Promise<(member: MemberPart) => boolean> {
  const rows =
    members.length === 0
      ? []
      : await tx.db
          .select({ id: boardMember.memberId })
          .from(boardMember)
          .where(and(eq(boardMember.workspaceId, tx.workspaceId), eq(boardMember.boardId, boardId)));
  const onBoard = new Set(rows.map(({ id }) => id));
  return ({ id, role }) => seesBoard(role, visibility, onBoard.has(id));
}

/** A card as the events of its arrival at a position show it; `now` is the time of the change. */
export function cardAt(
  card: CardAccess,
  target: ListAccess,
  index: number,
  { labels, members, own }: CardParts,
  now: string,
): object {
  const { cardNumber, createdAt } = card;
  return loggedCard(target, {
    publicId: card.cardPublicId,
    ...cardValues(card),
    ...{ cardNumber, index },
    labels: labels.map(shownNamed),
    members: members.map(({ publicId }) => ({ publicId })),
    ...shownCounts(card),
    commentCount: card.commentCount,
    archivedAt: null,
    createdAt,
    updatedAt: now,
    list: { publicId: target.listPublicId, name: target.listName },
    ...own,
  });
}
