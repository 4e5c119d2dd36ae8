// Boards that tests follow.

import { afterAll, expect, vi } from "vitest";
import type { FollowedBoard } from "../../packages/client/src/board/index.js";

/** A list of boards that are closed once the tests of a file have run. */
export function openedBoards(): FollowedBoard[] {
  const opened: FollowedBoard[] = [];
  afterAll(() => {
    for (const board of opened) board.close();
  });
  return opened;
}

/** Waits until something is so, for as many milliseconds at most. */
export const until = (condition: () => boolean, timeout = 10_000) =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout, interval: 20 });
