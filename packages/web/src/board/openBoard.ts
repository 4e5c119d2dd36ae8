// The state of a board that is open, apart from its replica.

import type { FollowedBoard } from "work-board-client/board";
import { storeOf } from "../store.js";
import { type CardElements, Elements, type ListElements } from "./elements.js";
import type { Place } from "./moving/places.js";
import { Selection } from "./selection/selection.js";

/** A card or list that is being moved. */
export interface Moving {
  readonly kind: "card" | "list";
  readonly publicId: string;
  /** The place it gets if it is dropped now; null if it goes back to where it is. */
  readonly to: Place | null;
  /** A dragged thing leaves its place empty until it is dropped. A thing that keys move stays there, with the focus. */
  readonly isDragged: boolean;
}

/** The state that the components of an open board share, and the elements that they render. */
export class OpenBoard {
  readonly followed: FollowedBoard;
  readonly cards = new Elements<CardElements>();
  readonly lists = new Elements<ListElements>();
  readonly selection = new Selection();
  /** The card or list that is being moved, until it is dropped. */
  readonly moving = storeOf<Moving | null>(null);
  /** The card that has the focus, or that takes it as soon as it is shown. */
  readonly focused = storeOf<string | null>(null);
  /** The card whose menu is open. */
  readonly menu = storeOf<string | null>(null);
  /** The button that adds a list. */
  readonly addListButton: { current: HTMLButtonElement | null } = { current: null };
  /** Whether arrow keys, and no pointer since, lead through the cards. */
  readonly isKeyboardNavigating = storeOf(false);
  /** The title that is typed. Its card gets another field in another list, or when a filter shows it again. */
  typedTitle: { cardPublicId: string; title: string } | null = null;

  readonly endKeyboardNavigation = (): void => this.isKeyboardNavigating.set(false);

  constructor(followed: FollowedBoard) {
    this.followed = followed;
  }
}

const openBoards = new WeakMap<FollowedBoard, OpenBoard>();

/** The open board of a replica: the same one when somebody comes back to it. */
export function openBoardOf(followed: FollowedBoard): OpenBoard {
  const known = openBoards.get(followed) ?? new OpenBoard(followed);
  openBoards.set(followed, known);
  return known;
}
