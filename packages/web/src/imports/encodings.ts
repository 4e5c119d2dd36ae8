// Guesses the encoding of a text that is not UTF-8: the one in which its letters are those of a language. Loaded when it is needed.

import type { imports } from "../texts/enImports.js";

/** The encodings of texts, by the labels that browsers know. */
export type Encoding = keyof typeof imports.encodings;

interface Language {
  /** The encodings in which programs write the language, the usual one first. */
  encodings: readonly Encoding[];
  /** Its letters beyond ASCII in lower case. */
  letters: string;
  /** `dense`: the letters are ranked by frequency and make whole words. `sparse`: they stand among Latin letters. */
  kind: "sparse" | "dense" | "eastAsian";
}

const sparse = (letters: string, ...encodings: Encoding[]): Language => ({ encodings, letters, kind: "sparse" });
const dense = (letters: string, ...encodings: Encoding[]): Language => ({ encodings, letters, kind: "dense" });

/** The characters of an encoding whose first byte is in a range; most character sets have the common ones there. */
function charactersFrom(encoding: Encoding, [first, last]: readonly [number, number], firstTrail: number): string[] {
  const bytes: number[] = [];
  for (let lead = first; lead <= last; lead += 1) {
    for (let trail = firstTrail; trail <= 0xfe; trail += 1) bytes.push(lead, trail, 0x0a);
  }
  const pairs = new TextDecoder(encoding).decode(Uint8Array.from(bytes)).split("\n");
  return pairs.filter((pair) => pair.length === 1 && pair !== "\uFFFD");
}

const FULL_WIDTH = "、。「」『』・ー（），：；！？～《》【】";
const KANA = Array.from({ length: 0x5e }, (_, index) => String.fromCharCode(0x3041 + index, 0x30a1 + index)).join("");

const eastAsian = (
  encodings: readonly [Encoding, ...Encoding[]],
  leads: readonly [number, number],
  firstTrail: number,
) => {
  const common = charactersFrom(encodings[0], leads, firstTrail).join("");
  return { encodings, letters: FULL_WIDTH + common, kind: "eastAsian" } as const;
};

const japanese = () => {
  const language = eastAsian(["shift_jis", "euc-jp"], [0x88, 0x97], 0x40);
  return { ...language, letters: KANA + language.letters };
};

/** By the tags of languages as browsers name them. Of languages that score alike, the first counts. */
const languages = (): Record<string, Language> => ({
  de: sparse("äöüß", "windows-1252", "macintosh"),
  fr: sparse("àâæçéèêëîïôœùûüÿ", "windows-1252", "macintosh"),
  es: sparse("áéíñóúü¿¡ºª", "windows-1252", "macintosh"),
  pt: sparse("áâãàçéêíóôõúºª", "windows-1252", "macintosh"),
  it: sparse("àèéìíîòóùú", "windows-1252", "macintosh"),
  nl: sparse("éëïöüóèá", "windows-1252", "macintosh"),
  da: sparse("æøåéòóèô", "windows-1252", "macintosh"),
  sv: sparse("åäöé", "windows-1252", "macintosh"),
  is: sparse("áðéíóúýþæö", "windows-1252"),
  pl: sparse("ąćęłńóśźż", "windows-1250", "iso-8859-2"),
  cs: sparse("áčďéěíňóřšťúůýž", "windows-1250", "iso-8859-2"),
  sk: sparse("áäčďéíĺľňóôŕšťúýž", "windows-1250", "iso-8859-2"),
  hu: sparse("áéíóöőúüű", "windows-1250", "iso-8859-2"),
  hr: sparse("čćđšž", "windows-1250", "iso-8859-2"),
  ro: sparse("ăâîşţ", "windows-1250", "iso-8859-2"),
  tr: sparse("çğıöşüâîİ", "windows-1254"),
  lt: sparse("ąčęėįšųūž", "windows-1257"),
  lv: sparse("āčēģīķļņšūž", "windows-1257"),
  et: sparse("äöõüšž", "windows-1257"),
  vi: sparse("ăâđêôơưàèéìòóùáíúý\u0300\u0301\u0303\u0309\u0323", "windows-1258"),
  ru: dense("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", "windows-1251", "koi8-r", "ibm866"),
  uk: dense("оаинвтіреслкдумпзяьбгйчхжцїєющшфґ", "windows-1251"),
  sr: dense("аоиенртсвјкупмлдзгбчшхжњљцћфђџ", "windows-1251"),
  el: dense("αοιετσνηυρπκμλςίόάέωγδήχθύφβξώζψϊϋ", "windows-1253"),
  he: dense("יוהלארמתבשנעםדקחפצגטןךסזףכץ", "windows-1255"),
  ar: dense("اليمنترهبودعسفكقحةأجشصطخىزئذضإءثظغؤآپچژگکی", "windows-1256"),
  th: dense("านรอกเงมยลวดทสต่้ปิ์คบหใีแัจพชขะไำุู็ึโศธถืฟซญณภษฐฉฮฏฎฆฌฑฒๆฯ", "windows-874"),
  ja: japanese(),
  ko: eastAsian(["euc-kr"], [0xb0, 0xc8], 0xa1),
  "zh-TW": eastAsian(["big5"], [0xa4, 0xc6], 0x40),
  zh: eastAsian(["gb18030"], [0xb0, 0xd7], 0xa1),
});

