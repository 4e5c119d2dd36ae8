// Optimistic updates of cards.

import { NO_PARTS } from "./cardParts.js";
import {
  type AssignedPerson,
  type ChangeContext,
  changesTo,
  type OptimisticUpdates,
  onEach,
  withEvent,
} from "./optimisticEvents.js";
import { type BoardState, type ListState, withCard } from "./state.js";
import type { LoggedCard } from "./things.js";

/** A due date as the service will answer it: without a time it is a day. The service refuses one that cannot be read. */
function dueOn(value: string | null): Pick<LoggedCard, "dueDate" | "dueHasTime"> {
  if (value === null) return { dueDate: null, dueHasTime: false };
  const ms = Date.parse(value);
  return { dueDate: Number.isNaN(ms) ? value : new Date(ms).toISOString(), dueHasTime: value.includes("T") };
}

export const listOf = (board: BoardState, cardPublicId: string) =>
  board.lists.find(({ cardIds }) => cardIds.includes(cardPublicId));

/** The end of a list, for a card that may be on it. */
const endOf = (board: BoardState, listPublicId: string, cardPublicId: string): number =>
  (board.lists.find(({ publicId }) => publicId === listPublicId)?.cardIds ?? []).filter((id) => id !== cardPublicId)
    .length;

/** Edits fields of a card, and completes or reopens it. */
function edited(
  board: BoardState,
  cardPublicId: string,
  { completed, dueDate, ...fields }: { completed?: boolean | undefined; dueDate?: string | null | undefined },
  context: ChangeContext,
): BoardState {
  const card = board.cards[cardPublicId];
  if (card === undefined) return board;
  const wanted = { ...fields, ...(dueDate !== undefined && dueOn(dueDate)) };
  const changes = changesTo(card, wanted);
  const after = changes === undefined ? board : withEvent(board, context, "card.updated", cardPublicId, { changes });
  if (completed === undefined || completed === (card.completedAt !== null)) return after;
  const type = completed ? "card.completed" : "card.reopened";
  return withEvent(after, context, type, cardPublicId, { from: card.completedAt, to: completed ? context.at : null });
}

/** Moves a card; one that goes to a list of another board leaves. */
function moved(
  board: BoardState,
  cardPublicId: string,
  listPublicId: string,
  index: number,
  context: ChangeContext,
): BoardState {
  const isHere = board.lists.some(({ publicId }) => publicId === listPublicId);
  if (!isHere) return withEvent(board, context, "card.moved", null, { cardPublicId });
  return board.cards[cardPublicId]?.isGone === false
    ? withEvent(board, context, "card.moved", cardPublicId, { to: { listPublicId, index } })
    : board;
}

function labelled(
  board: BoardState,
  cardPublicId: string,
  labelPublicId: string,
  isOn: boolean,
  context: ChangeContext,
) {
  return withEvent(board, context, isOn ? "card.label.added" : "card.label.removed", cardPublicId, { labelPublicId });
}

/** The people of a board whom a change may assign. */
const assignable = (board: BoardState, { people = [] }: ChangeContext): AssignedPerson[] =>
  [...board.members, ...people].map(({ publicId, name, image }) => ({ publicId, name, image }));

function assigned(
  board: BoardState,
  cardPublicId: string,
  memberPublicId: string,
  isOn: boolean,
  context: ChangeContext,
) {
  if (!isOn) return withEvent(board, context, "card.member.removed", cardPublicId, { memberPublicId });
  const member = assignable(board, context).find(({ publicId }) => publicId === memberPublicId);
  return withEvent(board, context, "card.member.added", cardPublicId, { memberPublicId, ...(member && { member }) });
}

/** Archives a card. It stays known as gone, so that unarchiving it is shown before either is answered. */
export function archived(board: BoardState, cardPublicId: string, context: ChangeContext): BoardState {
  const from = { listPublicId: listOf(board, cardPublicId)?.publicId ?? null };
  const card = board.cards[cardPublicId];
  if (from.listPublicId === null || card === undefined) return board;
  const after = withEvent(board, context, "card.archived", cardPublicId, { from });
  return card.details === null ? withCard(after, { ...card, isGone: true, isWaiting: true }) : after;
}

const deleted = (board: BoardState, cardPublicId: string, context: ChangeContext): BoardState =>
  withEvent(board, context, "card.deleted", cardPublicId, { cardNumber: board.cards[cardPublicId]?.cardNumber ?? 0 });

/** Puts a new card on a list, unless the board has it already. */
function created(
  board: BoardState,
  fields: Partial<LoggedCard>,
  listPublicId: string,
  context: ChangeContext,
): BoardState {
  const { id, at, index } = context;
  if (board.cards[id] !== undefined) return board;
  const card: LoggedCard = {
    ...{ publicId: id, title: "", description: "", cardNumber: 0, index, ...dueOn(null), completedAt: null },
    ...{ priority: "none", labels: [], members: [], checklistItems: { total: 0, completed: 0 }, commentCount: 0 },
    ...{ archivedAt: null, createdAt: at, updatedAt: at, ...NO_PARTS },
    list: { publicId: listPublicId, name: "" },
    board: { publicId: board.publicId, name: board.name },
    workspace: { publicId: board.workspace.publicId, cardPrefix: board.workspace.cardPrefix },
    ...fields,
  };
  return withEvent(board, context, "card.created", id, { card, to: { listPublicId, index } });
}

