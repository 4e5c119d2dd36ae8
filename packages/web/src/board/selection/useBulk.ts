import type { FollowedBoard, InputOf } from "work-board-client/board";
import { useChange } from "../context.js";
import { focusCard } from "../focus.js";

/** The service changes this many cards with a call. */
const CALL_MAX = 1000;

function chunksOf(ids: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let from = 0; from < ids.length; from += CALL_MAX) chunks.push(ids.slice(from, from + CALL_MAX));
  return chunks;
}

/** The changes of several cards at once. */
export function useBulk(ids: readonly string[]) {
  const change = useChange();
  const update = (fields: Omit<InputOf<"card.bulk.update">, "cardPublicIds">) => {
    for (const cardPublicIds of chunksOf(ids)) change("card.bulk.update", { cardPublicIds, ...fields });
  };
  return {
    update,
    label: (id: string, isOn: boolean) => update({ [isOn ? "addLabelPublicIds" : "removeLabelPublicIds"]: [id] }),
    assign: (id: string, isOn: boolean) => update({ [isOn ? "addMemberPublicIds" : "removeMemberPublicIds"]: [id] }),
    move(listPublicId: string) {
      for (const cardPublicIds of chunksOf(ids)) change("card.bulk.move", { cardPublicIds, listPublicId });
    },
    archive() {
      for (const cardPublicIds of chunksOf(ids)) change("card.bulk.archive", { cardPublicIds });
    },
    remove() {
      for (const cardPublicIds of chunksOf(ids)) change("card.bulk.delete", { cardPublicIds });
    },
  };
}

/** Moves the focus from cards that leave to one that stays: the next of the list, or else the one before. */
export function focusBeside(followed: FollowedBoard, ids: readonly string[], isShown: (id: string) => boolean): void {
  const [first = ""] = ids;
  const list = followed.state().board?.lists.find(({ cardIds }) => cardIds.includes(first));
  const at = list?.cardIds.indexOf(first) ?? 0;
  const stays = (id: string) => isShown(id) && !ids.includes(id);
  const next = list?.cardIds.slice(at).find(stays) ?? list?.cardIds.slice(0, at).findLast(stays);
  if (next !== undefined) focusCard(next);
}
