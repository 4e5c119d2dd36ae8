// The people of a workspace, and the invitations to it.

import { queryOptions } from "@tanstack/react-query";
import { assignableChanged } from "../board/queries.js";
import { client, type RouterOutputs } from "../client.js";
import { queryClient } from "../session/queryClient.js";

export type Member = RouterOutputs["workspace"]["members"]["list"][number];
export type Role = Member["role"];

/** The name of a member. Somebody who did not accept yet has only an address. */
export const nameOf = ({ name, email, status }: Pick<Member, "name" | "email" | "status">): string =>
  status === "invited" && email !== null ? email : name;

const shareKeys = {
  members: (workspacePublicId: string) => ["members", workspacePublicId],
  inviteLink: (workspacePublicId: string) => ["inviteLink", workspacePublicId],
};

export const members = (workspacePublicId: string) =>
  queryOptions({
    queryKey: shareKeys.members(workspacePublicId),
    queryFn: ({ signal }) => client.workspace.members.list.query({ workspacePublicId }, { signal }),
  });

/** Reads the people of a workspace again, and with them who sees its boards. */
export async function membersChanged(workspacePublicId: string): Promise<void> {
  await Promise.all([queryClient.invalidateQueries(members(workspacePublicId)), assignableChanged()]);
}

export const inviteLink = (workspacePublicId: string) =>
  queryOptions({
    queryKey: shareKeys.inviteLink(workspacePublicId),
    queryFn: async ({ signal }) => (await client.workspace.invites.get.query({ workspacePublicId }, { signal })).invite,
  });

/** The address of an invitation, below the one at which the page is open. The service may know itself by another one. */
export const invitationAt = (link: string) => `${location.origin}/invite/${link.slice(link.lastIndexOf("/") + 1)}`;

/** The outcome of inviting an address. */
export interface InviteResult {
  email: string;
  /** `mailed`: a mail is on its way; `link`: its link must be passed on; `added`: the person was a member already. */
  kind: "mailed" | "link" | "added" | "failed";
  /** The address of the invitation, or the reason of the failure. */
  detail: string;
}

const outcomeOf = (email: string, answer: { invited: boolean; mailed: boolean }, link: string | null): InviteResult => {
  const detail = link === null ? "" : invitationAt(link);
  if (answer.mailed) return { email, kind: "mailed", detail };
  return { email, kind: link === null ? "added" : "link", detail };
};

/** Invites an address to a workspace. */
export async function inviteToWorkspace(workspacePublicId: string, email: string, role: Role) {
  const answer = await client.workspace.members.invite.mutate({ workspacePublicId, email, role });
  return { publicId: answer.publicId, outcome: outcomeOf(email, answer, answer.inviteLink) };
}

/** Invites an address to a board: a guest to that alone, everybody else to its workspace. */
export async function inviteToBoard(
  { boardPublicId, workspacePublicId }: { boardPublicId: string; workspacePublicId: string },
  email: string,
  role: Role,
): Promise<InviteResult> {
  if (role === "guest") {
    const answer = await client.board.members.invite.mutate({ boardPublicId, email });
    const people = await client.workspace.members.list.query({ workspacePublicId });
    const link = people.find(({ publicId }) => publicId === answer.publicId)?.inviteLink ?? null;
    return outcomeOf(email, answer, link);
  }
  const { publicId, outcome } = await inviteToWorkspace(workspacePublicId, email, role);
  await client.board.members.add.mutate({ boardPublicId, memberPublicId: publicId });
  return outcome;
}
