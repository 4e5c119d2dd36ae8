// Trello's export in small, for tests to add to.

import { readFileSync } from "node:fs";

type Part = Record<string, unknown>;

/** A board as Trello exports it; its parts can be anything, because Trello's can. */
export interface Export extends Part {
  name: string;
  lists: Part[];
  cards: Part[];
  labels: Part[];
  members: Part[];
  checklists: Part[];
  customFields: Part[];
  actions: Part[];
}

/** The export in `tests/data`. */
export const sampleExport = (): Export =>
  JSON.parse(readFileSync(new URL("../data/trello-board.json", import.meta.url), "utf8"));

/** An identifier of Trello's kind, made on 2 January 2024 at midnight and some seconds. */
export const trelloId = (seconds: number) =>
  `${Math.floor(Date.UTC(2024, 0, 2) / 1000 + seconds).toString(16)}${String(seconds).padStart(16, "0")}`;

/** A board of one open list, `L`, and what is given. */
export const exportOf = (parts: Partial<Export>): Export => ({
  name: "From Trello",
  lists: [{ id: "L", name: "Doing", closed: false, pos: 1 }],
  cards: [],
  labels: [],
  members: [],
  checklists: [],
  customFields: [],
  actions: [],
  ...parts,
});

/** A card of the list `L`. */
export const cardOf = (id: string, fields: Part = {}): Part => ({
  id,
  name: id,
  idList: "L",
  closed: false,
  ...fields,
});

/** A comment on a card. */
export const commentOn = (card: string, text: string, date: string, fields: Part = {}): Part => ({
  type: "commentCard",
  date,
  data: { text, card: { id: card } },
  memberCreator: { fullName: "Ada Lovelace", username: "ada" },
  ...fields,
});