/** The properties that have a value. */
const defined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>;
  };

export const labelsOf = (board: BoardState, ids: readonly string[]) =>
  board.labels.filter(({ publicId }) => ids.includes(publicId));

export const CARD_UPDATES = {
  "card.create": (board, input, context) => {
    const { listPublicId, index, labelPublicIds = [], memberPublicIds, dueDate = null, ...given } = defined(input);
    const ids = new Set(memberPublicIds);
    const members = assignable(board, context).filter(({ publicId }) => ids.delete(publicId));
    const fields = { ...given, ...dueOn(dueDate), labels: labelsOf(board, labelPublicIds), members };
    const at = index === undefined ? endOf(board, listPublicId, context.id) : context.index;
    return created(board, fields, listPublicId, { ...context, index: at });
  },
  "card.update": (board, { cardPublicId, listPublicId, index, ...fields }, context) => {
    const after = edited(board, cardPublicId, fields, context);
    const target = listPublicId ?? listOf(board, cardPublicId)?.publicId;
    if (target === undefined || (listPublicId === undefined && index === undefined)) return after;
    return moved(
      after,
      cardPublicId,
      target,
      index === undefined ? endOf(board, target, cardPublicId) : context.index,
      context,
    );
  },
  "card.delete": (board, { cardPublicId }, context) => deleted(board, cardPublicId, context),
  "card.archive": (board, { cardPublicId }, context) => archived(board, cardPublicId, context),
  "card.unarchive": (board, { cardPublicId }, context) => {
    const home = board.cards[cardPublicId]?.details?.listPublicId ?? board.lists[0]?.publicId;
    if (home === undefined || board.cards[cardPublicId]?.isGone !== true) return board;
    const to = { listPublicId: home, index: endOf(board, home, cardPublicId) };
    return withEvent(board, context, "card.unarchived", cardPublicId, { to });
  },
  "card.duplicate": (board, { cardPublicId, listPublicId, title }, context) => {
    const card = board.cards[cardPublicId];
    const target = listPublicId ?? listOf(board, cardPublicId)?.publicId;
    if (card === undefined || !board.lists.some(({ publicId }) => publicId === target)) return board;
    const { key: _, labelIds, isWaiting: __, isGone: ___, details: ____, ...fields } = card;
    const copied = { ...fields, publicId: context.id, cardNumber: 0, commentCount: 0 };
    const rest = { title: title ?? card.title, labels: labelsOf(board, labelIds), members: [...card.members] };
    const index = endOf(board, target ?? "", context.id);
    return created(board, { ...copied, ...rest }, target ?? "", { ...context, index });
  },
  "card.toggleLabel": (board, { cardPublicId, labelPublicId, on = false }, context) =>
    labelled(board, cardPublicId, labelPublicId, on, context),
  "card.toggleMember": (board, { cardPublicId, memberPublicId, on = false }, context) =>
    assigned(board, cardPublicId, memberPublicId, on, context),
  "card.bulk.move": (board, { cardPublicIds, listPublicId, index }, context) => {
    const ids = new Set(cardPublicIds);
    const open = [...ids].filter((id) => board.cards[id]?.isGone === false);
    const target = board.lists.find(({ publicId }) => publicId === listPublicId);
    const others = (list?: ListState) => list?.cardIds.filter((id) => !ids.has(id)) ?? [];
    const at = index === undefined ? others(target).length : context.index;
    // All lists at once: each card is where it goes then.
    const lists = board.lists.map((list) => {
      const cardIds = list === target ? others(list).toSpliced(at, 0, ...open) : others(list);
      return list === target || cardIds.length < list.cardIds.length ? { ...list, cardIds } : list;
    });
    return open.reduce((state: BoardState, id, offset) => moved(state, id, listPublicId, at + offset, context), {
      ...board,
      lists,
    });
  },
  "card.bulk.update": (
    board,
    {
      cardPublicIds,
      addLabelPublicIds = [],
      removeLabelPublicIds = [],
      addMemberPublicIds = [],
      removeMemberPublicIds = [],
      ...fields
    },
    context,
  ) =>
    onEach(board, cardPublicIds, (before, id) => {
      let state = edited(before, id, fields, context);
      for (const label of addLabelPublicIds) state = labelled(state, id, label, true, context);
      for (const label of removeLabelPublicIds) state = labelled(state, id, label, false, context);
      for (const member of addMemberPublicIds) state = assigned(state, id, member, true, context);
      for (const member of removeMemberPublicIds) state = assigned(state, id, member, false, context);
      return state;
    }),
  "card.bulk.archive": (board, { cardPublicIds }, context) =>
    onEach(board, cardPublicIds, (state, id) => archived(state, id, context)),
  "card.bulk.delete": (board, { cardPublicIds }, context) =>
    onEach(board, cardPublicIds, (state, id) => deleted(state, id, context)),
} satisfies Partial<OptimisticUpdates>;
