// The queries of instance admins.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client, type RouterInputs, type RouterOutputs } from "../client.js";
import { queries } from "../queries.js";

export type Account = RouterOutputs["admin"]["users"]["list"]["items"][number];
export type Status = NonNullable<RouterInputs["admin"]["users"]["list"]["status"]>;
export type AuditType = NonNullable<RouterInputs["admin"]["audit"]["type"]>;

/** The accounts of the instance with a text in their name or address, and of a status. */
export const accounts = (search: string, status: Status | "") =>
  infiniteQueryOptions({
    queryKey: ["admin", "users", search, status],
    queryFn: ({ pageParam, signal }) =>
      client.admin.users.list.query(
        {
          ...(search !== "" && { search }),
          ...(status !== "" && { status }),
          ...(pageParam !== null && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });

export const accountsChanged = () => queries.invalidateQueries({ queryKey: ["admin", "users"] });

/** The audit log, the newest first. */
export const audit = (type: AuditType | "") =>
  infiniteQueryOptions({
    queryKey: ["admin", "audit", type],
    queryFn: ({ pageParam, signal }) =>
      client.admin.audit.query(
        { ...(type !== "" && { type }), ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export const status = queryOptions({
  queryKey: ["admin", "status"],
  queryFn: ({ signal }) => client.admin.status.query(undefined, { signal }),
  staleTime: 0,
});

/** A link of the service, below the address at which the page is open. */
export const linkHere = (url: string): string => {
  const { pathname, search, hash } = new URL(url, location.origin);
  return location.origin + pathname + search + hash;
};
