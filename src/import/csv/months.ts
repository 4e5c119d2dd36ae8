// The names and short names of months in the languages of other tools.

const LANGUAGES = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru"];
/** In use, but not in every version of the language data. */
const OTHER_NAMES: Record<string, number> = { sep: 9, sept: 9, mrz: 3 };
const LENGTHS = ["long", "short"] as const;

const keyOf = (name: string) => name.normalize("NFKD").replace(/\p{M}/gu, "").replace(/\.$/, "").toLowerCase();

/** Some languages inflect the name next to a day. */
const formatsOf = (language: string) =>
  LENGTHS.flatMap((month) =>
    [{ month }, { month, day: "numeric" as const }].map(
      (fields) => new Intl.DateTimeFormat(language, { ...fields, timeZone: "UTC" }),
    ),
  );

function readMonths(): Map<string, number> {
  const months = new Map(Object.entries(OTHER_NAMES));
  for (const format of LANGUAGES.flatMap(formatsOf)) {
    for (let month = 1; month <= 12; month += 1) {
      const parts = format.formatToParts(Date.UTC(2027, month - 1, 1));
      for (const { type, value } of parts) if (type === "month") months.set(keyOf(value), month);
    }
  }
  return months;
}

let months: Map<string, number> | undefined;

/** The number of the month with a name, in any of the languages and any case; null for any other word. */
export function monthNamed(name = ""): number | null {
  months ??= readMonths();
  return months.get(keyOf(name)) ?? null;
}
