import type { FollowedBoard } from "work-board-client/board";
import { movedBack } from "../moving/bulkInverses.js";
import { isSamePlace, othersIn, type Place, placeOf } from "../moving/places.js";
import { changeWithInverse } from "../moving/undoables.js";

/** Moves cards to where one of them was dropped, in their order. They are taken back as one. */
export function moveTogether(
  followed: FollowedBoard,
  ids: readonly string[],
  dropped: string,
  { listPublicId, index }: Place,
): void {
  const { board } = followed.state();
  if (board === null) return;
  const lists = () => followed.state().board?.lists ?? [];
  const othersOf = (cardPublicId: string) =>
    othersIn(
      lists().find(({ publicId }) => publicId === listPublicId),
      cardPublicId,
    );
  let inverse = movedBack(board, { cardPublicIds: [...ids], listPublicId });
  let above = othersOf(dropped)
    .slice(0, index)
    .findLast((id) => !ids.includes(id));
  for (const cardPublicId of ids) {
    const to = { listPublicId, index: above === undefined ? 0 : othersOf(cardPublicId).indexOf(above) + 1 };
    above = cardPublicId;
    if (isSamePlace(placeOf(lists(), cardPublicId), to)) continue;
    changeWithInverse(followed, inverse, "card.update", { cardPublicId, ...to });
    inverse = null;
  }
}
