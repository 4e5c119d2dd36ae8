// What is known of a value in a statement: whether it is one constant for the whole statement, and which one.

/** A column, an expression or a constant. */
export interface Value {
  /** The item of a FROM that it is a column of; null where it is none. */
  readonly source: Source | null;
  /** Each way to know it: it is constant where all values of one of them are. */
  readonly kinds: Value[][];
  /** The constants that it equals: `$1`, or a literal as text. Empty while none is known. */
  readonly constants: Set<string>;
}

/** Something in a FROM, or the table that is written. */
export interface Source {
  /** What columns are qualified with. */
  readonly alias: string;
  /** A column; undefined where there is none of that name. */
  column(name: string): Value | undefined;
  /** All columns, in order; null where they are not known. */
  columns(): Column[] | null;
}

/** A column of a result; the name is null where the statement gives none. */
export interface Column {
  name: string | null;
  value: Value;
}

/** A value that is known in some ways. */
export const known = (source: Source | null, ...kinds: Value[][]): Value => ({ source, kinds, constants: new Set() });

/** A value that is the same wherever the statement names it. */
export const constant = (text: string): Value => ({ source: null, kinds: [], constants: new Set([text]) });

/** Carries what is known from value to value until nothing new comes. */
export function settle(values: readonly Value[]): void {
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const { kinds, constants } of values) {
      const before = constants.size;
      for (const kind of kinds) {
        if (kind.length === 0 || kind.some((value) => value.constants.size === 0)) continue;
        for (const value of kind) for (const text of value.constants) constants.add(text);
      }
      isNew ||= constants.size > before;
    }
  }
}
