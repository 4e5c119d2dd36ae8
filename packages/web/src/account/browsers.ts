// The names of browsers and systems in what browsers say of themselves. On iOS each has a name of its own, and calls itself Safari.

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg(?:A|iOS)?\//, "Edge"],
  [/OP(?:R|T)\//, "Opera"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrom(?:e|ium)\/|CriOS\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** The browser and system of a session, or what a client called itself; null if it said nothing. */
export function browserIn(userAgent: string | null): string | null {
  if (userAgent === null) return null;
  const nameIn = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  return [nameIn(BROWSERS), nameIn(SYSTEMS)].filter((name) => name !== undefined).join(" · ") || userAgent;
}
