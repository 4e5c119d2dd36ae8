// The labels of a planned board, whose names must be unique regardless of case.

import { nameKey } from "../db/nameKey.js";

/** A label of an import that is not stored yet. */
export interface PlannedLabel {
  name: string;
  colourCode: string;
}

/** Labels in order of appearance. */
export class LabelList {
  readonly labels: PlannedLabel[] = [];
  private readonly indexes = new Map<string, number>();

  /** The index of the label with a name. */
  indexOf(name: string): number | undefined {
    return this.indexes.get(nameKey(name));
  }

  /** Adds a label with a new name; returns its index. */
  add(label: PlannedLabel): number {
    const index = this.labels.push(label) - 1;
    this.indexes.set(nameKey(label.name), index);
    return index;
  }
}
