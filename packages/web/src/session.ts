// The session of the page is a cookie that no script can read. The page says with every call as whom it acts: if somebody else
// signed in meanwhile in another tab, the service refuses the call instead of doing it in their name.

let actingAs: string | null = null;

/** Sets the account as which the page acts. */
export function actAs(user: { publicId: string } | null): void {
  actingAs = user?.publicId ?? null;
}

/** `fetch` for every call and stream. */
export const sessionFetch: typeof fetch = (resource, init) => {
  const headers = new Headers(init?.headers);
  if (actingAs !== null) headers.set("acting-as", actingAs);
  return fetch(resource, { ...init, headers });
};
