// The steps of a random sequence that act on lists.

import { removeList, reordered, staysPut } from "./boardModel.js";
import { aList, guarded, type Maker, pick } from "./boardScene.js";

export const createList: Maker = ({ model }, { turns, word }) => {
  const board = pick(model.boards, turns[0]);
  if (board === undefined) return null;
  return guarded([board], {
    call: { method: "post", path: "/lists", body: { name: word, boardPublicId: board.publicId } },
    events: ["list.created"],
    apply: ({ publicId }) => void board.lists.push({ publicId, name: word, cards: [] }),
  });
};

export const updateList: Maker = (scene, { turns, index, flag, word }) => {
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

export const deleteList: Maker = (scene, choice) => {
  const found = aList(scene, choice.turns);
  if (found === null) return createList(scene, choice);
  const { board, list } = found;
  return guarded([board], {
    call: { method: "delete", path: `/lists/${list.publicId}` },
    events: ["list.deleted", ...(list.cards.length > 0 ? ["card.archived"] : [])],
    apply: () => removeList(scene.model, board, list),
  });
};
