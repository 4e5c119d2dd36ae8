// The steps of a random sequence that act on checklists and their items.

import { reordered, staysPut } from "./boardModel.js";
import { aCard, guarded, type Maker, pick, type Scene } from "./boardScene.js";
import { createCard } from "./cardSteps.js";

export const addChecklist: Maker = (scene, choice) => {
  const card = aCard(scene, choice.turns[0]);
  if (card === undefined) return createCard(scene, choice);
  return guarded([card.board], {
    call: { method: "post", path: `/cards/${card.publicId}/checklists`, body: { name: choice.word } },
    events: ["checklist.created"],
    apply: ({ publicId }) => void card.checklists.push({ publicId, name: choice.word, items: [] }),
  });
};

export function aChecklist({ model }: Scene, turns: readonly number[]) {
  const card = pick(
    model.cards.filter(({ checklists }) => checklists.length > 0),
    turns[0] ?? 0,
  );
  const checklist = pick(card?.checklists ?? [], turns[1] ?? 0);
  return card === undefined || checklist === undefined ? null : { card, checklist };
}

export const deleteChecklist: Maker = (scene, choice) => {
  const found = aChecklist(scene, choice.turns);
  if (found === null) return addChecklist(scene, choice);
  const { card, checklist } = found;
  return guarded([card.board], {
    call: { method: "delete", path: `/checklists/${checklist.publicId}` },
    events: ["checklist.deleted"],
    apply: () => {
      card.checklists = card.checklists.filter((other) => other !== checklist);
    },
  });
};

export const addItem: Maker = (scene, choice) => {
  const found = aChecklist(scene, choice.turns);
  if (found === null) return addChecklist(scene, choice);
  const { card, checklist } = found;
  return guarded([card.board], {
    call: { method: "post", path: `/checklists/${checklist.publicId}/items`, body: { title: choice.word } },
    events: ["checklist.item.created"],
    apply: ({ publicId }) => void checklist.items.push({ publicId, title: choice.word, completed: false }),
  });
};

export const updateItem: Maker = (scene, choice) => {
  const { turns, index, flag, word } = choice;
  const found = aChecklist(scene, turns);
  const item = pick(found?.checklist.items ?? [], turns[2]);
  if (found === null || item === undefined) return addItem(scene, choice);
  const { card, checklist } = found;
  const moves = index !== undefined && !staysPut(checklist.items, item, index);
  return guarded([card.board], {
    call: { method: "put", path: `/checklist-items/${item.publicId}`, body: { title: word, completed: flag, index } },
    events: [
      ...(moves || item.title !== word ? ["checklist.item.updated"] : []),
      ...(item.completed === flag ? [] : [flag ? "checklist.item.completed" : "checklist.item.reopened"]),
    ],
    apply: () => {
      Object.assign(item, { title: word, completed: flag });
      if (index !== undefined) checklist.items = reordered(checklist.items, item, index);
    },
  });
};

export const deleteItem: Maker = (scene, choice) => {
  const found = aChecklist(scene, choice.turns);
  const item = pick(found?.checklist.items ?? [], choice.turns[2]);
  if (found === null || item === undefined) return addItem(scene, choice);
  const { card, checklist } = found;
  return guarded([card.board], {
    call: { method: "delete", path: `/checklist-items/${item.publicId}` },
    events: ["checklist.item.deleted"],
    apply: () => {
      checklist.items = checklist.items.filter((other) => other !== item);
    },
  });
};
