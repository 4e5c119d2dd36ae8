// Reads a file that is to be imported: its text, and which kind of file it is.

import { importTexts } from "../texts/importTexts.js";
import type { Encoding } from "./encodings.js";
import { jsonMistake } from "./jsonMistake.js";

/** A file of a table, or of a board with what it holds. */
export type ImportFile =
  | { kind: "csv"; name: string; bytes: ArrayBuffer; encoding: Encoding }
  | { kind: "board" | "trello"; name: string; content: object };

/** The most that the service reads. */
const BYTES_MAX = 60 * 1024 * 1024;

/** UTF-8 or UTF-16 by its mark, else UTF-8 if it is that, else what its letters and the languages of the browser suggest. */
async function encodingOf(bytes: ArrayBuffer): Promise<Encoding> {
  const [first, second] = new Uint8Array(bytes);
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return "utf-8";
  } catch {
    // Another encoding.
  }
  const { guessedEncoding } = await import("./encodings.js");
  return guessedEncoding(new Uint8Array(bytes), navigator.languages);
}

/** The text of a file. */
export const textOf = (bytes: ArrayBuffer, encoding: Encoding) => new TextDecoder(encoding).decode(bytes);

/** The position after blanks and lines of comments. */
function afterComments(text: string): number {
  const comment = /\s*(?:(?:\/\/|#)[^\n]*|\/\*[\s\S]*?\*\/)|\s+/y;
  let position = 0;
  while (comment.test(text)) position = comment.lastIndex;
  return position;
}

/**
 * Reads a file of JSON. A table, whose first cell may begin with a bracket, gives undefined.
 * @throws Error that names the line and the column of a mistake.
 */
function parsed(name: string, text: string): unknown {
  const start = afterComments(text);
  const json = text.slice(start);
  if (!/^[{[]/.test(json)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    if (!/\.json$/i.test(name) && !/^\{\s*"/.test(json)) return undefined;
    const lines = text.slice(0, start + jsonMistake(json)).split("\n");
    throw new Error(importTexts.noJsonAt(lines.length, (lines.at(-1)?.length ?? 0) + 1));
  }
}

/** The products that boards are exported from as other JSON, with what tells it apart. */
const OTHER_PRODUCTS: Record<string, (content: object) => boolean> = {
  Wekan: (content) => "_format" in content && String(content._format).startsWith("wekan"),
  Planka: (content) => "item" in content && "included" in content,
};

/** @throws Error with a sentence for the person, if the content is not a board that can be imported. */
function boardOf(name: string, content: unknown): ImportFile {
  if (typeof content !== "object" || content === null) throw new Error(importTexts.noBoard);
  const product = Object.entries(OTHER_PRODUCTS).find(([, isOfProduct]) => isOfProduct(content))?.[0];
  if (product !== undefined) throw new Error(importTexts.notYet(product));
  if ("format" in content) return { kind: "board", name, content };
  if ("lists" in content && "cards" in content) return { kind: "trello", name, content };
  throw new Error(importTexts.noBoard);
}

/** @throws Error with a sentence for the person, if the file cannot be imported. */
export async function readFile(file: File): Promise<ImportFile> {
  if (file.size > BYTES_MAX) throw new Error(importTexts.tooLarge);
  const bytes = await file.arrayBuffer();
  const encoding = await encodingOf(bytes);
  const { name } = file;
  const content = parsed(name, textOf(bytes, encoding));
  return content === undefined ? { kind: "csv", name, bytes, encoding } : boardOf(name, content);
}
