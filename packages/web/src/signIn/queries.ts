import { queryOptions } from "@tanstack/react-query";
import { client } from "../client.js";

export const signInKeys = { methods: ["methods"], callback: ["callback"] };

export const signInMethods = queryOptions({
  queryKey: signInKeys.methods,
  queryFn: ({ signal }) => client.user.authMethods.query(undefined, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
