// The labels of a planned board, whose names must differ in more than case.

import { nameKey } from "../db/nameKey.js";

/** A label of an import, before it is stored. */
export interface PlannedLabel {
  name: string;
  colourCode: string;
}

/** Labels in order of appearance. */
export class LabelList {
  readonly labels: PlannedLabel[] = [];
  private readonly indexes = new Map<string, number>();

  /** The place of the label that has a name already. */
  indexOf(name: string): number | undefined {
    return this.indexes.get(nameKey(name));
  }

  /** Adds a label whose name is free; gives its place. */
  add(label: PlannedLabel): number {
    const index = this.labels.push(label) - 1;
    this.indexes.set(nameKey(label.name), index);
    return index;
  }
}
