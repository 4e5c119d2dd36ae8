// A followed board that keeps its state and notes its changes.

import type { BoardState, ChangeOptions, FollowedBoard, FollowedState } from "work-board-client/board";

type Call = [path: unknown, input: unknown, people?: string[]];

/** A board as its followers have it. `calls`: its changes, with the people that they assign. Each gets the answer. */
export function notedBoard(read: () => BoardState, answer: () => Promise<object> = async () => ({})) {
  const calls: Call[] = [];
  const state = (): FollowedState => ({ status: "live", board: read(), waiting: 0, refused: [], error: null });
  const change = (path: unknown, input: unknown, { people }: ChangeOptions = {}) => {
    calls.push([path, input, ...(people ? [people.map(({ name }) => name)] : [])] as Call);
    return answer();
  };
  return { calls, followed: { state, change } as unknown as FollowedBoard };
}
