// `work-board-client/react`: a followed board in a component.

import { useCallback, useSyncExternalStore } from "react";
import type { FollowedBoard, FollowedState } from "../board/index.js";

/**
 * Returns the part of a followed board that `select` takes. The component renders again when that is another value, so `select` gives parts of the
 * state as they are, or plain values, and makes no new objects.
 */
export function useBoard<T>(board: FollowedBoard, select: (state: FollowedState) => T): T {
  const subscribe = useCallback((listener: () => void) => board.subscribe(listener), [board]);
  const selected = () => select(board.state());
  return useSyncExternalStore(subscribe, selected, selected);
}
