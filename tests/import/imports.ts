// What tests of imports have in common: bodies and answers, and what was stored.

import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { ok, type Person, type TestApp, type Workspace } from "../helpers/app.js";

export interface Note {
  rowNumber: number;
  reason: string;
  value: string;
}

export interface Imported {
  boardsCreated: number;
  listsCreated: number;
  cardsCreated: number;
  labelsCreated: number;
  checklistItemsCreated: number;
  cardsAssigned: number;
  unmatchedAssignees: string[];
  skippedRows: Note[];
  warnings: Note[];
  boardPublicId: string;
}

export interface Preview {
  delimiter: string;
  header: string[];
  rows: string[][];
  rowCount: number;
  suggestedMapping: Record<string, number | number[]>;
  warnings: Note[];
}

export interface Card {
  publicId: string;
  title: string;
  description: string;
  cardNumber: number;
  index: number;
  dueDate: string | null;
  priority: string;
  completedAt: string | null;
  labels: { name: string }[];
  members: { publicId: string }[];
  checklistItems: { total: number; completed: number };
}

export interface Board {
  publicId: string;
  name: string;
  slug: string;
  visibility: string;
  labels: { name: string; colourCode: string }[];
  members: { name: string }[];
  lists: { publicId: string; name: string; index: number; cards: Card[] }[];
}

export interface CardWithChecklists extends Card {
  checklists: { name: string; items: { title: string; completed: boolean }[] }[];
}

/** The keys of `mapping`, in the order in which the rows of tests hold them. */
export const COLUMNS = [
  "title",
  "description",
  "list",
  "labels",
  "dueDate",
  "assignee",
  "checklist",
  "checklistName",
  "board",
  "priority",
  "completed",
];
const mapping = Object.fromEntries(COLUMNS.map((key, column) => [key, column]));

export type Cells = Record<string, string | undefined>;

export const rowOf = (cells: Cells) => COLUMNS.map((key) => cells[key] ?? "");

export const bodyFor = (workspace: { publicId: string }, rows: unknown, more: object = {}) => ({
  workspacePublicId: workspace.publicId,
  boardName: "Imported",
  rows,
  mapping,
  ...more,
});

export const cardsOf = (board: Board) => board.lists.flatMap(({ cards }) => cards);
export const titlesOf = (board: Board | undefined) =>
  board?.lists.map(({ name, cards }) => [name, cards.map((c) => c.title)]);
export const oneTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

interface LoggedEvent {
  seq: number;
  type: string;
  board: string;
  card: string | null;
  data: Record<string, unknown>;
}

interface NumberedCard {
  publicId: string;
  cardNumber: number;
  revision: number;
}

export function importsOn({ as, db }: Pick<TestApp, "as" | "db">) {
  const importInto = (workspace: Workspace, cells: Cells[], more: object = {}, person?: Person) =>
    as(person ?? workspace.owner).post<Imported>("/imports/csv/boards", bodyFor(workspace, cells.map(rowOf), more));

  /** A board as read, but for where it stands in the log. */
  async function boardOf(person: Person, publicId: string): Promise<Board> {
    const { eventId: _, ...board } = ok(await as(person).get<Board & { eventId: number }>(`/boards/${publicId}`));
    return board;
  }

  /** The boards of a workspace by their names, whichever order they were made in. */
  async function boardsIn(workspace: Workspace): Promise<Map<string, Board>> {
    const path = `/workspaces/${workspace.publicId}/boards`;
    const list = ok(await as(workspace.owner).get<{ publicId: string }[]>(path));
    const boards = await Promise.all(list.map(({ publicId }) => boardOf(workspace.owner, publicId)));
    return new Map(boards.map((board) => [board.name, board]));
  }

  const eventsOf = (workspace: Workspace) =>
    db.rows<LoggedEvent>(sql`
      select e.seq, e.type, e.board_public_id as board, e.card_public_id as card, e.data
      from event e join workspace w on w.id = e.workspace_id where w.public_id = ${workspace.publicId}::text order by e.seq`);

  const numbersIn = (workspace: Workspace) =>
    db.rows<NumberedCard>(sql`
      select c.public_id as "publicId", c.card_number as "cardNumber", c.revision
      from card c join workspace w on w.id = c.workspace_id
      where w.public_id = ${workspace.publicId}::text order by c.card_number`);

  /** Events and card numbers count from 1 without a gap, and each card carries the number of its last event. */
  async function expectDense(workspace: Workspace): Promise<void> {
    const events = await eventsOf(workspace);
    const cards = await numbersIn(workspace);
    expect(events.map(({ seq }) => seq)).toEqual(oneTo(events.length));
    expect(cards.map(({ cardNumber }) => cardNumber)).toEqual(oneTo(cards.length));
    const last = events.filter(({ card }) => card !== null).map(({ seq, card }) => [card, seq]);
    expect(Object.fromEntries(cards.map(({ publicId, revision }) => [publicId, revision]))).toEqual(
      Object.fromEntries(last),
    );
    const [counter] = await db.rows(sql`
      select k.event_seq as events, k.card_number as cards from workspace_counter k join workspace w on w.id = k.workspace_id
      where w.public_id = ${workspace.publicId}::text`);
    expect(counter).toEqual({ events: events.length, cards: cards.length });
  }

  return { importInto, boardOf, boardsIn, eventsOf, numbersIn, expectDense };
}
