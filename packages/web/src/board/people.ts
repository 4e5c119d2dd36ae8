// The people who can be assigned and mentioned on a board: everybody who sees it, also without being one of its members.

import type { AssignedPerson, BoardState, ChangePath } from "work-board-client/board";
import { queryClient } from "../session/queryClient.js";
import { currentUser } from "../session/session.js";
import { assignable } from "./queries.js";

/** Everybody who is assigned to a card, as often as that is so. */
export const assigneesOf = ({ cards }: Pick<BoardState, "cards">): AssignedPerson[] =>
  Object.values(cards).flatMap(({ members }) => members);

/** A person by the membership in the workspace, as far as the page knows people. */
export function personOn(board: BoardState, memberPublicId: string): AssignedPerson | undefined {
  const me = memberPublicId === board.me.memberPublicId ? currentUser() : null;
  if (me !== null) return { publicId: memberPublicId, name: me.name, image: me.image };
  const { queryKey } = assignable(board.publicId);
  const isIt = ({ publicId }: AssignedPerson) => publicId === memberPublicId;
  return board.members.find(isIt) ?? queryClient.getQueryData(queryKey)?.find(isIt) ?? assigneesOf(board).find(isIt);
}

/** The people whom a change assigns. */
export function peopleIn(board: BoardState, path: ChangePath, input: object): AssignedPerson[] | undefined {
  const { memberPublicId, addMemberPublicIds = [] } = input as {
    memberPublicId?: string;
    addMemberPublicIds?: readonly string[];
  };
  if (path !== "card.toggleMember" && path !== "card.bulk.update") return undefined;
  const ids = memberPublicId === undefined ? addMemberPublicIds : [memberPublicId];
  return ids.flatMap((id) => personOn(board, id) ?? []);
}
