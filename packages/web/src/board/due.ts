// Due dates in words. A day belongs to its date in every time zone, an instant to the reader's.

import { FORMATS, formatOf } from "../parts/times.js";
import { t } from "../texts/index.js";

type DueState = "later" | "soon" | "today" | "over" | "done";

const DAY_MS = 86_400_000;
const SOON_DAYS = 7;

const weekday = formatOf({ weekday: "short", day: "numeric", month: "short" });
let near: Intl.RelativeTimeFormat | undefined;
const inDays = (days: number) => {
  near ??= new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
  const words = near.format(days, "day");
  return words.charAt(0).toLocaleUpperCase() + words.slice(1);
};

/** A due date, as cards have it. A day is midnight UTC. */
export interface Due {
  dueDate: string;
  dueHasTime: boolean;
}

/** The date of the reader on which something is due, at its beginning. */
export function localDay({ dueDate, dueHasTime }: Due): Date {
  const at = new Date(dueDate);
  return dueHasTime
    ? new Date(at.getFullYear(), at.getMonth(), at.getDate())
    : new Date(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
}

/** The days from today to a due date in the reader's calendar: negative if it is past. */
export function daysTo(due: Due, now: Date): number {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  // Rounded, because days on which clocks change are an hour longer or shorter.
  return Math.round((localDay(due).getTime() - today.getTime()) / DAY_MS);
}

/** Whether a due date is past: a day when it has ended. */
export const isOver = (due: Due, now: Date): boolean =>
  due.dueHasTime ? new Date(due.dueDate).getTime() < now.getTime() : daysTo(due, now) < 0;

/** The state of a due date, and its words. */
export function dueOf(due: Due, completedAt: string | null, now: Date): { state: DueState; text: string } {
  const day = localDay(due);
  const at = new Date(due.dueDate);
  const days = daysTo(due, now);
  const time = due.dueHasTime ? ` ${FORMATS.time(at)}` : "";
  const date = (day.getFullYear() === now.getFullYear() ? FORMATS.day : FORMATS.dayOfYear)(day);
  if (completedAt !== null) return { state: "done", text: date };
  if (isOver(due, now))
    return { state: "over", text: days < -1 ? t.due.late(-days) : inDays(days) + (days === 0 ? time : "") };
  if (days === 0) return { state: "today", text: inDays(0) + time };
  if (days >= SOON_DAYS) return { state: "later", text: date };
  return { state: "soon", text: (days === 1 ? inDays(1) : weekday(day)) + time };
}

/** A due date in a sentence: "due" before its words, unless they say that it is late. */
export const inSentence = (due: Due, { state, text }: ReturnType<typeof dueOf>, now: Date): string =>
  state === "over" && daysTo(due, now) < -1 ? text : t.due.due(text);
