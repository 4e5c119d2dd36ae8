import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client } from "../client.js";

const searchKeys = { found: (workspacePublicId: string, query: string) => ["search", workspacePublicId, query] };

const QUERY_MAX = 200;
export const CARDS_MAX = 20;

/** The cards and boards that the service finds in a workspace, best first. */
export const search = (workspacePublicId: string, query: string) =>
  queryOptions({
    queryKey: searchKeys.found(workspacePublicId, query),
    queryFn: ({ signal }) =>
      client.workspace.search.query(
        { workspacePublicId, query: query.slice(0, QUERY_MAX), limit: CARDS_MAX },
        { signal },
      ),
    enabled: query !== "",
    placeholderData: keepPreviousData,
  });
