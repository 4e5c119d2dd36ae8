// Fields in which each line is one new thing.

import { CHANGES_MAX, type FollowedBoard } from "work-board-client/board";

export const linesOf = (text: string, lengthMax: number): string[] =>
  text
    .split("\n")
    .map((line) => [...line.trim()].slice(0, lengthMax).join(""))
    .filter((line) => line !== "");

/** Makes a change of each line of a field, as many as may wait. Returns whether the field has lines left. */
export function takeLines(
  field: HTMLTextAreaElement,
  followed: FollowedBoard,
  lengthMax: number,
  make: (line: string) => void,
): boolean {
  const lines = linesOf(field.value, lengthMax);
  const room = CHANGES_MAX - followed.state().waiting;
  // Emptied here and not by rendering, so that no letter typed meanwhile is lost.
  field.value = lines.slice(room).join("\n");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  for (const line of lines.slice(0, room)) make(line);
  return lines.length > room;
}
