// The dragged thing, and the board on which a drag ends.

import type { ListState } from "work-board-client/board";
import type { Moves } from "../moving/moves.js";
import type { IsShown } from "../moving/places.js";
import type { Moving, OpenBoard } from "../openBoard.js";

/** The thing that a pointer drags, and its element. */
export interface DragSource extends Pick<Moving, "kind" | "publicId"> {
  readonly element: HTMLElement;
}

/** The board on which it is dropped. */
export interface DropContext {
  readonly root: HTMLElement;
  readonly open: OpenBoard;
  readonly moves: Moves;
  lists(): readonly ListState[];
  readonly isShown: IsShown;
}
