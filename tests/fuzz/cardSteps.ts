// The steps of a random sequence that act on single cards, with their labels and people.

import {
  addCard,
  archive,
  type Board,
  type Card,
  carriedTo,
  homeOf,
  missingLabels,
  moveCards,
  removeCard,
  staysPut,
  unarchive,
} from "./boardModel.js";
import { aCard, aList, guarded, type Maker, PRIORITIES, pick, some, whereIs } from "./boardScene.js";
import { createLabel } from "./labelSteps.js";
import { createList } from "./listSteps.js";

export const createCard: Maker = (scene, choice) => {
  const { turns, index, word, flag } = choice;
  const found = aList(scene, turns);
  if (found === null) return createList(scene, choice);
  const { board, list } = found;
  const labels = flag ? some(board.labels, turns) : [];
  const memberPublicIds = some(board.memberPublicIds, turns.slice(2));
  const priority = pick(PRIORITIES, turns[3]) ?? "none";
  const fields = { title: word, priority, memberPublicIds };
  return guarded([board], {
    call: {
      method: "post",
      path: "/cards",
      body: { ...fields, index, listPublicId: list.publicId, labelPublicIds: labels.map(({ publicId }) => publicId) },
    },
    events: ["card.created"],
    apply: ({ publicId, cardNumber }) =>
      addCard(
        scene.model,
        { ...fields, publicId, cardNumber, labels, board, list, isCompleted: false, isArchived: false, checklists: [] },
        index,
      ),
  });
};

export const editCard: Maker = (scene, choice) => {
  const { turns, flag, word } = choice;
  const card = aCard(scene, turns[0]);
  if (card === undefined) return createCard(scene, choice);
  const priority = pick(PRIORITIES, turns[1]) ?? "none";
  const isUpdated = card.priority !== priority || card.title !== word;
  const completion = card.isCompleted === flag ? [] : [flag ? "card.completed" : "card.reopened"];
  return guarded([card.board], {
    call: { method: "put", path: `/cards/${card.publicId}`, body: { title: word, priority, completed: flag } },
    events: [...(isUpdated ? ["card.updated"] : []), ...completion],
    apply: () => void Object.assign(card, { title: word, priority, isCompleted: flag }),
  });
};

/** The types of events that a move writes: on another board labels are exchanged, and who does not see it is taken off. */
export function movedEvents(cards: readonly Card[], board: Board, makesLabels: boolean): string[] {
  const leaving = cards.filter((card) => card.board !== board);
  const isDropping = (card: Card) => carriedTo(board, card).memberPublicIds.length < card.memberPublicIds.length;
  return [
    "card.moved",
    ...(makesLabels ? ["label.created"] : []),
    ...(leaving.some(({ labels }) => labels.length > 0) ? ["card.label.added", "card.label.removed"] : []),
    ...(leaving.some(isDropping) ? ["card.member.removed"] : []),
  ];
}

export const moveCard: Maker = (scene, choice) => {
  const { turns, index } = choice;
  const card = aCard(scene, turns[0]);
  const found = aList(scene, turns.slice(1));
  if (card === undefined || found === null) return createCard(scene, choice);
  const { board, list } = found;
  const isHere = card.list === list && staysPut(list.cards, card, index ?? Number.POSITIVE_INFINITY);
  const made = card.board === board ? [] : missingLabels(card, board);
  return guarded([card.board, board], {
    call: { method: "put", path: `/cards/${card.publicId}`, body: { index, listPublicId: list.publicId } },
    status: card.isArchived ? 400 : 200,
    events: isHere ? [] : movedEvents([card], board, made.length > 0),
    apply: async () => {
      if (made.length > 0) board.labels = await scene.labelsOf(board);
      moveCards([card], board, list, index);
    },
  });
};

export const archiveCard: Maker = (scene, choice) => {
  const card = aCard(scene, choice.turns[0]);
  if (card === undefined) return createCard(scene, choice);
  return guarded([card.board], {
    call: { method: "post", path: `/cards/${card.publicId}/archive` },
    events: card.isArchived ? [] : ["card.archived"],
    apply: () => {
      if (!card.isArchived) archive(card);
    },
  });
};

