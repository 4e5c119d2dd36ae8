// The cards and meetings of a workspace's calendar. Cards are read week by week, so that months share the weeks between them.

import { keepPreviousData, queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { localDay } from "../board/due.js";
import { client, type RouterOutputs } from "../client.js";
import { addDays, dateOf, dayOf, firstOfWeek, WEEK } from "../parts/days.js";
import { queryClient } from "../session/queryClient.js";
import { here } from "../session/timeZone.js";

export type Meeting = RouterOutputs["workspace"]["meetings"]["list"][number];

/** A card with its due date. */
export interface DueCard {
  publicId: string;
  title: string;
  dueDate: string;
  dueHasTime: boolean;
  completedAt: string | null;
  boardPublicId: string;
  boardName: string;
}

const calendarKeys = {
  weeks: (workspacePublicId: string) => ["calendar", workspacePublicId],
  week: (workspacePublicId: string, week: string) => [...calendarKeys.weeks(workspacePublicId), week],
  meetings: (workspacePublicId: string) => ["meetings", workspacePublicId],
  meetingsBetween: (workspacePublicId: string, from: string, to: string) => [
    ...calendarKeys.meetings(workspacePublicId),
    from,
    to,
  ],
};

/** Meetings have no stream, so they are polled. */
const MEETINGS_READ_MS = 30_000;

const weekOf = (workspacePublicId: string, week: string) =>
  queryOptions({
    queryKey: calendarKeys.week(workspacePublicId, week),
    queryFn: async ({ signal }): Promise<DueCard[]> => {
      const input = { workspacePublicId, view: "week", anchor: week, timeZone: here, days: true } as const;
      const cards = await client.workspace.calendar.query(input, { signal });
      return cards.map(({ dueHasTime = true, ...card }) => ({ ...card, dueHasTime }));
    },
  });

const meetingsBetween = (workspacePublicId: string, from: string, to: string) =>
  queryOptions({
    queryKey: calendarKeys.meetingsBetween(workspacePublicId, from, to),
    queryFn: ({ signal }) =>
      client.workspace.meetings.list.query(
        { workspacePublicId, from: dateOf(from).toISOString(), to: dateOf(to).toISOString() },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: MEETINGS_READ_MS,
  });

/** A meeting at one of its times. */
export interface Occurrence {
  meeting: Meeting;
  at: Date;
}

/** The cards and meetings of a day. */
export interface DayEntries {
  cards: DueCard[];
  meetings: Occurrence[];
}

export const dayOfCard = (card: DueCard): string => dayOf(localDay(card));

/** The entries of some weeks by day, and the reason if something could not be read. */
export function useEntries(workspacePublicId: string, weeks: readonly string[], seesMeetings: boolean) {
  const read = useQueries({ queries: weeks.map((week) => weekOf(workspacePublicId, week)) });
  const [first = "", last = ""] = [weeks.at(0), weeks.at(-1)];
  const meetings = useQuery({
    ...meetingsBetween(workspacePublicId, first, addDays(last, WEEK)),
    enabled: seesMeetings,
  });
  const days = new Map<string, DayEntries>();
  const on = (day: string): DayEntries => {
    const entries = days.get(day) ?? { cards: [], meetings: [] };
    days.set(day, entries);
    return entries;
  };
  for (const { data = [] } of read) for (const card of data) on(dayOfCard(card)).cards.push(card);
  for (const meeting of meetings.data ?? []) {
    for (const occurrence of meeting.occurrences) {
      const at = new Date(occurrence);
      on(dayOf(at)).meetings.push({ meeting, at });
    }
  }
  for (const entries of days.values()) {
    entries.cards.sort((a, b) => Number(a.dueHasTime) - Number(b.dueHasTime) || a.dueDate.localeCompare(b.dueDate));
    entries.meetings.sort((a, b) => a.at.getTime() - b.at.getTime());
  }
  const error = [...read, meetings].find((one) => one.error !== null)?.error ?? null;
  const unplanned = (meetings.data ?? []).filter(({ scheduledAt }) => scheduledAt === null);
  return { days, unplanned, error, isRead: read.every(({ data }) => data !== undefined) };
}

/** The due date of a card on a day: at the same time of day, if it has one. */
function dueOn(card: DueCard, day: string): string {
  if (!card.dueHasTime) return day;
  if (day === dayOfCard(card)) return card.dueDate;
  const at = new Date(card.dueDate);
  const date = dateOf(day);
  date.setHours(at.getHours(), at.getMinutes(), at.getSeconds(), at.getMilliseconds());
  return date.toISOString();
}

/** The latest change. Each one waits for the one before: of two that are on their way, the service may store either one last. */
let sent: Promise<unknown> = Promise.resolve();

/** The number of changes that the service has not answered: what is read meanwhile may not have them. */
let waiting = 0;

/** Reads the cards of a calendar again. */
export function readCardsAgain(workspacePublicId: string): void {
  if (waiting === 0) void queryClient.invalidateQueries({ queryKey: calendarKeys.weeks(workspacePublicId) });
}

const weeksRead = (workspacePublicId: string) =>
  queryClient.getQueriesData<DueCard[]>({ queryKey: calendarKeys.weeks(workspacePublicId) });

/** A card as it is now: what is rendered may be a key press behind. Undefined if it is due in none of the weeks that were read. */
export const cardNow = (workspacePublicId: string, card: DueCard): DueCard | undefined =>
  weeksRead(workspacePublicId)
    .flatMap(([, cards]) => cards ?? [])
    .find(({ publicId }) => publicId === card.publicId);

/** Whether a card is due on a day, or on none, as far as its week was read. */
export function isDueOn(workspacePublicId: string, card: DueCard, day: string | null): boolean {
  const now = cardNow(workspacePublicId, card);
  if (now !== undefined) return dayOfCard(now) === day;
  if (day === null) return true;
  return weeksRead(workspacePublicId).every(([key]) => {
    const week = String(key.at(-1));
    return firstOfWeek(day, dateOf(week).getDay()) !== week;
  });
}

/** Makes a card due on a day, or on none. It is shown there at once; if the service refuses, everything is read again. */
export async function makeDue(workspacePublicId: string, card: DueCard, day: string | null): Promise<void> {
  const dueDate = day === null ? null : dueOn(card, day);
  const show = () => {
    for (const [key, cards] of weeksRead(workspacePublicId)) {
      const week = String(key.at(-1));
      const others = cards?.filter(({ publicId }) => publicId !== card.publicId) ?? [];
      const isHere = day !== null && dueDate !== null && firstOfWeek(day, dateOf(week).getDay()) === week;
      const moved = { ...card, dueDate: new Date(dueDate ?? card.dueDate).toISOString() };
      queryClient.setQueryData(key, isHere ? [...others, moved] : others);
    }
  };
  const send = () => client.card.update.mutate({ cardPublicId: card.publicId, dueDate });
  waiting += 1;
  try {
    show();
    await queryClient.cancelQueries({ queryKey: calendarKeys.weeks(workspacePublicId) });
    // A reading that was cancelled has put back what was there when it began.
    if (cardNow(workspacePublicId, card)?.dueDate === card.dueDate) show();
    sent = sent.then(send, send);
    await sent;
  } finally {
    waiting -= 1;
    readCardsAgain(workspacePublicId);
  }
}

/** Reads the meetings of a workspace again. */
export const meetingsChanged = (workspacePublicId: string) =>
  queryClient.invalidateQueries({ queryKey: calendarKeys.meetings(workspacePublicId) });
