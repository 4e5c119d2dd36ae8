// The queries of the page besides boards, and the session.

import { QueryCache, QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { client, failureOf, type User } from "./client.js";
import { dropSession, keepSession, sessionToken } from "./session.js";

const RETRIES = 2;

export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (failureOf(error).code === "UNAUTHORIZED") signedOut();
    },
  }),
  defaultOptions: {
    queries: { staleTime: 30_000, retry: (times, error) => failureOf(error).code === null && times < RETRIES },
  },
});

const session = queryOptions({
  queryKey: ["session"],
  queryFn: async (): Promise<User | null> => (sessionToken() === null ? null : client.user.me.query()),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The account that is signed in: null for nobody, undefined until that is known. */
export const useSession = () => useQuery(session);

/** The account of whoever is signed in. Only below the session's gate. */
export function useUser(): User {
  const { data } = useSession();
  if (!data) throw new Error("Nobody is signed in");
  return data;
}

function signedIn({ user, accessToken }: { user: User; accessToken?: string }): void {
  if (accessToken !== undefined) keepSession({ accessToken });
  queries.setQueryData(session.queryKey, user);
}

/** Forgets the session and everything that was read in it. */
function signedOut(): void {
  dropSession();
  queries.setQueryData(session.queryKey, null);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== session.queryKey[0] });
}

export async function signIn(input: { email: string; password: string; code?: string }): Promise<void> {
  signedIn(await client.user.signIn.mutate(input));
}

export async function signUp(input: { name: string; email: string; password: string }): Promise<void> {
  signedIn(await client.user.signUp.mutate(input));
}

/** A sign-in that began at a provider, until the provider sends the person back to this tab. */
interface Flow {
  providerId: string;
  flowToken: string;
  /** The address at which it began. */
  from: string;
}

const FLOW = "work-board.flow";

/** Leaves the page for a provider. */
export async function signInAt(providerId: string): Promise<void> {
  const redirectUri = `${location.origin}/callback`;
  const { authorizationUrl, flowToken } = await client.user.oidc.start.mutate({ providerId, redirectUri });
  const flow: Flow = { providerId, flowToken, from: location.href };
  sessionStorage.setItem(FLOW, JSON.stringify(flow));
  location.assign(authorizationUrl);
}

/** Signs in whom a provider sent back. A flow works once, so it is never tried again. */
export const finishSignIn = queryOptions({
  queryKey: ["callback"],
  queryFn: async () => {
    const flow: Flow = JSON.parse(sessionStorage.getItem(FLOW) ?? "null");
    sessionStorage.removeItem(FLOW);
    if (flow === null) throw new Error("No sign-in began in this tab");
    const { providerId, flowToken, from } = flow;
    signedIn(await client.user.oidc.finish.mutate({ providerId, flowToken, callbackUrl: location.href }));
    location.replace(from);
    return null;
  },
  retry: false,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Ends the session here even if the service does not answer. */
export async function signOut(): Promise<void> {
  await client.user.signOut.mutate().catch(() => {});
  signedOut();
}

export const signInMethods = queryOptions({
  queryKey: ["methods"],
  queryFn: ({ signal }) => client.user.authMethods.query(undefined, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const workspaces = queryOptions({
  queryKey: ["workspaces"],
  queryFn: ({ signal }) => client.workspace.list.query(undefined, { signal }),
});

export const boardsOf = (workspacePublicId: string) =>
  queryOptions({
    queryKey: ["boards", workspacePublicId],
    queryFn: ({ signal }) => client.board.list.query({ workspacePublicId }, { signal }),
  });
