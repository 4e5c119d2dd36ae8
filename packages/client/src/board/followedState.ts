import type { Refused } from "./queue.js";
import type { BoardState } from "./state.js";

/** The state of a followed board, for a page. */
export interface FollowedState {
  /** `loading`: until it was live once. `ended`: the board is gone, or the caller has no access any more, or no session; `error` says why. */
  readonly status: "loading" | "live" | "reconnecting" | "ended";
  /** Null until the board was read. */
  readonly board: BoardState | null;
  /** The number of changes that the service has not answered, with those of tabs that seem to be gone. */
  readonly waiting: number;
  readonly refused: readonly Refused[];
  /** Why the board has ended, or why it could not be read so far; otherwise null. */
  readonly error: unknown;
}
