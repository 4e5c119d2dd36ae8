// Why an import failed, with the place in the file.

import { WorkBoardError } from "work-board-client";
import { failureOf } from "../client.js";
import { importTexts } from "../texts/importTexts.js";
import { PartFailure } from "./runCsv.js";

/** The failure in a sentence that names the row and the column, or the place in a board's file. */
export function reasonOf(error: unknown, columnNames: readonly string[] = []): string {
  const text = importTexts;
  const { failure, offset } = error instanceof PartFailure ? error : { failure: error, offset: 0 };
  if (!(failure instanceof WorkBoardError)) return failure instanceof Error ? failure.message : failureOf(failure).text;
  const [issue] = failure.issues;
  if (issue === undefined) return failureOf(failure).text;
  const [root, ...path] = issue.path;
  const [row, column] = path.map(Number);
  if (root === "rows" && row !== undefined) {
    return text.atRow(row + offset + 1, column === undefined ? null : (columnNames[column] ?? null), issue.message);
  }
  if (root === "board" && path.length > 0) return text.atPlace(placeOf(path), issue.message);
  return issue.message;
}

/** A path as one writes it: `cards[3].title`. */
const placeOf = (path: readonly (string | number)[]) =>
  path.reduce<string>(
    (place, part) => (typeof part === "number" ? `${place}[${part}]` : place === "" ? part : `${place}.${part}`),
    "",
  );
