import type { BoardState, FollowedBoard } from "work-board-client/board";
import type { Sides, Undoable } from "./undoables.js";

export type Change = FollowedBoard["change"];

/** One side of a part of a change: as the change left it, or as it was before. */
export interface PartState {
  /** Whether the board has it so. */
  is(board: BoardState): boolean;
  /** Places are taken in this order. */
  readonly order?: number;
  /** The calls that make it so. */
  calls(board: BoardState): readonly Parameters<Change>[];
}

/** One thing that a change did, such as the place or the title that it gave to a card. */
export interface Part extends Sides<PartState> {
  /** Whether the card or list is there, as far as the board knows. */
  isThere(board: BoardState): boolean;
}

/** The way to take a change back, and to make it again. */
export type Inverse = Undoable<Part>;
