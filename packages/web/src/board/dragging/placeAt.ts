// The place at a point of the board.

import type { ListState } from "work-board-client/board";
import type { Held } from "../moving/held.js";
import { type IsShown, othersIn, type Place, placeAmong } from "../moving/places.js";

export interface Point {
  readonly x: number;
  readonly y: number;
}

const middleOf = (element: Element) => {
  const { left, width, top, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
};

/** The element of the list under a point, or of the last list. */
export function listAt(root: HTMLElement, { x }: Point): HTMLElement | undefined {
  const lists = [...root.querySelectorAll<HTMLElement>("[data-list]")];
  return lists.find((list) => x < list.getBoundingClientRect().right) ?? lists.at(-1);
}

/** The place that a thing gets if it is dropped at a point; null outside of the board. It counts from what is shown around it. */
export function placeAt(
  root: HTMLElement,
  { kind, publicId }: Pick<Held, "kind" | "publicId">,
  point: Point,
  lists: readonly ListState[],
  isShown: IsShown,
): Place | null {
  const { left, right, top, bottom } = root.getBoundingClientRect();
  if (point.x < left || point.x > right || point.y < top || point.y > bottom) return null;
  if (kind === "list") {
    const others = [...root.querySelectorAll<HTMLElement>("[data-list]")].filter(
      ({ dataset }) => dataset.list !== publicId,
    );
    return { listPublicId: publicId, index: others.filter((list) => middleOf(list).x < point.x).length };
  }
  const element = listAt(root, point);
  const list = lists.find((one) => one.publicId === element?.dataset.list);
  if (element === undefined || list === undefined) return null;
  const shown = othersIn(list, publicId).filter(isShown);
  const indexOf = ({ dataset }: HTMLElement) => shown.indexOf(dataset.card ?? "");
  // A long list renders some of them.
  const rendered = [...element.querySelectorAll<HTMLElement>("[data-card]")].filter((card) => indexOf(card) !== -1);
  const last = rendered.findLast((card) => middleOf(card).y < point.y);
  const [first] = rendered;
  if (last !== undefined) return placeAmong(list, publicId, indexOf(last) + 1, isShown);
  return placeAmong(list, publicId, first === undefined ? shown.length : indexOf(first), isShown);
}
