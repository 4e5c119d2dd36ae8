import { infiniteQueryOptions } from "@tanstack/react-query";

/** A query of a list that is read page by page. `read` gets the cursor of the page, and nothing for the first one. */
export const pagesOf = <Page extends { nextCursor: string | null }>(
  queryKey: readonly unknown[],
  read: (from: { cursor?: string }, options: { signal: AbortSignal }) => Promise<Page>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam === null ? {} : { cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
