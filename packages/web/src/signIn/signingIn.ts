// Signing in and up, and where that leads.

import { navigate } from "wouter/use-browser-location";
import { anonymousClient, client, type User } from "../client.js";
import { beginSession } from "../requests.js";
import { boardsChanged } from "../session/boards.js";
import { continueAs, switchAccount } from "../session/session.js";
import { makeStarter } from "./starter.js";

export const HOME = "/";

/** Signs in, and accepts an invitation if there is one. */
export async function signIn(
  input: { email: string; password: string; code?: string },
  inviteCode?: string,
): Promise<void> {
  const { user } = await beginSession(() => anonymousClient.user.signIn.mutate({ ...input, session: "cookie" }));
  switchAccount(user);
  // Why an invitation cannot be accepted, its own page says.
  if (inviteCode !== undefined) await joinBy(inviteCode).catch(() => {});
  continueAs(user);
}

/** Makes an account with a first board, or one in the workspace of an invitation. Who came to a certain address stays there. */
export async function signUp(
  input: { name: string; email: string; password: string },
  inviteCode?: string,
): Promise<void> {
  const { user } = await beginSession(() =>
    anonymousClient.user.signUp.mutate({
      ...input,
      session: "cookie",
      ...(inviteCode !== undefined && { inviteCode }),
    }),
  );
  switchAccount(user);
  if (inviteCode !== undefined) navigate(await entryOfNew(), { replace: true });
  else if (location.pathname === HOME) navigate(await welcome(user), { replace: true });
  else await welcome(user);
  continueAs(user);
}

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
export const welcome = (user: User): Promise<string> =>
  makeStarter(user).then(
    (boardPublicId) => `/boards/${boardPublicId}`,
    () => HOME,
  );
