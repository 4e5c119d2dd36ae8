import { createContext, useContext } from "react";
import type { Permission } from "work-board-client";
import type { DueCard, Meeting } from "./queries.js";

/** The actions of the calendar that is shown. */
export interface Shown {
  may(permission: Permission): boolean;
  /** Makes a card due on another day, or on none. */
  move(card: DueCard, day: string | null): void;
  /** Makes a card due some days later, or earlier. */
  moveBy(card: DueCard, days: number): void;
  openMeeting(meeting: Meeting): void;
  /** Asks for another day for a card. */
  askForDay(card: DueCard): void;
}

export const CalendarContext = createContext<Shown | null>(null);

export function useCalendar(): Shown {
  const shown = useContext(CalendarContext);
  if (shown === null) throw new Error("No calendar is shown here");
  return shown;
}
