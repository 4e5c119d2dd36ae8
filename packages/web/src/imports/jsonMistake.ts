const TOKEN =
  /[ \t\n\r]*(?:(?<mark>[{}[\],:])|(?<text>"[^"\\\n\r\t]*(?:\\(?:["\\/bfnrt]|u[\da-f]{4})[^"\\\n\r\t]*)*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)/iy;

type Opened = "{" | "[";
const CLOSING = { "{": "}", "[": "]" } as const;

/** The place at which a text stops being JSON, in characters from its beginning; browsers do not always say. */
export function jsonMistake(text: string): number {
  const open: Opened[] = [];
  let expected: "value" | "value or ]" | "key" | "key or }" | ":" | "end" = "value";
  const token = new RegExp(TOKEN);
  for (;;) {
    const at = token.lastIndex;
    const found = token.exec(text);
    const mistake = at + (/[ \t\n\r]*/y.exec(text.slice(at, at + 1000))?.[0].length ?? 0);
    if (found === null) return mistake;
    const { mark, text: string } = found.groups ?? {};
    const inner = open.at(-1);
    if (expected === ":") {
      if (mark !== ":") return mistake;
      expected = "value";
    } else if (inner !== undefined && mark === CLOSING[inner] && expected !== "value" && expected !== "key") {
      open.pop();
      expected = "end";
    } else if (expected === "end") {
      if (mark !== "," || inner === undefined) return mistake;
      expected = inner === "{" ? "key" : "value";
    } else if (expected === "key" || expected === "key or }") {
      if (string === undefined) return mistake;
      expected = ":";
    } else if (mark === "{" || mark === "[") {
      open.push(mark);
      expected = mark === "{" ? "key or }" : "value or ]";
    } else if (mark !== undefined) {
      return mistake;
    } else {
      expected = "end";
    }
  }
}
