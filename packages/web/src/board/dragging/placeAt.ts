// The place at a point of the board.

import type { ListState } from "work-board-client/board";
import type { ListElements } from "../elements.js";
import { othersIn, type Place, placeAmong } from "../moving/places.js";
import type { DragSource, DropContext } from "./dropContext.js";
import type { Point } from "./presses.js";

const middleOf = (element: Element) => {
  const { left, width, top, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
};

interface RenderedList {
  readonly list: ListState;
  readonly elements: ListElements;
}

/** The lists that are rendered, in their order. */
export const renderedLists = ({ open, lists }: DropContext): RenderedList[] =>
  lists().flatMap((list) => {
    const elements = open.lists.get(list.publicId);
    return elements === undefined ? [] : [{ list, elements }];
  });

/** The list under a point, or the last one. */
export function listAt(context: DropContext, { x }: Point): RenderedList | undefined {
  const all = renderedLists(context);
  return all.find(({ elements }) => x < elements.root.getBoundingClientRect().right) ?? all.at(-1);
}

/** The place that a thing gets if it is dropped at a point; null outside of the board. It counts from what is shown around it. */
export function placeAt(context: DropContext, { kind, publicId }: DragSource, point: Point): Place | null {
  const { root, open, isShown } = context;
  const { left, right, top, bottom } = root.getBoundingClientRect();
  if (point.x < left || point.x > right || point.y < top || point.y > bottom) return null;
  if (kind === "list") {
    const others = renderedLists(context).filter(({ list }) => list.publicId !== publicId);
    return {
      listPublicId: publicId,
      index: others.filter(({ elements }) => middleOf(elements.root).x < point.x).length,
    };
  }
  const list = listAt(context, point)?.list;
  if (list === undefined) return null;
  const shown = othersIn(list, publicId).filter(isShown);
  // A long list renders some of them.
  const rendered = shown.flatMap((id, index) => {
    const card = open.cards.get(id);
    return card === undefined ? [] : [{ index, y: middleOf(card.root).y }];
  });
  const last = rendered.findLast(({ y }) => y < point.y);
  const above = last === undefined ? (rendered[0]?.index ?? shown.length) : last.index + 1;
  return placeAmong(list, publicId, above, isShown);
}
