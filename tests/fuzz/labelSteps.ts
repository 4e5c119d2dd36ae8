// The steps of a random sequence that act on labels of boards.

import { removeLabel } from "./boardModel.js";
import { guarded, type Maker, pick } from "./boardScene.js";

export const createLabel: Maker = ({ model }, { turns }) => {
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

export const deleteLabel: Maker = (scene, choice) => {
  const board = pick(scene.model.boards, choice.turns[0]);
  const label = pick(board?.labels ?? [], choice.turns[1]);
  if (board === undefined || label === undefined) return createLabel(scene, choice);
  return guarded([board], {
    call: { method: "delete", path: `/labels/${label.publicId}` },
    events: ["label.deleted"],
    apply: () => removeLabel(scene.model, board, label),
  });
};
