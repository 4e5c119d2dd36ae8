// The steps of a random sequence: each chooses what it acts on from what the model holds, calls the service, and gives the model
// the same change. What a step answers tells how the call must end, and which events it must leave in the log.

import type { Client } from "../helpers/app.js";
import {
  addCard,
  archive,
  type Board,
  type Card,
  type Checklist,
  carriedTo,
  homeOf,
  type Label,
  type List,
  type Model,
  missingLabels,
  moveCards,
  removeCard,
  removeLabel,
  removeList,
  reordered,
  staysPut,
  unarchive,
} from "./boardModel.js";

/** Numbers and words from which a step chooses. */
export interface Choice {
  turns: readonly [number, number, number, number];
  index: number | undefined;
  flag: boolean;
  word: string;
}

export interface Call {
  method: "post" | "put" | "delete";
  path: string;
  body?: unknown;
}

/** What must come of a step. */
export interface Step {
  call: Call;
  /** 0: either a refusal or a success that changes nothing. */
  status: number;
  /** The types of the events it writes; none where it changes nothing. */
  events: string[];
  /** Changes the model as the call changes the service. */
  apply(body: Answered): void | Promise<void>;
}

/** What answers hold that a model cannot know beforehand. */
export interface Answered {
  publicId: string;
  cardNumber: number;
}

export interface Scene {
  model: Model;
  client: Client;
  /** The labels of a board as it is read, for those that a move has made. */
  labelsOf(board: Board): Promise<Label[]>;
  checklistsOf(card: Card): Promise<Checklist[]>;
}

type Maker = (scene: Scene, choice: Choice) => Step | null;

const pick = <T>(items: readonly T[], turn: number): T | undefined => items[turn % Math.max(1, items.length)];
const some = <T>(items: readonly T[], turns: readonly number[]): T[] => [
  ...new Set(turns.flatMap((turn) => pick(items, turn) ?? [])),
];

/** A step that an archived board refuses, unless there is nothing to change. */
function guarded(boards: readonly Board[], step: Omit<Step, "status"> & { status?: number }): Step {
  const { status = 200 } = step;
  const isClosed = boards.some(({ isArchived }) => isArchived);
  if (!isClosed && status === 200) return { ...step, status };
  const isIdle = step.events.length === 0;
  return { ...step, status: isClosed ? (isIdle ? 0 : 400) : status, events: [], apply: () => {} };
}

const PRIORITIES = ["low", "medium", "high", "urgent", "none"];

const whereIs = ({ model }: Scene, list: List) => model.boards.find((board) => board.lists.includes(list));

const createList: Maker = ({ model }, { turns, word }) => {
  const board = pick(model.boards, turns[0]);
  if (board === undefined) return null;
  return guarded([board], {
    call: { method: "post", path: "/lists", body: { name: word, boardPublicId: board.publicId } },
    events: ["list.created"],
    apply: ({ publicId }) => void board.lists.push({ publicId, name: word, cards: [] }),
  });
};

const aList = ({ model }: Scene, turns: readonly number[]) => {
  const board = pick(
    model.boards.filter(({ lists }) => lists.length > 0),
    turns[0] ?? 0,
  );
  const list = pick(board?.lists ?? [], turns[1] ?? 0);
  return board === undefined || list === undefined ? null : { board, list };
};

const updateList: Maker = (scene, { turns, index, flag, word }) => {
  const found = aList(scene, turns);
  if (found === null) return createList(scene, { turns, index, flag, word });
  const { board, list } = found;
  const moves = index !== undefined && !staysPut(board.lists, list, index);
  const renames = flag && list.name !== word;
  return guarded([board], {
    call: { method: "put", path: `/lists/${list.publicId}`, body: { index, ...(flag && { name: word }) } },
    events: [...(renames ? ["list.updated"] : []), ...(moves ? ["list.moved"] : [])],
    apply: () => {
      if (index !== undefined) board.lists = reordered(board.lists, list, index);
      if (flag) list.name = word;
    },
  });
};

