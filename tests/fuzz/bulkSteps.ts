// The steps of a random sequence that act on many cards at once.

import { archive, type Card, missingLabels, moveCards, removeCard } from "./boardModel.js";
import { aList, guarded, ids, type Maker, pick, some } from "./boardScene.js";
import { createCard, movedEvents } from "./cardSteps.js";

export const bulkMove: Maker = (scene, choice) => {
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

export const bulkUpdate: Maker = (scene, choice) => {
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

export const bulkArchive: Maker = (scene, choice) => {
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

export const bulkDelete: Maker = (scene, choice) => {
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
