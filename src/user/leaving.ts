// Ends memberships of workspaces (contract section 2, 4.13).

import type { Acting } from "../api/acting.js";
import { dropAssignmentsOf } from "../card/model/lostAssignments.js";
import { boardFavourite, boardOpened, member } from "../db/schema/index.js";
import { boardsOfMember, sharedEvent } from "../events/boards.js";
import { redactEvents } from "../events/redaction.js";
import { logMemberAct } from "./auditLog.js";

/** A member of the workspace that is being changed; `accountId` is null while it is pending. */
export interface Leaver {
  memberId: number;
  memberPublicId: string;
  accountId: number | null;
}

/**
 * Ends a membership with its assignments, board memberships, favourites and recent boards; a pending one with its invitation. The names that its
 * person had go from the log, where a deleted account would no longer find them.
 */
export async function leave(tx: Acting, leaver: Leaver): Promise<void> {
  const { memberId, memberPublicId, accountId } = leaver;
  const boards = await boardsOfMember(tx, memberId);
  await dropAssignmentsOf(tx, leaver);
  if (accountId !== null) {
    tx.remove(boardFavourite, { accountId });
    tx.remove(boardOpened, { accountId });
    await redactEvents(tx, { memberPublicId, accountId });
  }
  await logMemberAct(tx, "member.removed", memberId);
  tx.remove(member, { id: memberId });
  tx.log(sharedEvent("member.removed", { memberPublicId }, boards));
}
