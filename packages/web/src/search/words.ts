// The words of a query, matched as the service matches them: each is the beginning of a word, whatever its case and accents.

import { folded } from "../parts/folded.js";

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

export const wordsOf = (text: string): string[] => [...folded(text).matchAll(WORD)].map(([word]) => word);

/** Whether a text has a word for each of those that are looked for. */
export function hasWords(text: string, wanted: readonly string[]): boolean {
  const words = wordsOf(text);
  return wanted.every((one) => words.some((word) => word.startsWith(one)));
}

/** A text in parts, of which every second one begins as a word that is looked for. */
export function partsOf(text: string, wanted: readonly string[]): string[] {
  const parts: string[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const length = Math.max(0, ...wanted.filter((one) => folded(word).startsWith(one)).map((one) => one.length));
    if (length === 0) continue;
    parts.push(text.slice(end, index), word.slice(0, length));
    end = index + length;
  }
  return [...parts, text.slice(end)];
}

/** The number of a card, quoted as `WB-12`; null for anything else. */
export function quotedCard(text: string): { prefix: string; number: number } | null {
  const [, prefix, digits] = /^([a-z0-9]{1,10})-(\d{1,9})$/i.exec(text.trim()) ?? [];
  return prefix === undefined ? null : { prefix: prefix.toUpperCase(), number: Number(digits) };
}
