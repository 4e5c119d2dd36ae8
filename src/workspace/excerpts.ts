// Excerpts of texts around a word that a search found. Which words a text has is decided by `search_words` in the database; this file
// only finds a word again in a text that has it.

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

/** Letters of scripts that are written without blanks: each is a word by itself. */
const SINGLE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3005-\u3007\u30fc-\u30ff\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}]/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
/** Accents and invisible characters. */
const IGNORED = /[\p{Mn}\p{Cf}]/gu;

/** A character without case and accents. The vowels of scripts whose letters are single words are letters, too. */
function folded(character: string): string {
  if (SINGLE.test(character)) return character.normalize("NFKC");
  const plain = character.toLowerCase().normalize("NFKD").replace(IGNORED, "").normalize("NFC");
  return REPLACED[plain] ?? plain;
}

/** The words of a query, folded. */
export function wordsOf(query: string): string[] {
  const words: string[] = [];
  let word = "";
  const end = () => {
    if (word !== "") words.push(word);
    word = "";
  };
  for (const character of query.normalize("NFC")) {
    const plain = folded(character);
    if (SINGLE.test(character)) {
      end();
      words.push(plain);
    } else if (LETTER.test(character)) word += plain;
    else end();
  }
  end();
  return words;
}

/** The position of the first character at which a word of the query begins; 0 if none is found. */
function positionOf(characters: readonly string[], words: readonly string[]): number {
  const plain = characters.map(folded);
  let isInWord = false;
  for (const [at, character] of characters.entries()) {
    const isSingle = SINGLE.test(character);
    const begins = isSingle || (!isInWord && LETTER.test(character));
    isInWord = !isSingle && LETTER.test(character);
    if (!begins) continue;
    const following = plain.slice(at, at + EXCERPT_LENGTH).join("");
    if (words.some((word) => following.startsWith(word))) return at;
  }
  return 0;
}

/** Up to 160 characters of a text around the first word of a query that it has, as written. */
export function excerptOf(text: string, query: string): string {
  const characters = [...text];
  const at = positionOf(characters, wordsOf(query));
  const start = Math.max(0, Math.min(at - BEFORE_WORD, characters.length - EXCERPT_LENGTH));
  return characters
    .slice(start, start + EXCERPT_LENGTH)
    .join("")
    .trim();
}
