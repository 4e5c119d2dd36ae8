// Reads the items in a checklist cell (contract, "4.2 columns").

/** An item of a checklist, in its place. */
export interface PlannedItem {
  title: string;
  completed: boolean;
}

const BLANK = String.raw`[^\S\r\n]`;

/** An item in double quotes up to its separator. Groups: the checkbox, the text. */
const quotedItem = (end: string) =>
  new RegExp(
    String.raw`${BLANK}*(?:[-*]${BLANK}+)?(?:\[([ xX])\]${BLANK}*)?"([^"]*(?:""[^"]*)*)"${BLANK}*(?:${end}|$)`,
    "y",
  );

const LINES = { quoted: quotedItem(String.raw`\r\n?|\n`), plain: /([^\r\n]*)(?:\r\n?|\n|$)/y };
const PARTS = { quoted: quotedItem(";"), plain: /([^;]*)(?:;|$)/y };

// `[x](…)` and `[x][…]` are Markdown links, not checked boxes.
const markerExpression = /^(?:[-*](?:\s+|$))?(?:\[([ xX])\](?![([]))?/;

function readItem(line: string): PlannedItem {
  const text = line.trim();
  const [marker = "", box = " "] = markerExpression.exec(text) ?? [];
  return { title: text.slice(marker.length).trim(), completed: box !== " " };
}

/**
 * Reads items, one per line; a cell of a single line is split at semicolons. An item in double quotes may contain line breaks and
 * semicolons; a quote in it is doubled, as in CSV. Quotes that do not enclose a whole item are text.
 */
export function itemsIn(cell: string): PlannedItem[] {
  const text = cell.trim();
  const { quoted, plain } = /[\r\n]/.test(text) ? LINES : PARTS;
  const items: PlannedItem[] = [];
  for (let position = 0; position < text.length; ) {
    quoted.lastIndex = position;
    plain.lastIndex = position;
    const match = quoted.exec(text);
    if (match !== null) {
      const [, box = " ", title = ""] = match;
      items.push({ title: title.replaceAll('""', '"').trim(), completed: box !== " " });
      position = quoted.lastIndex;
    } else {
      items.push(readItem(plain.exec(text)?.[1] ?? ""));
      position = plain.lastIndex;
    }
  }
  return items.filter(({ title }) => title !== "");
}
