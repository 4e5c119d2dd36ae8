// Guarantees of guessing the encoding of a text: by its letters, and where they leave a choice, by the language of the browser.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Encoding, guessedEncoding } from "../../packages/web/src/imports/encodings.js";

/** The bytes of each character in an encoding, which only decoders know. */
function bytesBy(encoding: Encoding): Map<string, number[]> {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map<string, number[]>();
  for (let lead = 0xff; lead >= 0; lead -= 1) {
    const single = decoder.decode(Uint8Array.of(lead));
    if (single.length === 1 && single !== "\uFFFD") bytes.set(single, [lead]);
    for (let trail = 0xff; lead > 0x80 && trail >= 0x40; trail -= 1) {
      const pair = decoder.decode(Uint8Array.of(lead, trail));
      if (pair.length === 1 && pair !== "\uFFFD") bytes.set(pair, [lead, trail]);
    }
  }
  return bytes;
}

function encoded(text: string, encoding: Encoding): Uint8Array {
  if (encoding === "utf-16le") return Uint8Array.from(Buffer.from(text, "utf16le"));
  if (encoding === "utf-16be") return Uint8Array.from(Buffer.from(text, "utf16le").swap16());
  const bytes = bytesBy(encoding);
  return Uint8Array.from(
    [...text].flatMap((sign) => {
      const known = bytes.get(sign);
      if (known === undefined) throw new Error(`${encoding} has no ${sign}`);
      return known;
    }),
  );
}

const TABLES: Record<string, [string, Encoding[]]> = {
  German: ["Titel;Fällig am\r\nBüro räumen;für später\r\nGröße prüfen;\r\n", ["windows-1252", "macintosh"]],
  French: ["Titre;État\r\nRéviser le café;À faire\r\nçà et là;Terminé\r\n", ["windows-1252", "macintosh"]],
  Spanish: ["Título;Descripción\r\nRevisar el año;¿Cuándo?\r\n", ["windows-1252", "macintosh"]],
  Danish: ["Navn;Frist\r\nKøb rødgrød på øen;Ærø\r\n", ["windows-1252"]],
  Polish: ["Tytuł;Opis\r\nZażółć gęślą jaźń;Łódź, część\r\n", ["windows-1250", "iso-8859-2"]],
  Czech: ["Název;Stav\r\nPříliš žluťoučký kůň;Úpěl ďábelské ódy\r\n", ["windows-1250", "iso-8859-2"]],
  Hungarian: ["Cím;Határidő\r\nÁrvíztűrő tükörfúrógép;kész\r\n", ["windows-1250"]],
  Turkish: ["Başlık;Açıklama\r\nİşi bitir;Görüşme günü ığdır\r\n", ["windows-1254"]],
  Lithuanian: ["Pavadinimas;Būsena\r\nĄžuolų šešėlį ėmė žiūrėti;\r\n", ["windows-1257"]],
  Russian: ["Название;Список;Срок\r\nИсправить вход;Работа;15.01.2027\r\n", ["windows-1251", "koi8-r", "ibm866"]],
  "Russian in capitals": ["НАЗВАНИЕ;СТАТУС\r\nИСПРАВИТЬ ВХОД;СДЕЛАНО\r\n", ["windows-1251", "koi8-r"]],
  Ukrainian: ["Назва;Термін\r\nВиправити помилку входу;Готово\r\nЇжак;\r\n", ["windows-1251"]],
  Greek: ["Τίτλος;Περιγραφή\r\nΔιόρθωση σύνδεσης;Εκκρεμεί η εργασία\r\n", ["windows-1253"]],
  Hebrew: ["כותרת;תיאור\r\nלתקן את הכניסה;בעבודה עכשיו\r\n", ["windows-1255"]],
  Arabic: ["العنوان;الوصف\r\nإصلاح تسجيل الدخول;قيد التنفيذ الآن\r\n", ["windows-1256"]],
  Thai: ["ชื่อ;รายละเอียด\r\nแก้ไขการเข้าสู่ระบบ;กำลังทำ\r\n", ["windows-874"]],
  Japanese: ["タイトル,リスト,期限\r\nログイン画面を直す,作業中,2027/01/15\r\n", ["shift_jis", "euc-jp"]],
  Korean: ["제목,목록,기한\r\n로그인 화면 수정,진행 중,2027-01-15\r\n", ["euc-kr"]],
  "simplified Chinese": ["标题,列表,截止日期\r\n修复登录页面,进行中,2027-01-15\r\n", ["gb18030"]],
  "traditional Chinese": ["標題,列表,截止日期\r\n修復登入頁面,進行中,2027-01-15\r\n", ["big5"]],
};

describe("the encoding of a table", () => {
  test.each(
    Object.entries(TABLES).flatMap(([language, [text, encodings]]) =>
      [...encodings, "utf-16le" as const, "utf-16be" as const].map((encoding) => [language, encoding, text] as const),
    ),
  )("of %s in %s is found in an English browser", (_, encoding, text) => {
    expect(guessedEncoding(encoded(text, encoding), ["en-GB", "en"])).toBe(encoding);
  });

  test.each([
    ["sjis.csv", "shift_jis", "タイトル,リスト,期限"],
    ["cp1251.csv", "windows-1251", "Название;Список;Срок"],
  ])("of the sample %s is found", (name, encoding, header) => {
    const bytes = readFileSync(new URL(`../files/${name}`, import.meta.url));
    expect(guessedEncoding(bytes, ["en"])).toBe(encoding);
    expect(new TextDecoder(encoding).decode(bytes)).toMatch(new RegExp(`^${header}`));
  });

  test.each([
    ["cs-CZ", "windows-1250"],
    ["en-US", "windows-1252"],
  ])("follows the browser in %s where the letters leave a choice", (language, encoding) => {
    expect(guessedEncoding(encoded("Název;Úkol\r\nnápad\r\n", "windows-1250"), [language, "en"])).toBe(encoding);
  });

  test("is decided by the lines with other letters than those of English, however late they come", () => {
    const text = `Title;Note\r\n${"Only ASCII here;x\r\n".repeat(5000)}Исправить вход;Работа\r\n`;
    expect(guessedEncoding(encoded(text, "windows-1251"), ["en"])).toBe("windows-1251");
  });

  test("is UTF-8 where few bytes are broken", () => {
    const bytes = Uint8Array.from([...Buffer.from("Größe;Straße;é;ü;ä;ö;é;ü;ä;ö;é\r\n"), 0xe9, 0x0a]);
    expect(guessedEncoding(bytes, ["en"])).toBe("utf-8");
  });

  test("is found for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => new TextDecoder(guessedEncoding(bytes, ["en"])).decode(bytes)).not.toThrow();
      }),
      { numRuns: 50 },
    );
  });
});
