import type { ChangePath, InputOf } from "work-board-client/board";
import { useShownBoard } from "../context.js";
import type { Place } from "../moving/places.js";
import { changeWithUndo } from "../undo/changes.js";
import { moveTogether } from "./moveTogether.js";

/** The service changes this many cards with a call. */
const CALL_MAX = 1000;

type BulkPath = Extract<ChangePath, `card.bulk.${string}`>;

function chunksOf(ids: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let from = 0; from < ids.length; from += CALL_MAX) chunks.push(ids.slice(from, from + CALL_MAX));
  return chunks;
}

/** The changes of several cards at once. */
export function useBulk(ids: readonly string[]) {
  const { open } = useShownBoard();
  const changeAll = <Path extends BulkPath>(path: Path, fields: Omit<InputOf<Path>, "cardPublicIds">) => {
    for (const cardPublicIds of chunksOf(ids)) changeWithUndo(open, [path, { cardPublicIds, ...fields }]);
  };
  const update = (fields: Omit<InputOf<"card.bulk.update">, "cardPublicIds">) => changeAll("card.bulk.update", fields);
  const move = (listPublicId: string) => changeAll("card.bulk.move", { listPublicId });
  return {
    update,
    move,
    label: (id: string, isOn: boolean) => update({ [isOn ? "addLabelPublicIds" : "removeLabelPublicIds"]: [id] }),
    assign: (id: string, isOn: boolean) => update({ [isOn ? "addMemberPublicIds" : "removeMemberPublicIds"]: [id] }),
    /** Moves the cards to where one of them was dropped. */
    drop: (dropped: string, to: Place) => moveTogether(open, chunksOf(ids), dropped, to),
    archive: () => changeAll("card.bulk.archive", {}),
    remove: () => changeAll("card.bulk.delete", {}),
  };
}
