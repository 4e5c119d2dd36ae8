// The boards that this page follows. The last few stay, so that a board that one comes back to is there at once.

import { type FollowedBoard, type FollowedState, followBoard, indexedDb } from "work-board-client/board";
import { client, failureOf } from "../client.js";

/** Unsent changes survive a reload. */
const storage = indexedDb();
const KEPT = 4;
/** Least recently used first. */
const boards = new Map<string, FollowedBoard>();

/** Whether a board stands still because the session of the page has ended. */
export const isSignedOut = ({ status, error }: FollowedState): boolean =>
  status === "ended" && failureOf(error).code === "UNAUTHORIZED";

/** The replica of a board. */
export function followed(boardPublicId: string): FollowedBoard {
  const known = boards.get(boardPublicId);
  const isUsable = known !== undefined && (known.state().status !== "ended" || isSignedOut(known.state()));
  // The next one takes over the changes that the storage has of it.
  if (!isUsable) known?.close();
  const usable = isUsable ? known : followBoard(client, boardPublicId, { storage, shared: true });
  boards.delete(boardPublicId);
  boards.set(boardPublicId, usable);
  for (const [publicId, board] of boards) {
    if (boards.size <= KEPT) break;
    // A board with unsent changes stays, and so does the one that was asked for.
    if (board === usable || board.state().waiting > 0) continue;
    boards.delete(publicId);
    board.close();
  }
  return usable;
}

/** The addresses of boards, and of cards over their boards. */
export const BOARD_ROUTE = /^\/(?<kind>boards|cards)\/(?<publicId>[^/]+)$/;

/** The page waits so long for its board before it shows a skeleton. */
const SOON_MS = 50;

/** Begins to follow the board of an address, if it is one. Resolves once the board was read, has ended, or takes longer than a moment. */
export function preloadBoard(address: string): Promise<void> {
  const [, kind, publicId = ""] = BOARD_ROUTE.exec(address) ?? [];
  if (kind !== "boards") return Promise.resolve();
  const board = followed(publicId);
  return new Promise((resolve) => {
    const isReadOrEnded = ({ board: read, status }: FollowedState) => read !== null || status === "ended";
    const stop = board.subscribe(() => isReadOrEnded(board.state()) && end());
    const timer = setTimeout(end, SOON_MS);
    function end() {
      clearTimeout(timer);
      stop();
      resolve();
    }
  });
}

/** The followed board that has a card. */
export function boardIdWithCard(cardPublicId: string): string | undefined {
  for (const [boardPublicId, board] of boards) if (board.state().board?.cards[cardPublicId]) return boardPublicId;
  return undefined;
}

/** The followed board at an address: a board, or a card over it. */
export function followedBoardAt(address: string): FollowedBoard | undefined {
  const [, kind, publicId = ""] = BOARD_ROUTE.exec(address) ?? [];
  return boards.get(kind === "cards" ? (boardIdWithCard(publicId) ?? "") : publicId);
}

/** Whether changes wait to be sent. */
export const isWaiting = (): boolean => [...boards.values()].some((board) => board.state().waiting > 0);

/** Resumes all boards once their person has signed in again. */
export function resumeAll(): void {
  for (const board of boards.values()) board.resume();
}

/** Closes all boards when the account changes. */
export function closeAll(): void {
  for (const board of boards.values()) board.close();
  boards.clear();
}
