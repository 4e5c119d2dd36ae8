// Optimistic updates of a board, its lists and its labels.

import { archived, labelsOf } from "./optimisticCards.js";
import { changesTo, type OptimisticUpdates, onEach, withEvent } from "./optimisticEvents.js";
import { withFields } from "./state.js";

export const BOARD_UPDATES = {
  "board.lists.create": (board, { name }, context) => {
    if (board.lists.some(({ publicId }) => publicId === context.id)) return board;
    const list = { publicId: context.id, name, index: board.lists.length };
    return withEvent(board, context, "list.created", null, { listPublicId: context.id, list });
  },
  "board.lists.update": (board, { listPublicId, name, index }, context) => {
    const at = board.lists.findIndex(({ publicId }) => publicId === listPublicId);
    const changes = changesTo(board.lists[at] ?? {}, { name });
    const after = changes ? withEvent(board, context, "list.updated", null, { listPublicId, changes }) : board;
    const [from, to] = [{ index: at }, { index: context.index }];
    return index === undefined ? after : withEvent(after, context, "list.moved", null, { listPublicId, from, to });
  },
  "board.lists.delete": (board, { listPublicId }, context) => {
    const list = board.lists.find(({ publicId }) => publicId === listPublicId);
    const empty = onEach(board, list?.cardIds ?? [], (state, id) => archived(state, id, context));
    return withEvent(empty, context, "list.deleted", null, { listPublicId });
  },
  "board.labels.create": (board, { name, colourCode }, context) => {
    const label = { publicId: context.id, name, colourCode };
    if (board.labels.some(({ publicId }) => publicId === context.id)) return board;
    return withEvent(board, context, "label.created", null, { labelPublicId: context.id, label });
  },
  "board.labels.update": (board, { labelPublicId, ...wanted }, context) => {
    const [label] = labelsOf(board, [labelPublicId]);
    const changes = label && changesTo(label, wanted);
    return changes ? withEvent(board, context, "label.updated", null, { labelPublicId, changes }) : board;
  },
  "board.labels.delete": (board, { labelPublicId }, context) =>
    withEvent(board, context, "label.deleted", null, { labelPublicId }),
  "board.update": (board, { boardPublicId: _, isFavourite = board.isFavourite, ...wanted }, context) => {
    const changes = changesTo(board, wanted);
    const after = changes ? withEvent(board, context, "board.updated", null, { changes }) : board;
    return withFields(after, { isFavourite });
  },
} satisfies Partial<OptimisticUpdates>;
