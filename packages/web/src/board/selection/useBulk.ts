import type { BoardState, ChangePath, InputOf } from "work-board-client/board";
import { useShownBoard } from "../context.js";
import { movedBack, unarchived, updatedBack } from "../moving/bulkInverses.js";
import type { Inverse } from "../moving/inverse.js";
import { changeWithInverse } from "../moving/inverses.js";
import type { Place } from "../moving/places.js";
import { moveTogether } from "./moveTogether.js";

/** The service changes this many cards with a call. */
const CALL_MAX = 1000;

function chunksOf(ids: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let from = 0; from < ids.length; from += CALL_MAX) chunks.push(ids.slice(from, from + CALL_MAX));
  return chunks;
}

/** The changes of several cards at once. */
export function useBulk(ids: readonly string[]) {
  const { followed, open } = useShownBoard();
  const inputsWith = <Fields extends object>(fields: Fields) =>
    chunksOf(ids).map((cardPublicIds) => ({ cardPublicIds, ...fields }));
  function changeAll<Path extends ChangePath>(
    path: Path,
    inputs: readonly InputOf<Path>[],
    inverse: (board: BoardState, input: InputOf<Path>) => Inverse | null,
  ): void {
    for (const input of inputs) {
      const { board } = followed.state();
      changeWithInverse(open, board && inverse(board, input), path, input);
    }
  }
  const update = (fields: Omit<InputOf<"card.bulk.update">, "cardPublicIds">) =>
    changeAll("card.bulk.update", inputsWith(fields), updatedBack);
  const move = (listPublicId: string) => changeAll("card.bulk.move", inputsWith({ listPublicId }), movedBack);
  return {
    update,
    move,
    label: (id: string, isOn: boolean) => update({ [isOn ? "addLabelPublicIds" : "removeLabelPublicIds"]: [id] }),
    assign: (id: string, isOn: boolean) => update({ [isOn ? "addMemberPublicIds" : "removeMemberPublicIds"]: [id] }),
    /** Moves the cards to where one of them was dropped. */
    drop: (dropped: string, to: Place) => moveTogether(open, chunksOf(ids), dropped, to),
    archive: () => changeAll("card.bulk.archive", inputsWith({}), unarchived),
    remove: () => changeAll("card.bulk.delete", inputsWith({}), () => null),
  };
}
