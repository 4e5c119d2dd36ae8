import type { FollowedBoard } from "work-board-client/board";
import { peopleIn } from "../people.js";
import type { Change } from "./inverse.js";

/** Makes a change, with the people whom it assigns. */
export function send(followed: FollowedBoard, ...[path, input, options]: Parameters<Change>) {
  const { board } = followed.state();
  const people = board === null ? undefined : peopleIn(board, path, input);
  return followed.change(path, input, { ...options, ...(people && { people }) });
}
