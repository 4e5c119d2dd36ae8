// The queries of the page besides boards, and the session.

import { QueryClient, type QueryFilters, queryOptions, useQuery } from "@tanstack/react-query";
import { navigate } from "wouter/use-browser-location";
import { followAt, followNone, followOn } from "./board/followed.js";
import { anybody, client, failureOf, type RouterOutputs, type User } from "./client.js";
import { makeStarter } from "./home/starter.js";
import { storeOf } from "./parts/store.js";
import {
  actAs,
  beginSession,
  beginSignOut,
  finishSignOut,
  isSessionOver,
  onAnswer,
  onSignOutElsewhere,
  UNAUTHORIZED,
} from "./session.js";
import { stored } from "./stored.js";

const RETRIES = 2;

// Without a network, a call fails with a reason instead of waiting in silence.
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: "always",
      refetchOnReconnect: true,
      staleTime: 30_000,
      retry: (times, error) => navigator.onLine && failureOf(error).code === null && times < RETRIES,
    },
    mutations: { networkMode: "always" },
  },
});

export type Start = RouterOutputs["user"]["start"];

/** The time after which what failed is read again. */
export const AGAIN_MS = 5000;

/**
 * Reads a failed query again by itself, except without a session. What concerns all workspaces fails while any server of a distributed
 * database is away.
 */
const again = {
  refetchInterval: ({ state: { error } }: { state: { error: Error | null } }) =>
    error !== null && failureOf(error).code !== "UNAUTHORIZED" && AGAIN_MS,
};

/** The account, its workspaces, its favourite and recent boards, and the number of its unread notifications. */
export const start = queryOptions({
  ...again,
  queryKey: ["start"],
  queryFn: ({ signal }): Promise<Start> => client.user.start.query({ types: "all" }, { signal }),
});

/** The number of the reader's unread notifications. */
export const useUnread = (): number =>
  useQuery({ ...start, select: ({ unreadCount }) => unreadCount, refetchOnMount: false }).data ?? 0;

/** Whether the reader runs this instance; undefined until that is known. */
export const useIsInstanceAdmin = () => useQuery(start).data?.user.isAdmin;

/**
 * The account that last signed in with this browser, and when; null once it has signed out. If there is one, the first requests read
 * what the page shows first, as that account.
 */
const lastSignedIn = stored("work-board.lastSignedIn");

/**
 * The account of the session, which is read with what the page shows first, as the account that signed in last; null if that has no
 * session any more, or cannot be read.
 */
async function userOfStart(publicId: string): Promise<User | null> {
  actAs({ publicId });
  // The board of the address is read at the same time. Without a session, it waits for the next one.
  const board = followAt(location.pathname);
  try {
    const first = await client.user.start.query({ types: "all" });
    queries.setQueryData(start.queryKey, first);
    await board;
    return first.user;
  } catch {
    return null;
  }
}

const lastPublicId = () => lastSignedIn.get()?.split(" ")[0];

/** Whether the page acts as an account that nobody signed in to with it: another program can set a session cookie for its address. */
export const isUnexpected = storeOf(false);

/** The account whose calls this page may still repeat. */
let opened: string | null = null;

