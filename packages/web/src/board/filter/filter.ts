// The cards of a board that are shown, as the query of its address names them: `?label=…&person=…&due=today&text=…`.

import type { BoardState, CardState } from "work-board-client/board";
import { folded } from "../../parts/folded.js";
import { daysTo, isOver } from "../due.js";

export const DUES = ["overdue", "today", "week", "none"] as const;
type DueChoice = (typeof DUES)[number];

/** The choice of cards that have no label, or nobody. */
export const NONE = "none";

/** A card is shown if it has one of the chosen values of each kind. A kind without values allows every card. */
export interface Filter {
  /** Identifiers of labels, or `NONE`. */
  readonly label: readonly string[];
  /** Identifiers of members, or `NONE`. */
  readonly person: readonly string[];
  readonly due: readonly DueChoice[];
  /** Words of the title, of the description or of the number. */
  readonly text: string;
}

/** The kinds of which several values can be chosen. */
export type Kind = Exclude<keyof Filter, "text">;

export const EVERYTHING: Filter = { label: [], person: [], due: [], text: "" };

/** Reads the query of an address. */
export function filterOf(query: string): Filter {
  const params = new URLSearchParams(query);
  const due = params.getAll("due");
  return {
    label: params.getAll("label"),
    person: params.getAll("person"),
    due: DUES.filter((one) => due.includes(one)),
    text: params.get("text") ?? "",
  };
}

/** The query of a filter with its `?`, or nothing if every card is shown. */
export function queryOf({ label, person, due, text }: Filter): string {
  const pairs = Object.entries({ label, person, due }).flatMap(([kind, values]) => values.map((one) => [kind, one]));
  if (text.trim() !== "") pairs.push(["text", text]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

/** The number of conditions that a filter has. */
export const countOf = ({ text, ...kinds }: Filter): number =>
  Object.values(kinds).filter((values) => values.length > 0).length + (text.trim() === "" ? 0 : 1);

/** The filter with a value of a kind more or less. */
export function toggled(filter: Filter, kind: Kind, value: string): Filter {
  const values: readonly string[] = filter[kind];
  return { ...filter, [kind]: values.includes(value) ? values.filter((one) => one !== value) : [...values, value] };
}

const WEEK_DAYS = 7;

const FITS_DUE: Record<DueChoice, (card: CardState, now: Date) => boolean> = {
  none: ({ dueDate }) => dueDate === null,
  overdue: ({ dueDate, dueHasTime, completedAt }, now) =>
    dueDate !== null && completedAt === null && isOver({ dueDate, dueHasTime }, now),
  today: ({ dueDate, dueHasTime }, now) => dueDate !== null && daysTo({ dueDate, dueHasTime }, now) === 0,
  week: ({ dueDate, dueHasTime }, now) => {
    const days = dueDate === null ? -1 : daysTo({ dueDate, dueHasTime }, now);
    return days >= 0 && days < WEEK_DAYS;
  },
};

/** Cards do not change in place, so that each is made plain once. */
const plainTexts = new WeakMap<CardState, string>();

function plainTextOf(card: CardState, prefix: string): string {
  const known = plainTexts.get(card);
  if (known !== undefined) return known;
  const text = folded(`${card.title}\n${card.description}\n${prefix}-${card.cardNumber}`);
  plainTexts.set(card, text);
  return text;
}

const hasOne = (wanted: readonly string[], ids: readonly string[]) =>
  wanted.length === 0 || ids.some((id) => wanted.includes(id)) || (ids.length === 0 && wanted.includes(NONE));

/** Tells which cards of a board a filter shows. */
export function fitting(filter: Filter, { workspace }: Pick<BoardState, "workspace">): (card: CardState) => boolean {
  const words = folded(filter.text).split(/\s+/);
  return (card) => {
    if (!hasOne(filter.label, card.labelIds)) return false;
    const people = filter.person.length === 0 ? [] : card.members.map(({ publicId }) => publicId);
    if (!hasOne(filter.person, people)) return false;
    if (filter.due.length > 0 && !filter.due.some((due) => FITS_DUE[due](card, new Date()))) return false;
    return filter.text === "" || words.every((word) => plainTextOf(card, workspace.cardPrefix).includes(word));
  };
}
