import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import type { Event } from "work-board-client";
import { activities } from "./queries.js";

/** Comments stand in the line of time themselves. */
const OWN_ENTRIES: readonly string[] = ["comment.created", "comment.updated"];

interface Activities {
  /** The newest first. */
  events: readonly Event[];
  /** When the earliest known one happened, if there are others before it. */
  horizon: string | null;
  readEarlier(): Promise<unknown>;
  /** Reads them. */
  query: { error: Error | null; refetch: () => Promise<unknown> };
}

/** Reads the events of a card, again whenever the card changes. */
export function useActivities(cardPublicId: string, changedAt: string): Activities {
  const query = useInfiniteQuery(activities(cardPublicId));
  const { data, hasNextPage, fetchNextPage, refetch } = query;
  const readAt = useRef(changedAt);
  useEffect(() => {
    if (readAt.current === changedAt) return;
    readAt.current = changedAt;
    void refetch();
  }, [changedAt, refetch]);
  const read = useMemo(() => {
    const all = data?.pages.flatMap(({ items }) => items) ?? [];
    return {
      events: all.filter(({ type }) => !OWN_ENTRIES.includes(type)),
      horizon: hasNextPage ? (all.at(-1)?.createdAt ?? null) : null,
      readEarlier: () => fetchNextPage(),
    };
  }, [data, hasNextPage, fetchNextPage]);
  return { ...read, query };
}
