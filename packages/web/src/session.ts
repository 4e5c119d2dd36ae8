// The session of the page is a cookie that no script can read. The page says with every call as whom it acts: if somebody else
// signed in meanwhile in another tab, the service refuses the call instead of doing it in their name.

import { storeOf } from "./parts/store.js";

/** Whether the session has ended while its page is open. Signing in again goes on with the page as it is. */
export const isSessionOver = storeOf(false);

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

/** `fetch` for every call and stream of the account. */
export const sessionFetch: typeof fetch = async (resource, init) => {
  const headers = new Headers(init?.headers);
  if (actingAs !== null) headers.set("acting-as", actingAs);
  const response = await fetch(resource, { ...init, headers });
  for (const listener of listeners) listener(response);
  return response;
};
