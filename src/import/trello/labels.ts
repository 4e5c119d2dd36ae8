// The labels of a Trello board, which may have no name, or the name of another label.

import { LENGTHS } from "../../api/shapes.js";
import { nameKey } from "../../db/nameKey.js";
import { cutTo } from "../csv/rows.js";
import { NameList } from "../nameList.js";
import { colourAt } from "../palette.js";
import { trelloColour } from "./colours.js";
import type { TrelloFile, TrelloLabel } from "./file.js";
import { noteLost } from "./inventory.js";
import { type Noting, named } from "./texts.js";

const keyOf = (color: string | null | undefined, name: string) => `${trelloColour(color) ?? color} ${nameKey(name)}`;

/** The labels of a board, and the index of each of Trello's labels in them. */
export class TrelloLabels {
  readonly all: { name: string; colourCode: string }[] = [];
  private readonly names = new NameList();
  private readonly places = new Map<string, number>();
  private readonly byNameAndColour = new Map<string, number>();

  /** Labels that only cards have come after those of the board, and those that only `labelNames` has come last. */
  constructor(
    { labels, cards, labelNames }: TrelloFile,
    private readonly noting: Noting,
  ) {
    const byColour = new Map(Object.entries(labelNames ?? {}).filter(([, name]) => name?.trim()));
    for (const label of [...(labels ?? []), ...cards.flatMap((card) => card.labels ?? [])]) {
      if (this.places.has(label.id)) continue;
      noteLost(noting.notes, "labels", label);
      const name = label.name?.trim() ? label.name : byColour.get(label.color ?? "");
      this.places.set(label.id, this.add({ name, color: label.color }));
    }
    for (const [color, name] of byColour) {
      const key = keyOf(color, cutTo(name?.trim() ?? "", LENGTHS.label).trimEnd());
      if (!this.byNameAndColour.has(key)) this.add({ name, color });
    }
  }

  at(id: string): number | undefined {
    return this.places.get(id);
  }

  /** Labels with the same name and colour become one; if only the name is the same, the colour is added to the second. */
  private add({ name, color }: Pick<TrelloLabel, "name" | "color">): number {
    const { notes } = this.noting;
    const hex = trelloColour(color);
    if (hex === null) notes.add(0, "colourReplaced", color ?? "");
    const colourCode = hex ?? colourAt(this.all.length);
    const hue = (color ?? "no colour").replace("_", " ").trim() || "no colour";
    const wanted = name?.trim() ? named(this.noting, name, LENGTHS.label, "Label") : hue.slice(0, LENGTHS.label);
    const key = keyOf(color, wanted);
    const known = this.byNameAndColour.get(key);
    if (known !== undefined) {
      notes.add(0, "labelMerged", wanted);
      return known;
    }
    const isFree = !this.names.has(wanted);
    const free = isFree ? wanted : this.freeName(wanted, hue);
    if (!isFree) notes.add(0, "labelRenamed", free);
    this.all.push({ name: free, colourCode });
    const place = this.names.indexOf(free);
    this.byNameAndColour.set(key, place);
    return place;
  }

  private freeName(name: string, hue: string): string {
    for (let number = 1; ; number += 1) {
      const suffix = number === 1 ? ` (${hue.slice(0, 20)})` : ` (${number})`;
      const free = `${[...name].slice(0, LENGTHS.label - suffix.length).join("")}${suffix}`;
      if (!this.names.has(free)) return free;
    }
  }
}
