// Optimistic updates of what an open card has: checklists and comments.

import { changesTo, type OptimisticUpdates, withEvent } from "./optimisticEvents.js";
import type { BoardState } from "./state.js";

/** The card that has a checklist, and the checklist: found by its identifier or by that of an item. */
export function checklistWith(board: BoardState, publicId: string) {
  for (const card of Object.values(board.cards)) {
    for (const checklist of card.details?.checklists ?? []) {
      const item = checklist.items.find((one) => one.publicId === publicId);
      if (checklist.publicId === publicId || item !== undefined) return { card, checklist, item };
    }
  }
  return null;
}

const commentOn = (board: BoardState, cardPublicId: string, publicId: string) =>
  board.cards[cardPublicId]?.details?.comments.find((one) => one.publicId === publicId);

export const PART_UPDATES = {
  "card.checklists.create": (board, { cardPublicId, name }, context) => {
    const checklist = { publicId: context.id, name, items: [] };
    if (checklistWith(board, context.id) !== null) return board;
    return withEvent(board, context, "checklist.created", cardPublicId, { checklistPublicId: context.id, checklist });
  },
  "card.checklists.update": (board, { checklistPublicId, name }, context) => {
    const found = checklistWith(board, checklistPublicId);
    const changes = found && changesTo(found.checklist, { name });
    if (!found || !changes) return board;
    return withEvent(board, context, "checklist.updated", found.card.publicId, { checklistPublicId, changes });
  },
  "card.checklists.delete": (board, { checklistPublicId }, context) => {
    const found = checklistWith(board, checklistPublicId);
    if (found === null) return board;
    const { items } = found.checklist;
    const checklistItems = { total: items.length, completed: items.filter(({ completed }) => completed).length };
    return withEvent(board, context, "checklist.deleted", found.card.publicId, { checklistPublicId, checklistItems });
  },
  "card.checklists.addItem": (board, { checklistPublicId, title }, context) => {
    const found = checklistWith(board, checklistPublicId);
    if (found === null || checklistWith(board, context.id) !== null) return board;
    const item = { publicId: context.id, title, completed: false };
    const data = { checklistPublicId, itemPublicId: context.id, item };
    return withEvent(board, context, "checklist.item.created", found.card.publicId, data);
  },
  "card.checklists.updateItem": (board, { itemPublicId, title, completed, index }, context) => {
    const found = checklistWith(board, itemPublicId);
    if (!found?.item) return board;
    const { card, checklist, item } = found;
    const ids = { checklistPublicId: checklist.publicId, itemPublicId };
    const at = checklist.items.indexOf(item);
    const changes = changesTo({ ...item, index: at }, { title, ...(index !== undefined && { index: context.index }) });
    const after = changes
      ? withEvent(board, context, "checklist.item.updated", card.publicId, { ...ids, changes })
      : board;
    if (completed === undefined || completed === item.completed) return after;
    return withEvent(
      after,
      context,
      completed ? "checklist.item.completed" : "checklist.item.reopened",
      card.publicId,
      ids,
    );
  },
  "card.checklists.deleteItem": (board, { itemPublicId }, context) => {
    const found = checklistWith(board, itemPublicId);
    if (!found?.item) return board;
    const data = { checklistPublicId: found.checklist.publicId, itemPublicId, completed: found.item.completed };
    return withEvent(board, context, "checklist.item.deleted", found.card.publicId, data);
  },
  "card.comments.create": (board, { cardPublicId, comment: text, parentCommentPublicId: replied = null }, context) => {
    const { id, at, me } = context;
    if (commentOn(board, cardPublicId, id) !== undefined) return board;
    const author = { ...me, memberPublicId: board.me.memberPublicId };
    // A reply to a reply belongs where that one does.
    const parentCommentPublicId = commentOn(board, cardPublicId, replied ?? "")?.parentCommentPublicId ?? replied;
    const own = { publicId: id, comment: text, author, parentCommentPublicId };
    const comment = { ...own, importedFrom: null, createdAt: at, editedAt: null };
    return withEvent(board, context, "comment.created", cardPublicId, { commentPublicId: id, comment });
  },
  "card.comments.update": (board, { cardPublicId, commentPublicId, comment: to }, context) => {
    const from = commentOn(board, cardPublicId, commentPublicId)?.comment;
    if (from === undefined || from === to) return board;
    const data = { commentPublicId, changes: { comment: { from, to } }, editedAt: context.at };
    return withEvent(board, context, "comment.updated", cardPublicId, data);
  },
  "card.comments.delete": (board, { cardPublicId, commentPublicId }, context) =>
    commentOn(board, cardPublicId, commentPublicId) === undefined
      ? board
      : withEvent(board, context, "comment.deleted", cardPublicId, { commentPublicId }),
} satisfies Partial<OptimisticUpdates>;
