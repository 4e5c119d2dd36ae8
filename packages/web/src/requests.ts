// The session of the page is a cookie that no script can read. The page says with every call as whom it acts: if somebody else
// signed in meanwhile in another tab, the service refuses the call instead of doing it in their name.

import { storeOf } from "./store.js";
import { stored } from "./stored.js";

/** Whether the session has ended while its page is open. Signing in again goes on with the page as it is. */
export const isSessionOver = storeOf(false);

/** The status of an answer to a call without a valid session. */
export const UNAUTHORIZED = 401;

let actingAs: string | null = null;

/** Sets the account as which the page acts. */
export function actAs(user: { publicId: string } | null): void {
  actingAs = user?.publicId ?? null;
}

const listeners: ((response: Response) => void)[] = [];

/** Calls a function with every answer of the service. */
export function onAnswer(listener: (response: Response) => void): void {
  listeners.push(listener);
}

/** The account of a sign-out that the service has not confirmed: until then, this browser still holds its session. */
const leaving = stored("work-board.signingOut");

/** Whether a sign-out was tried, and not confirmed. It is tried again until it is, or until somebody signs in. */
export const isSignOutUnconfirmed = storeOf(false);

/** Calls a function after another tab began to sign out. */
export const onSignOutElsewhere = (listener: () => void): void =>
  leaving.onChange(() => leaving.get() !== null && listener());

const SIGN_OUT_TIMEOUT_MS = 10_000;
const SIGN_OUT_RETRY_MS = 10_000;

let retry: ReturnType<typeof setTimeout> | undefined;

async function sendSignOut(publicId: string): Promise<void> {
  const response = await fetch("/trpc/user.signOut", {
    method: "POST",
    headers: { "acting-as": publicId, "content-type": "application/json" },
    body: "{}",
    keepalive: true,
    signal: AbortSignal.timeout(SIGN_OUT_TIMEOUT_MS),
  }).catch(() => null);
  // UNAUTHORIZED: the session has ended already, or somebody else has signed in. Proxies answer without a version.
  const isDone = response?.headers.has("service-version") && (response.ok || response.status === UNAUTHORIZED);
  clearTimeout(retry);
  if (isDone) leaving.set(null);
  else retry = setTimeout(finishSignOut, SIGN_OUT_RETRY_MS);
  isSignOutUnconfirmed.set(!isDone);
}

let sending: Promise<void> | null = null;
let isBeginning = false;

/** Sends a sign-out that was not confirmed yet. Resolves to whether there is none left; never rejects. */
export async function finishSignOut(): Promise<boolean> {
  const publicId = leaving.get();
  // Its answer would clear the cookie of the session that begins.
  if (publicId === null || isBeginning) return publicId === null;
  sending ??= sendSignOut(publicId).finally(() => {
    sending = null;
  });
  await sending;
  return leaving.get() === null;
}

addEventListener("online", () => void finishSignOut());

/** Ends the session of an account. Until the service has confirmed it, every load of the page sends it first. */
export function beginSignOut(publicId: string): Promise<boolean> {
  leaving.set(publicId);
  return finishSignOut();
}

/** Runs a call that begins a session, which takes the place of any that this browser holds. */
export async function beginSession<T>(call: () => Promise<T>): Promise<T> {
  await finishSignOut();
  isBeginning = true;
  try {
    const result = await call();
    leaving.set(null);
    isSignOutUnconfirmed.set(false);
    return result;
  } finally {
    isBeginning = false;
  }
}

/** `fetch` for calls about who is signed in. */
export const openFetch: typeof fetch = async (resource, init) => {
  await finishSignOut();
  return fetch(resource, init);
};

/** `fetch` for every call and stream of the account. */
export const sessionFetch: typeof fetch = async (resource, init) => {
  await finishSignOut();
  const headers = new Headers(init?.headers);
  if (actingAs !== null) headers.set("acting-as", actingAs);
  const response = await fetch(resource, { ...init, headers });
  for (const listener of listeners) listener(response);
  return response;
};
