// Reads a file that is to be imported: its text, and which kind of file it is.

import { texts } from "../texts/later.js";
import { jsonMistake } from "./jsonMistake.js";

/** A file of a table, or of a board with what it holds. */
export type ImportFile =
  | { kind: "csv"; name: string; text: string }
  | { kind: "board" | "trello"; name: string; content: object };

/** The most that the service reads. */
const BYTES_MAX = 60 * 1024 * 1024;

/** UTF-8 or UTF-16 by its mark, else UTF-8 if it is that, else the code page of western Windows, in which spreadsheets save. */
function textOf(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Reads JSON. @throws Error that names the line and the column of the mistake. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const lines = text.slice(0, jsonMistake(text)).split("\n");
    throw new Error(texts.imports.noJsonAt(lines.length, (lines.at(-1)?.length ?? 0) + 1));
  }
}

/** @throws Error with a sentence for the person, if the file cannot be imported. */
export async function readFile(file: File): Promise<ImportFile> {
  if (file.size > BYTES_MAX) throw new Error(texts.imports.tooLarge);
  const text = textOf(await file.arrayBuffer());
  const { name } = file;
  if (!/^\s*[{[]/.test(text)) return { kind: "csv", name, text };
  const content = parsed(text);
  if (typeof content !== "object" || content === null || Array.isArray(content)) throw new Error(texts.imports.noBoard);
  return { kind: "format" in content ? "board" : "trello", name, content };
}
