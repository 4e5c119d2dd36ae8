// The queries of instance admins.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client, type RouterInputs, type RouterOutputs } from "../client.js";
import { pagesOf } from "../parts/pages.js";
import { queryClient } from "../session/queryClient.js";

export type Account = RouterOutputs["admin"]["users"]["list"]["items"][number];
export type Status = NonNullable<RouterInputs["admin"]["users"]["list"]["status"]>;
export type AuditType = NonNullable<RouterInputs["admin"]["audit"]["type"]>;

const adminKeys = {
  users: ["admin", "users"],
  usersWith: (search: string, status: Status | "") => [...adminKeys.users, search, status],
  audit: (type: AuditType | "") => ["admin", "audit", type],
  status: ["admin", "status"],
};

/** The accounts of the instance with a text in their name or address, and of a status. */
export const accounts = (search: string, status: Status | "") =>
  infiniteQueryOptions({
    ...pagesOf(adminKeys.usersWith(search, status), (from, options) =>
      client.admin.users.list.query(
        { ...(search !== "" && { search }), ...(status !== "" && { status }), ...from },
        options,
      ),
    ),
    placeholderData: keepPreviousData,
  });

export const accountsChanged = () => queryClient.invalidateQueries({ queryKey: adminKeys.users });

/** The audit log, the newest first. */
export const audit = (type: AuditType | "") =>
  infiniteQueryOptions({
    ...pagesOf(adminKeys.audit(type), (from, options) =>
      client.admin.audit.query({ ...(type !== "" && { type }), ...from }, options),
    ),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export const status = queryOptions({
  queryKey: adminKeys.status,
  queryFn: ({ signal }) => client.admin.status.query(undefined, { signal }),
  staleTime: 0,
});

/** A link of the service, below the address at which the page is open. */
export const linkHere = (url: string): string => {
  const { pathname, search, hash } = new URL(url, location.origin);
  return location.origin + pathname + search + hash;
};
