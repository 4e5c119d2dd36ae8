// Reads the names in a cell of labels or assignees (contract, "4.2 columns").

/** Names between semicolons or pipes, which may also be one name with commas. */
export interface NameGroup {
  text: string;
  names: string[];
}

/** Groups: the text of a quoted name, an unquoted name, the separator. */
const nameExpression = /\s*(?:"([^"]*(?:""[^"]*)*)"\s*|([^,;|]*))([,;|]|$)/gy;

/** Reads names separated by comma, semicolon or pipe. Double quotes around a whole name keep these; `""` is a quote in it. */
export function nameGroupsIn(cell: string): NameGroup[] {
  const groups: NameGroup[] = [];
  let names: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (const { 0: matched, 1: quoted, 2: plain = "", 3: end, index } of cell.matchAll(nameExpression)) {
    const name = (quoted?.replaceAll('""', '"') ?? plain).trim();
    if (name !== "") names.push(name);
    isQuoted = quoted !== undefined;
    if (end === ",") continue;
    const last = index + matched.length - (end?.length ?? 0);
    const [only = ""] = names;
    const text = names.length === 1 && isQuoted ? only : cell.slice(start, last).trim();
    if (names.length > 0) groups.push({ text, names });
    names = [];
    start = last + 1;
  }
  return groups;
}

/** The names in a cell; equal names only once. */
export const namesIn = (cell: string): string[] => [...new Set(nameGroupsIn(cell).flatMap(({ names }) => names))];
