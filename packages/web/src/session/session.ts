// Who is signed in, and what begins and ends with that.

import { type QueryFilters, queryOptions, useQuery } from "@tanstack/react-query";
import { anonymousClient, client, type User } from "../client.js";
import {
  actAs,
  beginSignOut,
  finishSignOut,
  isSessionOver,
  onAnswer,
  onSignOutElsewhere,
  UNAUTHORIZED,
} from "../requests.js";
import { storeOf } from "../store.js";
import { stored } from "../stored.js";
import { sessionKeys } from "./keys.js";
import { queryClient } from "./queryClient.js";
import { start } from "./start.js";

/**
 * The account that last signed in with this browser, and when; null once it has signed out. If there is one, the first requests read
 * what the page shows first, as that account.
 */
const lastSignedIn = stored("work-board.lastSignedIn");

/** The boards that the page follows as the account. */
interface SessionBoards {
  /** Begins to read the board of the address. Resolves once it was read, or after a moment. */
  preload(): Promise<void>;
  /** Goes on with all boards once their person is signed in again. */
  resume(): void;
  close(): void;
}

let boards: SessionBoards | null = null;

/** Has boards follow the session: they lie above it. */
export function followSession(followed: SessionBoards): void {
  boards = followed;
}

/**
 * The account of the session, which is read with what the page shows first, as the account that signed in last; null if that has no
 * session any more, or cannot be read.
 */
async function userOfStart(publicId: string): Promise<User | null> {
  actAs({ publicId });
  // The board of the address is read at the same time. Without a session, it waits for the next one.
  const board = boards?.preload();
  try {
    const first = await client.user.start.query({ types: "all" });
    queryClient.setQueryData(start.queryKey, first);
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
  queryKey: sessionKeys.session,
  queryFn: async () => {
    if (!(await finishSignOut())) return null;
    const last = lastPublicId();
    const known = last === undefined ? null : await userOfStart(last);
    const user = known ?? (await anonymousClient.user.session.query()).user;
    opened = user?.publicId ?? null;
    isUnexpected.set(user !== null && opened !== last);
    actAs(user);
    return user;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Acts as an account from now on. */
export function setAccount(user: User | null): void {
  actAs(user);
  if (user !== null && !isUnexpected.get()) lastSignedIn.set(`${user.publicId} ${new Date().toISOString()}`);
}

/** Continues as an account that nobody signed in to with this page. */
export function acceptAccount(user: User): void {
  isUnexpected.set(false);
  setAccount(user);
}

/** The account that is signed in, as far as that is known. */
export const currentUser = (): User | null => queryClient.getQueryData(session.queryKey) ?? null;

/** The account that is signed in: null for nobody, undefined until that is known. */
export const useSession = () => useQuery(session);

const ofSession: QueryFilters = { predicate: ({ queryKey }) => queryKey[0] !== session.queryKey[0] };

/** Before anything is done as an account: what belongs to another one ends. */
export function switchAccount(user: User): void {
  const before = queryClient.getQueryData(session.queryKey);
  if (before?.publicId !== user.publicId) boards?.close();
  setAccount(user);
}

/** Goes on as an account: where the page is, if it is that of the page, and without anything of another one. */
export function continueAs(user: User): void {
  switchAccount(user);
  // The client would repeat calls that the other account began as this one. Loading the page anew ends them.
  if (opened !== null && opened !== user.publicId) {
    location.reload();
    return;
  }
  opened = user.publicId;
  const wasOver = isSessionOver.get();
  queryClient.setQueryData(session.queryKey, user);
  isSessionOver.set(false);
  boards?.resume();
  if (wasOver) void queryClient.invalidateQueries(ofSession);
}

/** Reads the account again after it changed. */
export async function accountChanged(): Promise<void> {
  const { user } = await queryClient.fetchQuery({ ...start, staleTime: 0 });
  continueAs(user);
}

/** Forgets everything that was read in the session, which has ended. */
export function endSession(): void {
  setAccount(null);
  lastSignedIn.set(null);
  boards?.close();
  isSessionOver.set(false);
  isUnexpected.set(false);
  queryClient.setQueryData(session.queryKey, null);
  queryClient.removeQueries(ofSession);
}

async function readSessionAgain(): Promise<void> {
  // The service has refused what was asked in the session: without an answer, nobody is taken to be signed in.
  const { user } = await anonymousClient.user.session.query().catch(() => ({ user: null }));
  if (!queryClient.getQueryData(session.queryKey)) return;
  // A session that nobody began with this page is announced after the page has loaded.
  if (user !== null && user.publicId !== opened && user.publicId !== lastPublicId()) return location.reload();
  if (user !== null) return continueAs(user);
  // Who signs out in another tab leaves nothing here, either.
  if (lastSignedIn.get() === null) endSession();
  else isSessionOver.set(true);
}

let isAsking = false;

/** Asks again who is signed in: the session has ended, or somebody signed in with this browser. */
export function checkSession(): void {
  if (isAsking || !queryClient.getQueryData(session.queryKey)) return;
  isAsking = true;
  void readSessionAgain().finally(() => {
    isAsking = false;
  });
}

onAnswer(({ status }) => status === UNAUTHORIZED && checkSession());
lastSignedIn.onChange(() => isSessionOver.get() && checkSession());
onSignOutElsewhere(endSession);

/** Ends the session here, even if the service does not confirm it. */
export async function signOut(): Promise<void> {
  const user = queryClient.getQueryData(session.queryKey);
  const confirmed = user ? beginSignOut(user.publicId) : undefined;
  endSession();
  await confirmed;
}
