// What a random sequence of steps acts on, what a step is, and how one chooses from what the model holds.

import type { Client } from "../helpers/app.js";
import type { Board, Card, Checklist, Label, List, Model } from "./boardModel.js";

/** Numbers and words from which a step chooses. */
export interface Choice {
  turns: readonly [number, number, number, number];
  index: number | undefined;
  flag: boolean;
  word: string;
}

export interface Call {
  method: "post" | "put" | "delete";
  path: string;
  body?: unknown;
}

/** What must come of a step. */
export interface Step {
  call: Call;
  /** 0: either a refusal or a success that changes nothing. */
  status: number;
  /** The types of the events it writes; none where it changes nothing. */
  events: string[];
  /** Changes the model as the call changes the service. */
  apply(body: Answered): void | Promise<void>;
}

/** What answers hold that a model cannot know beforehand. */
export interface Answered {
  publicId: string;
  cardNumber: number;
}

export interface Scene {
  model: Model;
  client: Client;
  /** The labels of a board as it is read, for those that a move has made. */
  labelsOf(board: Board): Promise<Label[]>;
  checklistsOf(card: Card): Promise<Checklist[]>;
}

export type Maker = (scene: Scene, choice: Choice) => Step | null;

export const pick = <T>(items: readonly T[], turn: number): T | undefined => items[turn % Math.max(1, items.length)];
export const some = <T>(items: readonly T[], turns: readonly number[]): T[] => [
  ...new Set(turns.flatMap((turn) => pick(items, turn) ?? [])),
];

/** A step that an archived board refuses, unless there is nothing to change. */
export function guarded(boards: readonly Board[], step: Omit<Step, "status"> & { status?: number }): Step {
  const { status = 200 } = step;
  const isClosed = boards.some(({ isArchived }) => isArchived);
  if (!isClosed && status === 200) return { ...step, status };
  const isIdle = step.events.length === 0;
  return { ...step, status: isClosed ? (isIdle ? 0 : 400) : status, events: [], apply: () => {} };
}

export const PRIORITIES = ["low", "medium", "high", "urgent", "none"];

export const whereIs = ({ model }: Scene, list: List) => model.boards.find((board) => board.lists.includes(list));

export const aList = ({ model }: Scene, turns: readonly number[]) => {
  const board = pick(
    model.boards.filter(({ lists }) => lists.length > 0),
    turns[0] ?? 0,
  );
  const list = pick(board?.lists ?? [], turns[1] ?? 0);
  return board === undefined || list === undefined ? null : { board, list };
};

export const aCard = ({ model }: Scene, turn: number) => pick(model.cards, turn);

export const ids = (things: readonly { publicId: string }[]) => things.map(({ publicId }) => publicId);
