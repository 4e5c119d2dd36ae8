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

/** A `fetch` whose streams can be held back: what arrives meanwhile arrives in one piece once it is let go. */
export function heldStreams() {
  const parts: Uint8Array[] = [];
  let isHeld = false;
  let letGo = () => {};
  const send: typeof fetch = async (resource, init) => {
    const response = await fetch(resource, init);
    if (!String(resource).includes("board.stream")) return response;
    const gate = new TransformStream<Uint8Array, Uint8Array>({
      start: (out) => {
        letGo = () => out.enqueue(Buffer.concat(parts.splice(0)));
      },
      transform: (part, out) => void (isHeld ? parts.push(part) : out.enqueue(part)),
    });
    return new Response(response.body?.pipeThrough(gate), response);
  };
  return {
    send,
    hold: () => {
      isHeld = true;
    },
    /** Waits until the text has arrived, and lets go of everything. */
    release: async (text: string, count = 1) => {
      await until(() => Buffer.concat(parts).toString().split(text).length > count);
      isHeld = false;
      letGo();
    },
  };
}
