// The changes that a person makes on a board. Each is told, and can be taken back if it is of a kind that can be.

import { announce } from "../../parts/announce.js";
import type { OpenBoard } from "../openBoard.js";
import type { Change } from "./inverse.js";
import { send } from "./sending.js";

/** Makes a change that can be taken back. A screen reader says the sentence, or else what was changed if that can be taken back. */
export function changeWithUndo(open: OpenBoard, change: Parameters<Change>, sentence?: string): void {
  const { board: before } = open.followed.state();
  const answer = send(open.followed, ...change);
  // A change that is refused is reported by the board itself.
  answer.catch(() => {});
  void import("./history.js").then(
    ({ note }) => note(open, { before, change, answer, sentence }),
    () => sentence !== undefined && announce(sentence),
  );
}
