// Names that must be unique regardless of case, such as those of the labels of a planned board.

import { nameKey } from "../db/nameKey.js";

/** Names in order of appearance, matched regardless of case; the first spelling counts. */
export class NameList {
  readonly names: string[] = [];
  private readonly indexes = new Map<string, number>();

  has(name: string): boolean {
    return this.indexes.has(nameKey(name));
  }

  /** The index of a name, which is added if it is new. */
  indexOf(name: string): number {
    const key = nameKey(name);
    const known = this.indexes.get(key);
    if (known !== undefined) return known;
    const index = this.names.push(name) - 1;
    this.indexes.set(key, index);
    return index;
  }
}
