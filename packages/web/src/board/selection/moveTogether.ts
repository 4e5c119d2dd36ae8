import { othersIn, type Place } from "../moving/places.js";
import type { OpenBoard } from "../openBoard.js";
import { changeWithUndo } from "../undo/changes.js";

/** Moves cards, in calls of so many at most, to where one of them was dropped, in their order. Few are taken back as one. */
export function moveTogether(
  open: OpenBoard,
  calls: readonly (readonly string[])[],
  dropped: string,
  { listPublicId, index }: Place,
): void {
  const ids = new Set(calls.flat());
  const { followed } = open;
  const listNow = () => followed.state().board?.lists.find(({ publicId }) => publicId === listPublicId);
  let above = othersIn(listNow(), dropped)
    .slice(0, index)
    .findLast((id) => !ids.has(id));
  for (const cardPublicIds of calls) {
    const own = new Set(cardPublicIds);
    const before = listNow()?.cardIds ?? [];
    const others = before.filter((id) => !own.has(id));
    const to = above === undefined ? 0 : others.indexOf(above) + 1;
    above = cardPublicIds.at(-1);
    if (others.toSpliced(to, 0, ...cardPublicIds).every((id, at) => id === before[at])) continue;
    const input = { cardPublicIds: [...cardPublicIds], listPublicId, index: to };
    changeWithUndo(open, ["card.bulk.move", input]);
  }
}