export const unarchiveCard: Maker = (scene, choice) => {
  const archived = scene.model.cards.filter(({ isArchived }) => isArchived);
  const card = pick(archived, choice.turns[0]) ?? aCard(scene, choice.turns[0]);
  if (card === undefined) return createCard(scene, choice);
  const home = homeOf(card);
  return guarded([card.board], {
    call: { method: "post", path: `/cards/${card.publicId}/unarchive` },
    status: card.isArchived && home === undefined ? 400 : 200,
    events: card.isArchived ? ["card.unarchived"] : [],
    apply: () => {
      if (card.isArchived && home !== undefined) unarchive(card, home);
    },
  });
};

export const deleteCard: Maker = (scene, choice) => {
  const card = aCard(scene, choice.turns[0]);
  if (card === undefined) return createCard(scene, choice);
  return guarded([card.board], {
    call: { method: "delete", path: `/cards/${card.publicId}` },
    events: ["card.deleted"],
    apply: () => removeCard(scene.model, card),
  });
};

export const duplicateCard: Maker = (scene, choice) => {
  const { turns, flag } = choice;
  const card = aCard(scene, turns[0]);
  if (card === undefined) return createCard(scene, choice);
  const chosen = flag ? aList(scene, turns.slice(1)) : null;
  const list = chosen?.list ?? homeOf(card);
  const board = list === undefined ? card.board : (whereIs(scene, list) ?? card.board);
  const made = card.board === board ? [] : missingLabels(card, board);
  return guarded([board], {
    call: {
      method: "post",
      path: `/cards/${card.publicId}/duplicate`,
      ...(chosen !== null && { body: { listPublicId: chosen.list.publicId } }),
    },
    status: list === undefined ? 400 : 200,
    events: ["card.created", ...(made.length > 0 ? ["label.created"] : [])],
    apply: async ({ publicId, cardNumber }) => {
      if (made.length > 0) board.labels = await scene.labelsOf(board);
      const kept = card.board === board ? card : carriedTo(board, card);
      const copy: Card = {
        ...card,
        publicId,
        cardNumber,
        board,
        list: list ?? null,
        isArchived: false,
        labels: [...kept.labels],
        memberPublicIds: [...kept.memberPublicIds],
        checklists: [],
      };
      addCard(scene.model, copy);
      copy.checklists = await scene.checklistsOf(copy);
    },
  });
};

export const toggleLabel: Maker = (scene, choice) => {
  const card = aCard(scene, choice.turns[0]);
  const label = pick(card?.board.labels ?? [], choice.turns[1]);
  if (card === undefined || label === undefined) return createLabel(scene, choice);
  const isOn = card.labels.includes(label);
  return guarded([card.board], {
    call: { method: "put", path: `/cards/${card.publicId}/labels/${label.publicId}` },
    events: [isOn ? "card.label.removed" : "card.label.added"],
    apply: () => {
      card.labels = isOn ? card.labels.filter((other) => other !== label) : [...card.labels, label];
    },
  });
};

export const toggleMember: Maker = (scene, choice) => {
  const card = aCard(scene, choice.turns[0]);
  const everyone = [...new Set(scene.model.boards.flatMap(({ memberPublicIds }) => memberPublicIds))];
  const member = pick(everyone, choice.turns[1]);
  if (card === undefined || member === undefined) return createCard(scene, choice);
  const isOn = card.memberPublicIds.includes(member);
  return guarded([card.board], {
    call: { method: "put", path: `/cards/${card.publicId}/members/${member}` },
    status: isOn || card.board.memberPublicIds.includes(member) ? 200 : 400,
    events: [isOn ? "card.member.removed" : "card.member.added"],
    apply: () => {
      card.memberPublicIds = isOn
        ? card.memberPublicIds.filter((other) => other !== member)
        : [...card.memberPublicIds, member];
    },
  });
};
