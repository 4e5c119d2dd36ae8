// The board that the components below show.

import { createContext, useCallback, useContext } from "react";
import type { Permission } from "work-board-client";
import type { BoardState, FollowedBoard } from "work-board-client/board";
import { useBoard } from "work-board-client/react";
import type { OpenBoard } from "./openBoard.js";
import { changeWithUndo } from "./undo/changes.js";

/** A board that was read, as components use it. */
export interface ShownBoard {
  followed: FollowedBoard;
  open: OpenBoard;
  may(permission: Permission): boolean;
  /** The reader among the members of the workspace. */
  meId: string | undefined;
}

export const BoardContext = createContext<ShownBoard | null>(null);

export function useShownBoard(): ShownBoard {
  const shown = useContext(BoardContext);
  if (shown === null) throw new Error("No board is shown here");
  return shown;
}

/** A part of the board. The component renders again when that part is another one. */
export function useBoardState<T>(select: (board: BoardState) => T): T {
  return useBoard(useShownBoard().followed, ({ board }) => {
    if (board === null) throw new Error("The board was not read yet");
    return select(board);
  });
}

/** Makes a change of the board, which can be taken back for a while. One that the service refuses is reported by the board itself. */
export function useChange(): (...change: Parameters<FollowedBoard["change"]>) => void {
  const { open } = useShownBoard();
  return useCallback((...change) => changeWithUndo(open, change), [open]);
}

/** People with the reader first. */
export const meFirst = <Person extends { publicId: string }>(
  people: readonly Person[],
  meId: string | undefined,
): Person[] => people.toSorted((a, b) => Number(b.publicId === meId) - Number(a.publicId === meId));
