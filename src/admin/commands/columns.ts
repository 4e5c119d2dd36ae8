// Lines of a listing, as the command line prints them.

/** The characters that a terminal would obey rather than print: names come from outside. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text on one line, whatever it holds. */
export const printable = (text: string) => text.replace(CONTROLS, " ");

/** Rows with their columns below each other; the last column is as long as it is. */
export function columnsOf(rows: readonly (readonly string[])[]): string[] {
  const printed = rows.map((row) => row.map(printable));
  const widths = (printed[0] ?? []).map((_, at) => Math.max(...printed.map((row) => row[at]?.length ?? 0)));
  return printed.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** A number of things, such as `1 row` or `2 rows`. */
export const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
