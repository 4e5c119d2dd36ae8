// Signing in at a provider, which the browser visits in between.

import { queryOptions } from "@tanstack/react-query";
import { client } from "../client.js";
import { beginSession } from "../requests.js";
import { setAccount } from "../session/session.js";
import { signInKeys } from "./queries.js";
import { HOME, welcome } from "./signingIn.js";

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
  queryKey: signInKeys.callback,
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
    setAccount(user);
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