/** Signs that texts of every language have. */
const TYPOGRAPHY = new Set("“”„‘’‚–—…•€«»°§·№©®™\u00a0");
const isLatin = (text: string | undefined) => text !== undefined && /[a-z]/i.test(text);
const isBeyondAscii = (text: string | undefined) => text !== undefined && text > "\u0080" && /\p{L}/u.test(text);
/** Typographic signs neither confirm nor refute a language. */
const NEUTRAL = 0.5;
const UNEXPECTED = -0.5;
/** Bytes of Korean are common Chinese characters in other encodings, so that these are the weaker sign. */
const CHINESE = 0.9;
/** The advantage of a language of the browser. */
const PREFERENCE = 0.1;

function weightOf(sign: string, rank: number, { kind }: Language): number {
  if (kind === "eastAsian") return /\p{Script=Han}/u.test(sign) ? CHINESE : 1;
  if (kind === "sparse" || rank < 10) return 1;
  return rank < 20 ? 0.7 : 0.3;
}

/** The likeliness, up to 1, that a text is of a language. */
function likeliness(text: string, language: Language, ranks: ReadonlyMap<string, number>): number {
  let sum = 0;
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index] ?? "";
    if (sign <= "\u007f") continue;
    count += 1;
    const lower = sign.toLowerCase();
    const rank = ranks.get(lower) ?? ranks.get(sign);
    if (rank === undefined) {
      sum += TYPOGRAPHY.has(sign) ? NEUTRAL : UNEXPECTED;
      continue;
    }
    const [before, after] = [text[index - 1], text[index + 1]];
    const isLateCapital = lower !== sign && before !== undefined && before !== before.toUpperCase();
    const isRun = language.kind === "sparse" && isBeyondAscii(before) && isBeyondAscii(after);
    const isMixed = language.kind === "dense" && (isLatin(before) || isLatin(after));
    if (!isLateCapital && !isRun && !isMixed) sum += weightOf(sign, rank, language) * (lower === sign ? 1 : 0.9);
  }
  return count === 0 ? 0 : sum / count;
}

const SAMPLE_BYTES = 32 * 1024;

/** The text from the line with the first byte beyond ASCII on. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = Math.max(
    0,
    bytes.findIndex((byte) => byte > 0x7f),
  );
  const start = bytes.lastIndexOf(0x0a, first) + 1;
  return bytes.subarray(start, start + SAMPLE_BYTES);
}

/** The text of a sample, whose last character may be cut; null if it is no text in that encoding. */
function decoded(sample: Uint8Array, encoding: Encoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: true });
  } catch {
    return null;
  }
}

/** UTF-16 without its mark: of each two bytes one is often zero, and the other never is. */
function utf16Of(sample: Uint8Array): Encoding | null {
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (Math.max(even, odd) < sample.length / 50 || Math.min(even, odd) > Math.max(even, odd) / 10) return null;
  return even > odd ? "utf-16be" : "utf-16le";
}

/** UTF-8 with few mistakes is UTF-8: the service then says on which line it is broken. */
function isBrokenUtf8(sample: Uint8Array): boolean {
  const signs = [...new TextDecoder().decode(sample)].filter((sign) => sign > "\u007f");
  return signs.filter((sign) => sign === "\uFFFD").length <= signs.length / 10;
}

/** The likeliest encoding of a text that is not UTF-8, by its letters and the languages of the browser. */
export function guessedEncoding(bytes: Uint8Array, preferred: readonly string[]): Encoding {
  const utf16 = utf16Of(bytes.subarray(0, SAMPLE_BYTES));
  if (utf16 !== null) return utf16;
  const sample = sampleOf(bytes);
  if (isBrokenUtf8(sample)) return "utf-8";
  let best: { encoding: Encoding; score: number } = { encoding: "windows-1252", score: Number.NEGATIVE_INFINITY };
  for (const [tag, language] of Object.entries(languages())) {
    const ranks = new Map([...language.letters].map((letter, rank) => [letter, rank]));
    const isPreferred = preferred.some((one) => one === tag || one.startsWith(`${tag}-`));
    for (const encoding of language.encodings) {
      const text = decoded(sample, encoding);
      if (text === null) continue;
      const score = likeliness(text, language, ranks) + (isPreferred ? PREFERENCE : 0);
      if (score > best.score) best = { encoding, score };
    }
  }
  return best.encoding;
}
