// The description of an imported card: that of Trello, followed by one line for each field that cards do not have here.

import { readInstant } from "../../db/instants.js";
import type { FileNotes } from "../imported.js";
import type { TrelloCard, TrelloField } from "./file.js";
import { byPosition } from "./texts.js";

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** A Markdown link, or only its text if browsers would not follow the address. */
function linkTo(name: string, url: string): string {
  const text = oneLine(name === "" ? url : name);
  if (!/^https?:\/\/[^\s<>]+$/i.test(url)) return oneLine(`${text}: ${url}`);
  return `[${text.replace(/[[\]\\]/g, "\\$&")}](<${url}>)`;
}

type FieldItem = NonNullable<TrelloCard["customFieldItems"]>[number];

/** A custom field with its position among the others. */
interface Field {
  id: string;
  name: string;
  place: number;
  options: ReadonlyMap<string, string | null | undefined>;
  isUsed: boolean;
}

/** The text of a custom field's value; null if it is empty. */
function textOf({ options }: Field, { idValue, value }: FieldItem): string | null {
  if (idValue !== null && idValue !== undefined) return options.get(idValue) ?? idValue;
  if (value?.checked !== null && value?.checked !== undefined) return value.checked === "true" ? "yes" : "no";
  if (value?.date !== null && value?.date !== undefined) return readInstant(value.date) ?? value.date;
  return value?.text ?? value?.number ?? null;
}

/** Writes descriptions, and remembers which custom fields occurred. */
export class Descriptions {
  private readonly fields: ReadonlyMap<string, Field>;

  constructor(
    fields: readonly TrelloField[],
    private readonly notes: FileNotes,
  ) {
    this.fields = new Map(
      byPosition(fields).map(({ id, name, options }, place) => {
        const texts = new Map((options ?? []).map((option) => [option.id, option.value?.text]));
        return [id, { id, name, place, options: texts, isUsed: false }];
      }),
    );
  }

  /** The lines after a card's own description, each reported. */
  linesOf(card: TrelloCard, rowNumber: number): string[] {
    const moved = (field: string) => this.notes.group(rowNumber, "movedToDescription", field);
    const lines: string[] = [];
    const start = card.start ?? "";
    if (start !== "") {
      moved("cards.start");
      lines.push(`Start: ${readInstant(start) ?? oneLine(start)}`);
    }
    const location = [card.locationName ?? "", card.address ?? ""].filter((part) => part !== "");
    if (location.length > 0) {
      moved("cards.locationName");
      lines.push(oneLine(`Location: ${location.join(", ")}`));
    }
    lines.push(...this.fieldLinesOf(card, rowNumber));
    for (const { name, url } of card.attachments ?? []) {
      moved("cards.attachments");
      lines.push(linkTo(name ?? "", url ?? ""));
    }
    return lines.map((line) => `- ${line}`);
  }

  private fieldLinesOf({ customFieldItems }: TrelloCard, rowNumber: number): string[] {
    const lines: { place: number; line: string }[] = [];
    for (const item of customFieldItems ?? []) {
      const field = this.fields.get(item.idCustomField);
      if (field === undefined) {
        this.notes.group(rowNumber, "danglingLink", "cards.customFieldItems.idCustomField");
        continue;
      }
      const text = textOf(field, item);
      if (text === null) continue;
      field.isUsed = true;
      this.notes.group(rowNumber, "movedToDescription", `customFields: ${field.name}`);
      lines.push({ place: field.place, line: oneLine(`${field.name}: ${text}`) });
    }
    return lines.sort((a, b) => a.place - b.place).map(({ line }) => line);
  }

  /** Reports the custom fields that no card had. */
  noteUnused(): void {
    for (const { name, isUsed } of this.fields.values()) {
      if (!isUsed) this.notes.group(0, "noPlace", `customFields: ${name}, which no card has`);
    }
  }
}
