import type { FollowedBoard } from "work-board-client/board";

export type Change = FollowedBoard["change"];

/** The way to take a change back. */
export interface Inverse {
  /** Describes the change. */
  text: string;
  /** The same for changes that are taken back as one. */
  subject?: string;
  run(change: Change): void;
}
