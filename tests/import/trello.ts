// Trello's export in small, for tests to add to, and its import.

import { readFileSync } from "node:fs";
import { ok, type Person, type TestApp, type Workspace } from "../helpers/app.js";
import { type BoardFile, filesOf } from "./boardFiles.js";
import type { Imported } from "./imports.js";

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

export const sampleExport = (): Export =>
  JSON.parse(readFileSync(new URL("../../examples/trello-board.json", import.meta.url), "utf8"));

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

export const cardOf = (id: string, fields: Part = {}): Part => ({
  id,
  name: id,
  idList: "L",
  closed: false,
  ...fields,
});

export const commentOn = (card: string, text: string, date: string, fields: Part = {}): Part => ({
  type: "commentCard",
  date,
  data: { text, card: { id: card } },
  memberCreator: { fullName: "Ada Lovelace", username: "ada" },
  ...fields,
});

export function trelloImportsInto({ as }: TestApp, { workspace, owner }: { workspace: Workspace; owner: Person }) {
  const send = (board: unknown, more: object = {}) =>
    as(owner).post<Imported>("/imports/trello/boards", { workspacePublicId: workspace.publicId, board, ...more });

  /** Imports and gives the answer, and the board as it was stored. */
  async function imported(board: unknown): Promise<{ answer: Imported; file: BoardFile }> {
    const answer = ok(await send(board));
    return { answer, file: await filesOf(as(owner)).exported(answer.boardPublicId) };
  }

  return { send, imported };
}

/** The rows and values of the warnings for a reason. */
export const reasons = ({ warnings }: Imported, reason: string) =>
  warnings.filter((warning) => warning.reason === reason).map(({ rowNumber, value }) => [rowNumber, value]);
