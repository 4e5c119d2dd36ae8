import type { BoardState, InputOf } from "work-board-client/board";
import { useShownBoard } from "../context.js";
import { movedBack, unarchived, updatedBack } from "../moving/bulkInverses.js";
import type { Inverse } from "../moving/inverse.js";
import { changeWithInverse } from "../moving/undo.js";

/** The service changes this many cards with a call. */
const CALL_MAX = 1000;

function chunksOf(ids: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let from = 0; from < ids.length; from += CALL_MAX) chunks.push(ids.slice(from, from + CALL_MAX));
  return chunks;
}

/** The changes of several cards at once. */
export function useBulk(ids: readonly string[]) {
  const { followed } = useShownBoard();
  const inverseBy = (inverse: (board: BoardState) => Inverse | null) => {
    const { board } = followed.state();
    return board && inverse(board);
  };
  const update = (fields: Omit<InputOf<"card.bulk.update">, "cardPublicIds">) => {
    for (const cardPublicIds of chunksOf(ids)) {
      const input = { cardPublicIds, ...fields };
      changeWithInverse(
        followed,
        inverseBy((board) => updatedBack(board, input)),
        "card.bulk.update",
        input,
      );
    }
  };
  return {
    update,
    label: (id: string, isOn: boolean) => update({ [isOn ? "addLabelPublicIds" : "removeLabelPublicIds"]: [id] }),
    assign: (id: string, isOn: boolean) => update({ [isOn ? "addMemberPublicIds" : "removeMemberPublicIds"]: [id] }),
    move(listPublicId: string) {
      for (const cardPublicIds of chunksOf(ids)) {
        const input = { cardPublicIds, listPublicId };
        changeWithInverse(
          followed,
          inverseBy((board) => movedBack(board, input)),
          "card.bulk.move",
          input,
        );
      }
    },
    archive() {
      for (const cardPublicIds of chunksOf(ids)) {
        const input = { cardPublicIds };
        changeWithInverse(
          followed,
          inverseBy((board) => unarchived(board, input)),
          "card.bulk.archive",
          input,
        );
      }
    },
    remove() {
      for (const cardPublicIds of chunksOf(ids)) {
        changeWithInverse(followed, null, "card.bulk.delete", { cardPublicIds });
      }
    },
  };
}