const deleteList: Maker = (scene, choice) => {
  const found = aList(scene, choice.turns);
  if (found === null) return createList(scene, choice);
  const { board, list } = found;
  return guarded([board], {
    call: { method: "delete", path: `/lists/${list.publicId}` },
    events: ["list.deleted", ...(list.cards.length > 0 ? ["card.archived"] : [])],
    apply: () => removeList(scene.model, board, list),
  });
};

const createCard: Maker = (scene, choice) => {
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

const aCard = ({ model }: Scene, turn: number) => pick(model.cards, turn);

const editCard: Maker = (scene, choice) => {
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
function movedEvents(cards: readonly Card[], board: Board, makesLabels: boolean): string[] {
  const leaving = cards.filter((card) => card.board !== board);
  const isDropping = (card: Card) => carriedTo(board, card).memberPublicIds.length < card.memberPublicIds.length;
  return [
    "card.moved",
    ...(makesLabels ? ["label.created"] : []),
    ...(leaving.some(({ labels }) => labels.length > 0) ? ["card.label.added", "card.label.removed"] : []),
    ...(leaving.some(isDropping) ? ["card.member.removed"] : []),
  ];
}

const moveCard: Maker = (scene, choice) => {
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

const archiveCard: Maker = (scene, choice) => {
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

const unarchiveCard: Maker = (scene, choice) => {
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

const deleteCard: Maker = (scene, choice) => {
  const card = aCard(scene, choice.turns[0]);
  if (card === undefined) return createCard(scene, choice);
  return guarded([card.board], {
    call: { method: "delete", path: `/cards/${card.publicId}` },
    events: ["card.deleted"],
    apply: () => removeCard(scene.model, card),
  });
};

const duplicateCard: Maker = (scene, choice) => {
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

const ids = (things: readonly { publicId: string }[]) => things.map(({ publicId }) => publicId);

const bulkMove: Maker = (scene, choice) => {
  const { turns } = choice;
  const cards = some(scene.model.cards, turns);
  const found = aList(scene, turns.slice(2));
  if (cards.length === 0 || found === null) return createCard(scene, choice);
  const { board, list } = found;
  const lastCards = list.cards.slice(-cards.length);
  const areLast = lastCards.length === cards.length && lastCards.every((card, place) => card === cards[place]);
  const leaving = cards.filter((card) => card.board !== board);
  const made = new Set(leaving.flatMap((card) => missingLabels(card, board)));
  return guarded([board, ...cards.map((card) => card.board)], {
    call: {
      method: "post",
      path: "/cards/bulk/move",
      body: { cardPublicIds: [...ids(cards), ...ids(cards)], listPublicId: list.publicId },
    },
    status: cards.some(({ isArchived }) => isArchived) ? 400 : 200,
    events: areLast ? [] : movedEvents(cards, board, made.size > 0),
    apply: async () => {
      if (made.size > 0) board.labels = await scene.labelsOf(board);
      moveCards(cards, board, list);
    },
  });
};

const bulkUpdate: Maker = (scene, choice) => {
  const { turns, flag } = choice;
  const [first] = some(scene.model.cards, turns.slice(0, 1));
  if (first === undefined) return createCard(scene, choice);
  const { board } = first;
  const cards = some(
    scene.model.cards.filter((card) => card.board === board),
    turns,
  );
  const add = some(board.labels, turns.slice(1, 2));
  const remove = some(board.labels, turns.slice(2, 3));
  const kept = add.filter((label) => !remove.includes(label));
  const person = pick(board.memberPublicIds, turns[3]);
  const isAdded = (card: Card) => kept.some((label) => !card.labels.includes(label));
  const isRemoved = (card: Card) => remove.some((label) => card.labels.includes(label));
  const people = person === undefined ? [] : [person];
  return guarded([board], {
    call: {
      method: "post",
      path: "/cards/bulk/update",
      body: {
        cardPublicIds: ids(cards),
        completed: flag,
        addLabelPublicIds: ids(add),
        removeLabelPublicIds: ids(remove),
        addMemberPublicIds: people,
      },
    },
    events: [
      ...(cards.some(({ isCompleted }) => isCompleted !== flag) ? [flag ? "card.completed" : "card.reopened"] : []),
      ...(cards.some(isAdded) ? ["card.label.added"] : []),
      ...(cards.some(isRemoved) ? ["card.label.removed"] : []),
      ...(cards.some((card) => people.some((id) => !card.memberPublicIds.includes(id))) ? ["card.member.added"] : []),
    ],
    apply: () => {
      for (const card of cards) {
        card.isCompleted = flag;
        card.labels = [...new Set([...card.labels, ...kept])].filter((label) => !remove.includes(label));
        card.memberPublicIds = [...new Set([...card.memberPublicIds, ...people])];
      }
    },
  });
};

const bulkArchive: Maker = (scene, choice) => {
  const cards = some(scene.model.cards, choice.turns);
  if (cards.length === 0) return createCard(scene, choice);
  const open = cards.filter(({ isArchived }) => !isArchived);
  return guarded(
    cards.map(({ board }) => board),
    {
      call: { method: "post", path: "/cards/bulk/archive", body: { cardPublicIds: ids(cards) } },
      events: open.length > 0 ? ["card.archived"] : [],
      apply: () => {
        for (const card of open) archive(card);
      },
    },
  );
};

const bulkDelete: Maker = (scene, choice) => {
  const cards = some(scene.model.cards, choice.turns.slice(0, 2));
  if (cards.length === 0) return createCard(scene, choice);
  return guarded(
    cards.map(({ board }) => board),
    {
      call: { method: "post", path: "/cards/bulk/delete", body: { cardPublicIds: ids(cards) } },
      events: ["card.deleted"],
      apply: () => {
        for (const card of cards) removeCard(scene.model, card);
      },
    },
  );
};

const createLabel: Maker = ({ model }, { turns }) => {
  const board = pick(model.boards, turns[0]);
  if (board === undefined) return null;
  // Few names, so that boards have labels of the same one.
  const name = `label ${turns[1] % 5}`;
  return guarded([board], {
    call: { method: "post", path: "/labels", body: { boardPublicId: board.publicId, name, colourCode: "#1f6feb" } },
    status: board.labels.some((label) => label.name === name) ? 400 : 200,
    events: ["label.created"],
    apply: ({ publicId }) => void board.labels.push({ publicId, name }),
  });
};

const deleteLabel: Maker = (scene, choice) => {
  const board = pick(scene.model.boards, choice.turns[0]);
  const label = pick(board?.labels ?? [], choice.turns[1]);
  if (board === undefined || label === undefined) return createLabel(scene, choice);
  return guarded([board], {
    call: { method: "delete", path: `/labels/${label.publicId}` },
    events: ["label.deleted"],
    apply: () => removeLabel(scene.model, board, label),
  });
};

const toggleLabel: Maker = (scene, choice) => {
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

const toggleMember: Maker = (scene, choice) => {
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

const addChecklist: Maker = (scene, choice) => {
  const card = aCard(scene, choice.turns[0]);
  if (card === undefined) return createCard(scene, choice);
  return guarded([card.board], {
    call: { method: "post", path: `/cards/${card.publicId}/checklists`, body: { name: choice.word } },
    events: ["checklist.created"],
    apply: ({ publicId }) => void card.checklists.push({ publicId, name: choice.word, items: [] }),
  });
};

function aChecklist({ model }: Scene, turns: readonly number[]) {
  const card = pick(
    model.cards.filter(({ checklists }) => checklists.length > 0),
    turns[0] ?? 0,
  );
  const checklist = pick(card?.checklists ?? [], turns[1] ?? 0);
  return card === undefined || checklist === undefined ? null : { card, checklist };
}

const deleteChecklist: Maker = (scene, choice) => {
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

const addItem: Maker = (scene, choice) => {
  const found = aChecklist(scene, choice.turns);
  if (found === null) return addChecklist(scene, choice);
  const { card, checklist } = found;
  return guarded([card.board], {
    call: { method: "post", path: `/checklists/${checklist.publicId}/items`, body: { title: choice.word } },
    events: ["checklist.item.created"],
    apply: ({ publicId }) => void checklist.items.push({ publicId, title: choice.word, completed: false }),
  });
};

const updateItem: Maker = (scene, choice) => {
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

const deleteItem: Maker = (scene, choice) => {
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
