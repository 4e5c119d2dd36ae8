// The steps of a random sequence: each chooses what it acts on from what the model holds, calls the service, and gives the model
// the same change. What a step answers tells how the call must end, and which events it must leave in the log.

import { guarded, type Maker, pick } from "./boardScene.js";
import { bulkArchive, bulkDelete, bulkMove, bulkUpdate } from "./bulkSteps.js";
import {
  archiveCard,
  createCard,
  deleteCard,
  duplicateCard,
  editCard,
  moveCard,
  toggleLabel,
  toggleMember,
  unarchiveCard,
} from "./cardSteps.js";
import { addChecklist, addItem, deleteChecklist, deleteItem, updateItem } from "./checklistSteps.js";
import { createLabel, deleteLabel } from "./labelSteps.js";
import { createList, deleteList, updateList } from "./listSteps.js";

const renameBoard: Maker = ({ model }, { turns, word }) => {
  const board = pick(model.boards, turns[0]);
  if (board === undefined) return null;
  return guarded([board], {
    call: { method: "put", path: `/boards/${board.publicId}`, body: { name: word } },
    events: board.name === word ? [] : ["board.updated"],
    apply: () => {
      board.name = word;
    },
  });
};

const archiveBoard: Maker = ({ model }, { turns }) => {
  // Not for long: nothing else happens on an archived board.
  const board = model.boards.find(({ isArchived }) => isArchived) ?? pick(model.boards, turns[0]);
  if (board === undefined) return null;
  const to = !board.isArchived;
  return {
    call: { method: "post", path: `/boards/${board.publicId}/${to ? "archive" : "unarchive"}` },
    status: 200,
    events: [to ? "board.archived" : "board.unarchived"],
    apply: () => {
      board.isArchived = to;
    },
  };
};

/** Every kind of step, the frequent ones as often as they are listed. */
export const STEPS: Record<string, { make: Maker; weight: number }> = {
  createList: { make: createList, weight: 2 },
  updateList: { make: updateList, weight: 3 },
  deleteList: { make: deleteList, weight: 1 },
  createCard: { make: createCard, weight: 8 },
  editCard: { make: editCard, weight: 3 },
  moveCard: { make: moveCard, weight: 8 },
  archiveCard: { make: archiveCard, weight: 3 },
  unarchiveCard: { make: unarchiveCard, weight: 3 },
  deleteCard: { make: deleteCard, weight: 1 },
  duplicateCard: { make: duplicateCard, weight: 3 },
  bulkMove: { make: bulkMove, weight: 4 },
  bulkUpdate: { make: bulkUpdate, weight: 4 },
  bulkArchive: { make: bulkArchive, weight: 1 },
  bulkDelete: { make: bulkDelete, weight: 1 },
  createLabel: { make: createLabel, weight: 2 },
  deleteLabel: { make: deleteLabel, weight: 1 },
  toggleLabel: { make: toggleLabel, weight: 4 },
  toggleMember: { make: toggleMember, weight: 3 },
  addChecklist: { make: addChecklist, weight: 2 },
  deleteChecklist: { make: deleteChecklist, weight: 1 },
  addItem: { make: addItem, weight: 4 },
  updateItem: { make: updateItem, weight: 4 },
  deleteItem: { make: deleteItem, weight: 1 },
  renameBoard: { make: renameBoard, weight: 1 },
  archiveBoard: { make: archiveBoard, weight: 3 },
};