const session = queryOptions({
  queryKey: ["session"],
  queryFn: async () => {
    if (!(await finishSignOut())) return null;
    const last = lastPublicId();
    const known = last === undefined ? null : await userOfStart(last);
    const user = known ?? (await anybody.user.session.query()).user;
    opened = user?.publicId ?? null;
    isUnexpected.set(user !== null && opened !== last);
    actAs(user);
    return user;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Acts as an account from now on. */
function actFor(user: User | null): void {
  actAs(user);
  if (user !== null && !isUnexpected.get()) lastSignedIn.set(`${user.publicId} ${new Date().toISOString()}`);
}

/** Continues as an account that nobody signed in to with this page. */
export function acceptAccount(user: User): void {
  isUnexpected.set(false);
  actFor(user);
}

/** The account that is signed in, as far as that is known. */
export const currentUser = (): User | null => queries.getQueryData(session.queryKey) ?? null;

/** The account that is signed in: null for nobody, undefined until that is known. */
export const useSession = () => useQuery(session);

const ofSession: QueryFilters = { predicate: ({ queryKey }) => queryKey[0] !== session.queryKey[0] };

/** Before anything is done as an account: what belongs to another one ends. */
function becomes(user: User): void {
  const before = queries.getQueryData(session.queryKey);
  if (before?.publicId !== user.publicId) followNone();
  actFor(user);
}

/** Goes on as an account: where the page is, if it is that of the page, and without anything of another one. */
function signedIn(user: User): void {
  becomes(user);
  // The client would repeat calls that the other account began as this one. Loading the page anew ends them.
  if (opened !== null && opened !== user.publicId) {
    location.reload();
    return;
  }
  opened = user.publicId;
  const wasOver = isSessionOver.get();
  queries.setQueryData(session.queryKey, user);
  isSessionOver.set(false);
  followOn();
  if (wasOver) void queries.invalidateQueries(ofSession);
}

/** Reads the account again after it changed. */
export async function accountChanged(): Promise<void> {
  const { user } = await queries.fetchQuery({ ...start, staleTime: 0 });
  signedIn(user);
}

/** Forgets everything that was read in the session, which has ended. */
export function signedOut(): void {
  actFor(null);
  lastSignedIn.set(null);
  followNone();
  isSessionOver.set(false);
  isUnexpected.set(false);
  queries.setQueryData(session.queryKey, null);
  queries.removeQueries(ofSession);
}

async function askWhoIsSignedIn(): Promise<void> {
  // The service has refused what was asked in the session: without an answer, nobody is taken to be signed in.
  const { user } = await anybody.user.session.query().catch(() => ({ user: null }));
  if (!queries.getQueryData(session.queryKey)) return;
  // A session that nobody began with this page is announced after the page has loaded.
  if (user !== null && user.publicId !== opened && user.publicId !== lastPublicId()) return location.reload();
  if (user !== null) return signedIn(user);
  // Who signs out in another tab leaves nothing here, either.
  if (lastSignedIn.get() === null) signedOut();
  else isSessionOver.set(true);
}

let isAsking = false;

/** Asks again who is signed in: the session has ended, or somebody signed in with this browser. */
export function checkSession(): void {
  if (isAsking || !queries.getQueryData(session.queryKey)) return;
  isAsking = true;
  void askWhoIsSignedIn().finally(() => {
    isAsking = false;
  });
}

onAnswer(({ status }) => status === UNAUTHORIZED && checkSession());
lastSignedIn.onChange(() => isSessionOver.get() && checkSession());
onSignOutElsewhere(signedOut);

const HOME = "/";

/** Signs in, and accepts an invitation if there is one. */
export async function signIn(
  input: { email: string; password: string; code?: string },
  inviteCode?: string,
): Promise<void> {
  const { user } = await beginSession(() => anybody.user.signIn.mutate({ ...input, session: "cookie" }));
  becomes(user);
  // Why an invitation cannot be accepted, its own page says.
  if (inviteCode !== undefined) await joinBy(inviteCode).catch(() => {});
  signedIn(user);
}

/** Makes an account with a first board, or one in the workspace of an invitation. Who came to a certain address stays there. */
export async function signUp(
  input: { name: string; email: string; password: string },
  inviteCode?: string,
): Promise<void> {
  const { user } = await beginSession(() =>
    anybody.user.signUp.mutate({
      ...input,
      session: "cookie",
      ...(inviteCode !== undefined && { inviteCode }),
    }),
  );
  becomes(user);
  if (inviteCode !== undefined) navigate(await entryOfNew(), { replace: true });
  else if (location.pathname === HOME) navigate(await welcome(user), { replace: true });
  else await welcome(user);
  signedIn(user);
}

export const invitation = (inviteCode: string) =>
  queryOptions({
    queryKey: ["invitation", inviteCode],
    queryFn: ({ signal }) => client.workspace.invites.preview.query({ inviteCode }, { signal }),
    retry: false,
  });

/** Accepts an invitation, and leads to what it opened. */
export async function joinBy(inviteCode: string): Promise<void> {
  const { workspacePublicId } = await client.workspace.invites.accept.mutate({ inviteCode, session: "cookie" });
  void boardsChanged();
  navigate(await entryOf(workspacePublicId), { replace: true });
}

/** The address to begin at in a workspace: its board if it shows a single one, else home. */
const entryOf = async (workspacePublicId: string): Promise<string> => {
  const [board, ...others] = await client.board.list.query({ workspacePublicId });
  return board === undefined || others.length > 0 ? HOME : `/boards/${board.publicId}`;
};

/** The address to begin at for an account that an invitation made. */
const entryOfNew = async (): Promise<string> => {
  const [workspace] = await client.workspace.list.query();
  return workspace === undefined ? HOME : entryOf(workspace.publicId);
};

/** Makes a first board, and returns its address. Without one, home offers to begin. */
const welcome = (user: User): Promise<string> =>
  makeStarter(user).then(
    (boardPublicId) => `/boards/${boardPublicId}`,
    () => HOME,
  );

/** A sign-in that began at a provider, until the provider sends the person back to this tab. */
interface Flow {
  providerId: string;
  flowToken: string;
  /** The address at which it began. */
  from: string;
  /** The code of the invitation that it accepts. */
  inviteCode?: string;
}

const FLOW = "work-board.flow";

interface Proof {
  currentPassword?: string;
  code?: string;
}

/** Leaves the page for a provider. */
async function leaveFor(providerId: string, inviteCode?: string, link?: Proof): Promise<void> {
  const redirectUri = `${location.origin}/callback`;
  const { authorizationUrl, flowToken } = await client.user.oidc.start.mutate({
    providerId,
    redirectUri,
    ...(link !== undefined && { link: true, ...link }),
  });
  const flow: Flow = { providerId, flowToken, from: location.href, ...(inviteCode !== undefined && { inviteCode }) };
  sessionStorage.setItem(FLOW, JSON.stringify(flow));
  location.assign(authorizationUrl);
}

/** Signs in at a provider. */
export const signInAt = (providerId: string, inviteCode?: string): Promise<void> => leaveFor(providerId, inviteCode);

/** Makes an account at a provider a way to sign in to this one. */
export const linkAt = (providerId: string, proof: Proof): Promise<void> => leaveFor(providerId, undefined, proof);

/** Signs in whom a provider sent back. A flow works once, so it is never tried again. */
export const finishSignIn = queryOptions({
  queryKey: ["callback"],
  queryFn: async () => {
    const flow: Flow = JSON.parse(sessionStorage.getItem(FLOW) ?? "null");
    sessionStorage.removeItem(FLOW);
    if (flow === null) throw new Error("No sign-in began in this tab");
    const { providerId, flowToken, from, inviteCode } = flow;
    const { user } = await beginSession(() =>
      client.user.oidc.finish.mutate({
        providerId,
        flowToken,
        callbackUrl: location.href,
        session: "cookie",
        ...(inviteCode !== undefined && { inviteCode }),
      }),
    );
    actFor(user);
    if (inviteCode !== undefined) {
      location.replace(HOME);
      return null;
    }
    const isNew = (await client.workspace.list.query()).length === 0;
    const first = isNew ? await welcome(user) : HOME;
    location.replace(new URL(from).pathname === HOME ? first : from);
    return null;
  },
  retry: false,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Ends the session here, even if the service does not confirm it. */
export async function signOut(): Promise<void> {
  const user = queries.getQueryData(session.queryKey);
  const confirmed = user ? beginSignOut(user.publicId) : undefined;
  signedOut();
  await confirmed;
}

export const signInMethods = queryOptions({
  queryKey: ["methods"],
  queryFn: ({ signal }) => client.user.authMethods.query(undefined, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export type Workspace = Start["workspaces"][number];
export type BoardSummary = RouterOutputs["board"]["list"][number];

const SETTINGS_STALE_MS = 300_000;

/** A workspace with its settings. */
export const workspaceSettings = (workspacePublicId: string) =>
  queryOptions({
    queryKey: ["workspace", workspacePublicId],
    queryFn: ({ signal }) => client.workspace.get.query({ workspacePublicId }, { signal }),
    staleTime: SETTINGS_STALE_MS,
  });

/** Every workspace of the reader with the boards that they see there. */
export const ownBoards = queryOptions({
  ...again,
  queryKey: ["boards"],
  queryFn: async ({ signal }) => {
    const { workspaces } = await queries.fetchQuery(start);
    return Promise.all(
      workspaces.map(async (workspace) => ({
        workspace,
        boards: await client.board.list.query({ workspacePublicId: workspace.publicId }, { signal }),
      })),
    );
  },
});

/** Reads again which boards there are. */
export const boardsChanged = () =>
  Promise.all([queries.invalidateQueries(start), queries.invalidateQueries(ownBoards)]);

/** Reads again which boards there are, unless they hold this one as it is called and marked. */
export function boardIs({
  publicId,
  name,
  isFavourite,
}: Pick<BoardSummary, "publicId" | "name" | "isFavourite">): void {
  const all = queries.getQueryData(ownBoards.queryKey)?.flatMap(({ boards }) => boards);
  const known = all?.find((one) => one.publicId === publicId);
  if (all !== undefined && (known?.name !== name || known.isFavourite !== isFavourite)) void boardsChanged();
}

/** Notes that the reader opened a board: it comes first among the recent ones. */
export async function boardOpened(boardPublicId: string): Promise<void> {
  await client.board.opened.mutate({ boardPublicId });
  await queries.invalidateQueries({ ...start, refetchType: "none" });
}
