// Excerpts of texts around a word that a search found. Which words a text has is decided by `search_words` in the database; this file
// only finds a word again in a text that has it.

import { setImmediate as eventLoopTurn } from "node:timers/promises";

/** The characters of an excerpt, and of these before the word. */
const EXCERPT_LENGTH = 160;
const BEFORE_WORD = 40;

/** Letters that Unicode does not decompose, as `search_words` replaces them. */
const REPLACED: Readonly<Record<string, string>> = {
  ı: "i",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  ħ: "h",
  ŧ: "t",
  ς: "σ",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  þ: "th",
};
const replacedLetters = new RegExp(`[${Object.keys(REPLACED).join("")}]`, "g");

/** Letters of scripts that are written without blanks: each is a word by itself. */
const SINGLE =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3005-\\u3007\\u30fc-\\u30ff\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Extended_Pictographic}]";
const wordExpression = new RegExp(`${SINGLE}|(?:(?!${SINGLE})[\\p{L}\\p{N}\\p{M}\\p{Cf}])+`, "gu");
const singleExpression = new RegExp(SINGLE, "u");
/** Accents and invisible characters. */
const IGNORED = /[\p{Mn}\p{Cf}]/gu;
const ASCII = /^[\0-\x7f]*$/;

/** A word without case and accents. The vowels of scripts whose letters are single words are letters, too. */
function folded(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  if (singleExpression.test(word)) return word.normalize("NFKC");
  const plain = word.toLowerCase().normalize("NFKD").replace(IGNORED, "").normalize("NFC");
  return plain.replace(replacedLetters, (letter) => REPLACED[letter] ?? letter);
}

/** The position at which the first word of a text stands that begins with one of `starts`; 0 if none is found. */
function positionOf(text: string, starts: readonly string[]): number {
  // Most words of a long text occur in it many times, and folding is what takes long.
  const known = new Set<string>();
  for (const { 0: word, index } of text.matchAll(wordExpression)) {
    if (known.has(word)) continue;
    const plain = folded(word);
    if (starts.some((start) => plain.startsWith(start))) return index;
    known.add(word);
  }
  return 0;
}

/** Up to 160 characters of a text around the first word that begins with one of `starts`, as written. */
function excerptOf(text: string, starts: readonly string[]): string {
  const characters = [...text];
  const at = [...text.slice(0, positionOf(text, starts))].length;
  const start = Math.max(0, Math.min(at - BEFORE_WORD, characters.length - EXCERPT_LENGTH));
  return characters
    .slice(start, start + EXCERPT_LENGTH)
    .join("")
    .trim();
}

/**
 * Up to 160 characters of each text around the first word of a query that it has, as written; null for no text. Other calls run between
 * two texts: a page of results can have 5 MB of them.
 */
export async function excerptsOf(texts: readonly (string | null)[], query: string): Promise<(string | null)[]> {
  const starts = (query.normalize("NFC").match(wordExpression) ?? []).map(folded);
  const excerpts: (string | null)[] = [];
  for (const text of texts) {
    excerpts.push(text === null ? null : excerptOf(text, starts));
    if (text !== null) await eventLoopTurn();
  }
  return excerpts;
}
